import replyFrom, { type FastifyReplyFromHooks } from '@fastify/reply-from'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Semaphore } from '../lib/semaphore.ts'
import { tooManyWaiting, unavailable } from '../model/errors.ts'
import { KEY_PARAMETER, tokenOf } from '../server/http/access.ts'
import { endSignal } from '../server/http/reply.ts'
import { hidden } from '../server/http/schemas.ts'
import type { ApiContext } from './context.ts'

type Headers = Parameters<Exclude<FastifyReplyFromHooks['rewriteHeaders'], undefined>>[0]

/** Headers of one connection, or for a proxy (RFC 9110, 7.6.1), and `Expect`, which our own server has answered (10.1.1).
 * What `Connection` names besides these, the plugin leaves out. */
const OF_ONE_CONNECTION = new Set(
  'connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade expect'.split(
    ' ',
  ),
)

function endToEnd(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_CONNECTION.has(name)))
}

/** Connections to the intake, each for one upload. */
const MOST_UPLOADS = 256
/** Each holds a connection here, and the part of its body that arrived before we stopped reading. */
const MOST_WAITING_PER_ACCOUNT = 1000

/** Proxies `/ingest` as a stream (design, decision 4). The account only decides whose slots an upload takes. */
export async function ingestProxy(
  server: FastifyInstance,
  { callers, intakeUrl, config }: Pick<ApiContext, 'callers' | 'intakeUrl' | 'config'>,
): Promise<void> {
  const uploads = new Semaphore<number | 'stranger'>({
    places: MOST_UPLOADS,
    perParty: config.uploadsPerAccount,
    mostWaiting: MOST_WAITING_PER_ACCOUNT,
    refusal: () => tooManyWaiting('uploads'),
  })
  const senderOf = async (request: FastifyRequest) => {
    const token = tokenOf(request)
    const caller = token === undefined ? undefined : await callers.find(token)
    return caller?.accountId ?? 'stranger'
  }
  const urlOfIntake = () => {
    const url = intakeUrl()
    if (url === undefined) throw unavailable('The intake is not running.', 2)
    return url
  }
  await server.register(async scope => {
    await scope.register(replyFrom, {
      disableRequestLogging: true,
      undici: { connections: MOST_UPLOADS, pipelining: 1 },
    })
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    const options = { config: { access: 'public', quiet: true, keyParameter: KEY_PARAMETER }, schema: hidden } as const
    scope.all('/ingest/*', options, async (request, reply) => {
      urlOfIntake()
      await uploads.enterUntil(await senderOf(request), endSignal(reply))
      // The query is appended unchanged. The plugin would decode it, which fails for some queries, and cache it with its key.
      const [path = ''] = request.url.split('?', 1)
      return reply.from(urlOfIntake() + path, {
        rewriteHeaders: endToEnd,
        rewriteRequestHeaders: (_request, headers) => ({
          ...endToEnd(headers),
          'x-forwarded-for': request.ip,
          'x-request-id': request.id,
        }),
        onError: (failed, { error }) => {
          // A sender that was too slow or disconnected aborts the proxied request.
          if (request.raw.destroyed) request.log.info({ err: error }, 'the sender went away')
          else request.log.warn({ err: error }, 'the intake does not answer')
          // A body that nobody reads any more would keep the connection open and delay the shutdown.
          if (!request.raw.complete) void failed.header('connection', 'close')
          void failed
            .code(503)
            .header('retry-after', '2')
            .send({ errorMessage: `The intake does not answer. Request id: ${request.id}.` })
        },
      })
    })
  })
}
