import { dropVolumesBefore } from '../db/account-quotas.ts'
import type { Connection } from '../db/database.ts'
import { LOCK_KIND, LOCKS } from '../db/locks.ts'
import { requireDecided } from '../db/low-watermark.ts'
import { rowsOf, sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { instantMs, instantOfMs } from '../db/values.ts'
import type { Client } from './sample-tables.ts'

/**
 * From when on all samples are kept, in milliseconds: minus infinity while none was ever dropped. No more are dropped
 * until the end of the transaction. What was derived from older samples must stay as it is, because they can not be read
 * again; samples from before that time change nothing that depends on order.
 */
export async function holdKeptSince(transaction: Transaction): Promise<number> {
  await transaction.rows(sql`select pg_advisory_xact_lock_shared(${LOCK_KIND}, ${LOCKS.keptSince})`)
  await requireDecided(transaction)
  return readKeptSince(transaction)
}

/** The same without the lock: callers that rely on it must check again with `holdKeptSince`. */
export async function readKeptSince(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ kept_since: string }>(sql`select kept_since from retention`)
  return row ? instantMs(row.kept_since) : Number.NEGATIVE_INFINITY
}

/** Announces that samples before an instant are about to be dropped. Waits for transactions that rely on them. */
export async function moveKeptSince(client: Client, beforeMs: number): Promise<void> {
  const before = instantOfMs(beforeMs)
  await client.query('begin')
  await rowsOf(client, sql`select pg_advisory_xact_lock(${LOCK_KIND}, ${LOCKS.keptSince})`)
  await rowsOf(
    client,
    sql`
      insert into retention as r (kept_since) values (${before})
      on conflict (only_row) do update set kept_since = greatest(r.kept_since, excluded.kept_since)`,
  )
  await rowsOf(client, sql`delete from fold_checkpoints where before_time < ${before}`)
  await dropVolumesBefore({ rows: statement => rowsOf(client, statement) }, beforeMs)
  await client.query('commit')
}
