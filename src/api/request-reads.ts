import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccountReads } from '../db/account-reads.ts'
import type { Database } from '../db/database.ts'
import { callerOf } from '../server/http/access.ts'
import { goneSignal } from '../server/http/reply.ts'

/** The reads of a request: in the turn of its account, and only while the client waits for the reply. */
export function requestReads(database: Database, request: FastifyRequest, reply: FastifyReply): AccountReads {
  return database.readsOf(callerOf(request).accountId, { signal: goneSignal(reply) })
}

/** The same for long reads of the past, which a replica can do. Not for what clients sync. */
export function historyReads(database: Database, request: FastifyRequest, reply: FastifyReply): AccountReads {
  return database.historyOf(callerOf(request).accountId, { signal: goneSignal(reply) })
}
