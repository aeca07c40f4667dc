import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from '../http/access.ts'
import { goneSignal } from '../http/gone-signal.ts'
import type { AccountReads } from '../store/account-reads.ts'
import type { Database } from '../store/database.ts'

/** What a request reads with: in the turn of its account, and only while its client waits for the reply. */
export function requestReads(database: Database, request: FastifyRequest, reply: FastifyReply): AccountReads {
  return database.readsOf(callerOf(request).accountId, { signal: goneSignal(reply) })
}
