import replyFrom, { type FastifyReplyFromHooks } from '@fastify/reply-from'
import type { FastifyInstance } from 'fastify'
import { unavailable } from '../errors.ts'
import { hidden } from '../http/hidden.ts'

type Headers = Parameters<Exclude<FastifyReplyFromHooks['rewriteHeaders'], undefined>>[0]

/** What the intake says of its connection to us is not about the client's (RFC 9110, 7.6.1). */
function endToEnd({ connection: _connection, 'keep-alive': _keepAlive, ...headers }: Headers): Headers {
  return headers
}

/** Passes `/ingest` on to the intake process as it comes, without reading it (design, decision 4). */
export async function ingestProxy(server: FastifyInstance, intakeUrl: () => string | undefined): Promise<void> {
  await server.register(async scope => {
    await scope.register(replyFrom, { disableRequestLogging: true, undici: { connections: 64, pipelining: 1 } })
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    scope.all('/ingest/*', { config: { access: 'public', quiet: true }, schema: hidden }, (request, reply) => {
      const url = intakeUrl()
      if (url === undefined) throw unavailable('The intake is not running.', 2)
      // The query is added as it came; here it would be decoded, which not every query can be, and remembered with its key.
      const [path = ''] = request.url.split('?', 1)
      return reply.from(url + path, {
        rewriteHeaders: endToEnd,
        onError: (failed, { error }) => {
          request.log.warn({ err: error }, 'the intake does not answer')
          // What nobody reads any more would hold the connection, and with it the stop of the service.
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
