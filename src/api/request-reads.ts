import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccountReads } from '../db/account-reads.ts'
import type { Database } from '../db/database.ts'
import { callerOf, tokenOf } from '../server/http/access.ts'
import { goneSignal } from '../server/http/reply.ts'
import type { ApiContext } from './context.ts'

/** The reads of a request: in the turn of its account, and only while the client waits for the reply. */
export function requestReads(database: Database, request: FastifyRequest, reply: FastifyReply): AccountReads {
  return database.readsOf(callerOf(request).accountId, { signal: goneSignal(reply) })
}

/** The same for long reads of the past, which a replica can do. Not for what clients sync. */
export function historyReads(database: Database, request: FastifyRequest, reply: FastifyReply): AccountReads {
  return database.historyOf(callerOf(request).accountId, { signal: goneSignal(reply) })
}

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
