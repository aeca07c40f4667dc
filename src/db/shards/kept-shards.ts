import type { Connection } from '../database.ts'
import { LEASE_LOCK_KIND } from '../locks.ts'
import { type Statement, sql } from '../sql.ts'
import type { LockedDevices, LockedShards } from './locked-devices.ts'
import { SHARD_COUNT } from './shards.ts'

/** From now on somebody else remembers what waits in these shards, where nothing waits at the moment. */
export async function writeLeaseOwner(
  { transaction }: LockedShards,
  shards: readonly number[],
  leaseOwner: number | undefined,
): Promise<void> {
  await transaction.rows(sql`
    update shards set lease_owner = ${leaseOwner ?? null}::bigint, backlog_since = null where shard = any(${shards}::smallint[])`)
}

/** A number that no process has: what waits under it is orphaned. */
const NOBODY = 0

/** What any process remembers of the devices of these shards is no longer valid: whoever holds them next reads it again. */
export async function endLeases({ transaction }: LockedDevices, shards: readonly number[]): Promise<void> {
  await transaction.rows(sql`
    update shards set lease_owner = case when backlog_since is not null then ${NOBODY}::bigint end
    where shard = any(${shards}::smallint[]) and lease_owner is not null`)
}

/** In these shards samples wait that were stored with this revision or later; undefined when none does any more. */
export async function writeBacklogSince(
  { transaction }: LockedShards,
  shards: readonly number[],
  stored: string | undefined,
): Promise<void> {
  if (shards.length === 0) return
  await transaction.rows(
    sql`update shards set backlog_since = ${stored ?? null}::timestamptz where shard = any(${shards}::smallint[])`,
    { prepareAs: 'write-backlog-since' },
  )
}

/**
 * Whether a device is in no shard of which another process remembers what waits: that one sees to its devices, and taking
 * the shard away would only make both slower.
 * @param deviceId a column
 * @param leaseOwner this process; undefined when it remembers nothing
 */
export function isNobodyElses(deviceId: Statement, leaseOwner: number | undefined): Statement {
  return sql`not exists (
    select from shards where shard = ${deviceId} % ${SHARD_COUNT} and backlog_since is not null and lease_owner is distinct from ${leaseOwner ?? null}::bigint)`
}

/** Whether samples wait that another process remembers, or nobody any more. @param leaseOwner this process */
export function othersShardsWait(leaseOwner: number): Statement {
  return sql`exists (select from shards where backlog_since is not null and lease_owner is distinct from ${leaseOwner}::bigint)`
}

/** Shards in which samples wait that nobody remembers any more: their lease owner does not run. */
export async function readOrphanedShards(connection: Connection): Promise<number[]> {
  const rows = await connection.rows<{ shard: number }>(
    sql`
      with waiting as materialized (select lease_owner from shards where backlog_since is not null group by lease_owner),
      -- Taken for the length of this statement, where whoever runs under that number does not hold it.
      gone as materialized (
        select lease_owner from waiting where pg_try_advisory_xact_lock(${LEASE_LOCK_KIND}::integer, lease_owner::integer))
      select shard from shards join gone using (lease_owner) where backlog_since is not null order by shard`,
    { prepareAs: 'orphaned-shards' },
  )
  return rows.map(row => row.shard)
}
