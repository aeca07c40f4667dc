import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'

export const RESTORED_HEADER = 'Tacho-Restored'

/**
 * Tells a client that goes on from an earlier revision that the database was restored from a backup since: then everything
 * is sent again, and what it holds with an older revision than this no longer exists (ADR 0031).
 * @param since the revision that the client goes on from
 */
export function restoreTeller(database: Database): (reply: FastifyReply, since: string | undefined) => Promise<void> {
  // It can not change while the service runs.
  let restored: Promise<string | undefined> | undefined
  const read = async () => {
    const [row] = await database.rows<{ restored: string | null }>(sql`select max(restored) as restored from restores`)
    return row?.restored ?? undefined
  }
  return async (reply, since) => {
    if (since === undefined) return
    restored ??= read()
    const revision = await restored.catch(() => {
      restored = undefined
    })
    if (revision !== undefined && since < revision) void reply.header(RESTORED_HEADER.toLowerCase(), revision)
  }
}

/** The same for every list of a scope that is asked with `filterTimestamp`. */
export function tellOfRestores(scope: FastifyInstance, database: Database): void {
  const tell = restoreTeller(database)
  scope.addHook('onSend', async ({ query }, reply) => {
    const isObject = typeof query === 'object' && query !== null
    if (isObject && 'filterTimestamp' in query && typeof query.filterTimestamp === 'string')
      await tell(reply, query.filterTimestamp)
  })
}
