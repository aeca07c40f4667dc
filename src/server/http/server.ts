import { Server as TlsServer } from 'node:tls'
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import type { Histogram } from 'prom-client'
import { clientErrorOf } from '../../db/faults.ts'
import { ClientError } from '../../model/errors.ts'
import { type CertificateFiles, followCertificate, readCertificate } from './certificate.ts'
import { endIdleConnections } from './idle-connections.ts'
import { knowPaths, PATH_OPTIONS } from './methods.ts'
import { readRefusedBodies } from './refused-body.ts'
import { requestIds } from './request-ids.ts'
import { serializerCompiler } from './serialisation.ts'
import { cutSlowPeers, type TransferLimits } from './slow-peers.ts'
import { answerUnreadable, refuseBrokenProtocol } from './unreadable-request.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its requests are not logged: a probe asks every few seconds, or another process logs them. */
    readonly quiet?: boolean
  }
}

interface HttpServerOptions {
  readonly log: Logger
  /** Seconds a request took, by method, route and status. */
  readonly duration: Histogram<'method' | 'route' | 'status'>
  readonly bodyLimitBytes: number
  /** Reverse proxies that are trusted to name the client's address. */
  readonly trustedProxies?: readonly string[]
  readonly transfers: TransferLimits
  /** With it, the server speaks TLS only. */
  readonly certificate?: CertificateFiles | undefined
}

/** For the headers of a request, counted from its first byte or from the connection. */
const HEADERS_MS = 30_000
/** How often both are checked. */
const CHECK_REQUESTS_MS = 1000

/** From the connection to the end of the handshake. */
const HANDSHAKE_MS = 10_000

/** What the HTTP servers of both roles have in common: the wire format of errors, request ids, logs and metrics. */
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
  // Bodies are JSON; Fastify would accept plain text, too.
  server.removeContentTypeParser('text/plain')
  server.setErrorHandler(answerError)
  const pathFor = knowPaths(server)
  server.setNotFoundHandler(request => {
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

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? request.url
}

/** Turns errors of routes into replies with exactly one field, `errorMessage` (fleet-api-v2.md, *Errors*). */
function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = clientErrorOf(error) ?? frameworkError(error, request)
  if (known) {
    if (known.status >= 500) request.log.warn({ err: known.cause ?? known }, known.message)
    void reply.code(known.status).headers(known.headers).type('application/json; charset=utf-8')
    void reply.send(JSON.stringify({ errorMessage: messageOf(known, request), ...known.extra }))
    return
  }
  // A disconnecting sender aborts its own request; that is no error for operators.
  if (request.raw.socket.destroyed) request.log.info('the client went away')
  else request.log.error({ err: error }, 'request failed')
  void reply.code(500).type('application/json; charset=utf-8')
  void reply.send(JSON.stringify({ errorMessage: `Something went wrong here. Request id: ${request.id}.` }))
}

function messageOf(error: ClientError, request: FastifyRequest): string {
  return error.status >= 500 ? `${error.message} Request id: ${request.id}.` : error.message
}

const FRAMEWORK_MESSAGES: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'This content type is not supported here.',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty; it must be JSON.',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as Content-Length says.',
  FST_ERR_CTP_INVALID_GZIP: 'The body is not valid gzip.',
  FST_ERR_BAD_URL: 'The address is not a valid URL.',
}

/** Errors that Fastify raises before a handler runs. */
function frameworkError(error: unknown, request: FastifyRequest): ClientError | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, statusCode } = error as FastifyError
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) return undefined
  if (error instanceof SyntaxError) return new ClientError(400, 'The body is not valid JSON.')
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ClientError(413, `The body is too large: ${request.routeOptions.bodyLimit} bytes are the most.`)
  return new ClientError(statusCode, FRAMEWORK_MESSAGES[code] ?? `${error.message}.`)
}
