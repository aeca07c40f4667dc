import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { clientErrorOf } from '../../db/faults.ts'
import { codeOrTextOf } from '../../model/errors.ts'

/** How a part of the service is. What it says is public. */
export type PartState =
  | { readonly status: 'ready' }
  /** Requests are answered, so it is no reason to send them elsewhere, but something fails. */
  | { readonly status: 'failing'; readonly reason: string; readonly since: string }
  | { readonly status: 'not ready'; readonly reason: string }

/** The parts of the service by their names. */
export type Parts = Readonly<Record<string, PartState>>

const RETRY_AFTER_S = 2

/** `/healthz`: the process answers. `/readyz`: the parts that it needs answer, too, or which does not. */
export function healthRoutes(
  server: FastifyInstance,
  { parts }: { readonly parts: (log: FastifyBaseLogger) => Promise<Parts> },
): void {
  const options = { config: { access: 'public', quiet: true } } as const
  server.get('/healthz', options, () => ({ status: 'ok' }))
  server.get('/readyz', options, async (request, reply) => {
    const known = await parts(request.log)
    const missing = Object.values(known).find(part => part.status === 'not ready')
    if (!missing) return { status: 'ready', parts: known }
    const errorMessage = `${missing.reason} Request id: ${request.id}.`
    return reply
      .code(503)
      .header('retry-after', String(RETRY_AFTER_S))
      .send({ errorMessage, status: 'not ready', parts: known })
  })
}

/** The state of a part that can be asked. What is wrong is logged, and told as far as everybody may know it. */
export async function partState(
  name: string,
  ask: () => Promise<unknown>,
  log: Pick<FastifyBaseLogger, 'warn'>,
): Promise<PartState> {
  try {
    await ask()
    return { status: 'ready' }
  } catch (error) {
    log.warn({ err: error, part: name }, `not ready: ${codeOrTextOf(error)}`)
    return { status: 'not ready', reason: clientErrorOf(error)?.message ?? `The ${name} can not be used.` }
  }
}
