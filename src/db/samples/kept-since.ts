import { dropVolumesBefore } from '../account-quotas.ts'
import { LOCK_KIND, LOCKS } from '../advisory-locks.ts'
import type { Connection } from '../database.ts'
import { rowsOf } from '../rows.ts'
import { sql } from '../sql.ts'
import type { Transaction } from '../transaction.ts'
import { instantMs, instantOfMs } from '../values.ts'
import type { Client } from './sample-tables.ts'

/**
 * Since when all samples are kept, in milliseconds: minus infinity while none was ever dropped. No more are dropped
 * until the end of the transaction. What followed from older ones must stay as it is, because they can not be asked
 * again; samples that arrive from before then change nothing that depends on their order.
 */
export async function holdKeptSince(transaction: Transaction): Promise<number> {
  await transaction.rows(sql`select pg_advisory_xact_lock_shared(${LOCK_KIND}, ${LOCKS.keptSince})`)
  return readKeptSince(transaction)
}

/** The same for the moment: who relies on it must look again with `holdKeptSince`. */
export async function readKeptSince(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ kept_since: string }>(sql`select kept_since from retention`)
  return row ? instantMs(row.kept_since) : Number.NEGATIVE_INFINITY
}

/** Tells that samples before an instant are about to be dropped. Waits for everybody who relies on them. */
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
