import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
  LogController,
} from 'fastify'
import findMyWay from 'find-my-way'
import type { Logger } from 'pino'
import type { Histogram } from 'prom-client'
import { clientErrorOf } from '../../db/faults.ts'
import { networksOf } from '../../lib/networks.ts'
import { textOfBody } from '../../lib/text-of-bytes.ts'
import { badRequest, ClientError } from '../../model/errors.ts'
import { type CertificateFiles, followCertificate, readCertificate } from './certificate.ts'
import { endIdleConnections } from './connections.ts'
import { BODY_BOUNDS, requireBounded } from './json-bounds.ts'
import { answerOnSocket } from './reply.ts'
import { serializerCompiler } from './schemas.ts'
import { cutSlowPeers, type TransferLimits } from './slow-peers.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its requests are not logged: a probe asks every few seconds, or another process logs them. */
    readonly quiet?: boolean
  }
}

interface HttpServerOptions {
  readonly log: Logger
  readonly duration: Histogram<'method' | 'route' | 'status'>
  readonly bodyLimitBytes: number
  readonly trustedProxies?: readonly string[]
  readonly transfers: TransferLimits
  /** With it, the server speaks TLS only. */
  readonly certificate?: CertificateFiles | undefined
}

/** For the headers of a request, counted from its first byte or from the connection. */
const HEADERS_MS = 30_000
const CHECK_REQUESTS_MS = 1000

/** From the connection to the end of the handshake. */
const HANDSHAKE_MS = 10_000

/** Makes the HTTP server of either role: the wire format of errors, request ids, logs and metrics. */
export function createHttpServer({
  log,
  duration,
  bodyLimitBytes,
  trustedProxies = [],
  transfers,
  certificate,
}: HttpServerOptions): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = log
  // Node would answer a request without a Host header with an empty body; `refuseBrokenProtocol` does it better.
  const requestMs = transfers.requestLimitS * 1000
  const http = {
    requireHostHeader: false,
    headersTimeout: Math.min(HEADERS_MS, requestMs),
    connectionsCheckingInterval: CHECK_REQUESTS_MS,
  }
  const options = {
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIds(trustedProxies),
    bodyLimit: bodyLimitBytes,
    forceCloseConnections: 'idle' as const,
    // Requests that still arrive while this process stops are answered; only new connections go elsewhere.
    return503OnClosing: false,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    routerOptions: PATH_OPTIONS,
    rewriteUrl: originForm,
    frameworkErrors: answerError,
    clientErrorHandler: answerUnreadable,
    requestTimeout: requestMs,
    http,
    ...(certificate && { https: { ...http, ...readCertificate(certificate), handshakeTimeout: HANDSHAKE_MS } }),
  }
  const server: FastifyInstance = fastify(options)
  server.addHook('onRequest', async (request, reply) => void reply.header('x-request-id', request.id))
  if (certificate && server.server instanceof TlsServer) followCertificate(server.server, certificate, log)
  server.setSerializerCompiler(serializerCompiler)
  readJsonBodies(server)
  server.setErrorHandler(answerError)
  const pathFor = knowPaths(server)
  // After the hooks that know the caller, and before a body is read.
  server.addHook('preParsing', async request => {
    if (!request.is404) return
    const allowed = pathFor(pathOf(request))?.methods.join(', ')
    if (allowed === undefined) throw new ClientError(404, `There is nothing at ${pathOf(request)}.`)
    throw new ClientError(405, `${request.method} is not possible here; ${allowed} is.`, {
      headers: { allow: allowed },
    })
  })
  refuseBrokenProtocol(server)
  readRefusedBodies(server)
  cutSlowPeers(server, { leastBytesPerS: transfers.leastBytesPerS, patienceMs: transfers.stallLimitS * 1000 })
  endIdleConnections(server)
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? pathFor(pathOf(request))?.url ?? 'none'
    duration.observe({ method: request.method, route, status: String(reply.statusCode) }, reply.elapsedTime / 1000)
    if (request.routeOptions.config.quiet) return
    // The path without its query, which may contain passwords and tokens.
    const { method, ip: address, caller } = request
    const who = caller && { kind: caller.kind, id: caller.id, name: caller.name, accountId: caller.accountId }
    const ms = Math.round(reply.elapsedTime)
    request.log.info(
      { method, path: pathOf(request), status: reply.statusCode, ms, address, ...(who && { caller: who }) },
      'request',
    )
  })
  return server
}

/** Bodies are JSON; Fastify would accept plain text, too. */
function readJsonBodies(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error')
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    try {
      requireBounded(body, BODY_BOUNDS)
    } catch (error) {
      return done(error as Error)
    }
    void parse(request, textOfBody(body), done)
  })
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? request.url
}

/** Turns errors of routes into replies with exactly one field, `errorMessage` (fleet-api-v2.md, *Errors*). */
function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = clientErrorOf(error) ?? frameworkError(error, request)
  if (known) {
    if (known.status >= 500) logRefusal(request, known)
    void reply.code(known.status).headers(known.headers).type('application/json; charset=utf-8')
    const errorMessage = known.status >= 500 ? `${known.message} Request id: ${request.id}.` : known.message
    void reply.send(JSON.stringify({ errorMessage, ...known.extra }))
    return
  }
  // A disconnecting sender aborts its own request; that is no error for operators.
  if (request.raw.socket.destroyed) request.log.info('the client went away')
  else request.log.error({ err: error }, 'request failed')
  void reply.code(500).type('application/json; charset=utf-8')
  void reply.send(JSON.stringify({ errorMessage: `Something went wrong here. Request id: ${request.id}.` }))
}

