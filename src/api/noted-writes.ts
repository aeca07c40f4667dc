import type { FastifyInstance } from 'fastify'
import { tokenOf } from '../server/http/access.ts'
import type { ApiContext } from './context.ts'

/** Methods that change nothing. */
const READING = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Where trackers send, one of them with GET. */
const INGEST = '/ingest/'

/**
 * Keeps an account from reading from a replica what it has just written: notes each of its requests that may have changed
 * something, after the change and before the reply.
 */
export function noteWrites(
  server: FastifyInstance,
  { callers, database }: Pick<ApiContext, 'callers' | 'database'>,
): void {
  const { replica } = database
  if (!replica) return
  server.addHook('onSend', async request => {
    if (READING.has(request.method) && !request.url.startsWith(INGEST)) return
    // What is passed on to the intake is checked there.
    const token = request.caller ? undefined : tokenOf(request)
    const caller = request.caller ?? (token === undefined ? undefined : await callers.find(token))
    if (caller) replica.wrote(caller.accountId)
  })
}