/** While the database takes nothing, every request is refused for the same reason. */
const LOG_EVERY_MS = 1000
const logged = new WeakMap<object, { atMs: number; unlogged: number }>()

function logRefusal(request: FastifyRequest, { message, cause }: ClientError): void {
  const last = logged.get(request.server) ?? { atMs: Number.NEGATIVE_INFINITY, unlogged: 0 }
  if (performance.now() < last.atMs + LOG_EVERY_MS) return void last.unlogged++
  request.log.warn({ ...(cause !== undefined && { err: cause }), unlogged: last.unlogged }, message)
  logged.set(request.server, { atMs: performance.now(), unlogged: 0 })
}

const FRAMEWORK_MESSAGES: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'This content type is not supported here.',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty; it must be JSON.',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as Content-Length says.',
  FST_ERR_CTP_INVALID_GZIP: 'The body is not valid gzip.',
  FST_ERR_BAD_URL: 'The address is not a valid URL.',
}

function frameworkError(error: unknown, request: FastifyRequest): ClientError | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, statusCode } = error as FastifyError
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) return undefined
  if (error instanceof SyntaxError) return new ClientError(400, 'The body is not valid JSON.')
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ClientError(413, `The body is too large: ${request.routeOptions.bodyLimit} bytes are the most.`)
  return new ClientError(statusCode, FRAMEWORK_MESSAGES[code] ?? `${error.message}.`)
}

const ANSWERS: Readonly<Record<string, readonly [status: number, sentence: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large.'],
}

/** Answers input that is not a valid HTTP request, before routing, in the format of all other errors. */
export function answerUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, sentence] = ANSWERS[error.code ?? ''] ?? [400, 'This is not a valid HTTP request.']
  answerOnSocket(socket, status, sentence)
}

/** Clients write the whole URL into the request line when they believe to talk to a proxy, whatever host it names (RFC 9112, 3.2.2). */
function originForm({ url = '/' }: IncomingMessage): string {
  const [origin] = /^https?:\/\/[^/?]+/i.exec(url) ?? []
  if (origin === undefined) return url
  const rest = url.slice(origin.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Adds an errorMessage where Node itself would send an empty reply, or none (RFC 9112, 3.2; RFC 9110, 10.1.1). */
function refuseBrokenProtocol(server: FastifyInstance): void {
  server.addHook('onRequest', async ({ headers, raw }) => {
    if (headers.host === undefined && raw.httpVersion !== '1.0') throw badRequest('The header Host is missing.')
    const isHost = (text: string, index: number) => index % 2 === 0 && text.toLowerCase() === 'host'
    if (raw.rawHeaders.filter(isHost).length > 1) throw badRequest('There is more than one header Host.')
  })
  server.server.on('checkExpectation', (_request, response) => {
    const body = JSON.stringify({ errorMessage: 'The header Expect can only be 100-continue.' })
    response.writeHead(417, { 'content-type': 'application/json; charset=utf-8', connection: 'close' }).end(body)
  })
}

const MOST_BYTES = 64 * 1024 * 1024
const LONGEST_MS = 5_000

/** Reads and drops the rest of a body before a reply that ends the connection: else the sender only sees a reset. */
function readRefusedBodies(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply) => {
    const { raw } = request
    // A body that was read completely emits no second end; `complete` alone tells this only for real connections.
    const isRead = raw.complete || raw.readableEnded || raw.destroyed
    if (reply.getHeader('connection') === 'close' && !isRead) await dropRest(raw)
  })
}

function dropRest(body: IncomingMessage): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, LONGEST_MS)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    let bytes = 0
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MOST_BYTES) end()
    })
    body.once('close', end).once('end', end)
    body.unpipe()
    body.resume()
  })
}

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/** A path that exists, as it is registered, and its methods in the order of `Allow`. */
interface KnownPath {
  readonly url: string
  readonly methods: readonly string[]
}

/** How paths are compared; the routes of the server and these must agree. */
const PATH_OPTIONS = { ignoreTrailingSlash: true, maxParamLength: 1000 } as const

/** Call before routes are registered. Routes for refused methods would do the same, and take a tenth of the start. */
function knowPaths(server: FastifyInstance): (path: string) => KnownPath | undefined {
  const methodsByUrl = new Map<string, Set<string>>()
  server.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return
    const methods = methodsByUrl.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    methodsByUrl.set(url, methods)
  })
  let paths: ReturnType<typeof findMyWay> | undefined
  return path => {
    if (!paths) {
      paths = findMyWay(PATH_OPTIONS)
      for (const [url, methods] of methodsByUrl) {
        const known: KnownPath = { url, methods: METHODS.filter(name => methods.has(name)) }
        paths.on('GET', url, () => undefined, known)
      }
    }
    const known: KnownPath | undefined = paths.find('GET', path)?.store
    return known
  }
}

/** Ids of others: UUIDs, trace ids, numbers. Nothing that could be mistaken in a log or a header. */
const WELL_FORMED = /^[\w.:-]{1,128}$/

/** The id of a request in the log: the one that a trusted proxy gave it (`X-Request-Id`), else a new one. */
export function requestIds(
  trustedProxies: readonly string[],
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string {
  const proxies = networksOf(trustedProxies)
  return ({ headers, socket }) => {
    const given = headers['x-request-id']
    const isTrusted = typeof given === 'string' && WELL_FORMED.test(given) && proxies.has(socket.remoteAddress ?? '')
    return isTrusted ? given : randomUUID()
  }
}
