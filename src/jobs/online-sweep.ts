import { revised, updateOf } from '../db/bulk-rows.ts'
import type { Database } from '../db/database.ts'
import { LOCK_KIND, LOCKS } from '../db/locks.ts'
import { type LockedDevices, lockDevices, shardOf } from '../db/shards.ts'
import { sql } from '../db/sql.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import type { DeviceId } from '../model/sample.ts'

/** Devices of one transaction: few enough that senders hardly wait. */
const MOST_AT_ONCE = 1000

interface SweepOptions {
  readonly windowS: number
  readonly intervalS: number
}

/** decisions.md, `isOnline`; on one node at a time. After a pause longer than `intervalS`, an outage, it waits a whole
 * window first. @returns how many devices turned offline */
export async function sweepOffline(database: Database, { windowS, intervalS }: SweepOptions): Promise<number> {
  const candidates = await writeTransaction(database, async transaction => {
    const [lock] = await transaction.rows<{ mine: boolean }>(
      sql`select pg_try_advisory_xact_lock(${LOCK_KIND}, ${LOCKS.onlineSweep}) as mine`,
      { prepareAs: 'online-sweep-lock' },
    )
    if (!lock?.mine || !(await isSteady(transaction, windowS, intervalS))) return []
    return silentDevices(transaction, windowS)
  })
  // Shard by shard, so that each transaction delays few senders.
  candidates.sort((a, b) => shardOf(a) - shardOf(b) || a - b)
  let turned = 0
  for (let start = 0; start < candidates.length; start += MOST_AT_ONCE) {
    const some = candidates.slice(start, start + MOST_AT_ONCE)
    turned += await writeTransaction(database, async transaction => {
      // With the shards locked, what arrives meanwhile is either seen now or turns the device online again.
      return turnOffline(await lockDevices(transaction, some), windowS)
    })
  }
  return turned
}

async function turnOffline({ transaction, deviceIds }: LockedDevices, windowS: number): Promise<number> {
  const silent = await silentDevices(transaction, windowS, deviceIds)
  if (silent.length === 0) return 0
  const rows = silent.map(id => ({ id, is_online: false }))
  await transaction.rows(updateOf('devices', ['id'], await revised(transaction, rows)))
  return silent.length
}

async function isSteady(transaction: Transaction, windowS: number, intervalS: number): Promise<boolean> {
  const [row] = await transaction.rows<{ steady: boolean }>(
    sql`
    insert into sweeps as s (name, last_run, steady_since) values ('online', clock_timestamp(), clock_timestamp())
    on conflict (name) do update set
      steady_since = case
        when s.last_run not between clock_timestamp() - 3 * ${intervalS} * interval '1 second'
          and clock_timestamp() + 3 * ${intervalS} * interval '1 second' then clock_timestamp()
        else s.steady_since end,
      last_run = clock_timestamp()
    returning clock_timestamp() - steady_since >= ${windowS} * interval '1 second' as steady`,
    { prepareAs: 'online-sweep' },
  )
  return row?.steady ?? false
}

async function silentDevices(
  transaction: Transaction,
  windowS: number,
  among?: readonly DeviceId[],
): Promise<DeviceId[]> {
  const rows = await transaction.rows<{ id: DeviceId }>(
    sql`
    select d.id from devices d join device_states s on s.device_id = d.id
    where d.is_online and s.last_received not between clock_timestamp() - ${windowS} * interval '1 second'
        and clock_timestamp() + ${windowS} * interval '1 second'
      -- Something arrived of which nothing is derived yet.
      and not exists (select from due q where q.device_id = d.id and q.received is not null)
      and ${among ? sql`d.id = any(${among}::bigint[])` : sql`true`}`,
    { prepareAs: among ? 'silent-among' : 'silent-devices' },
  )
  return rows.map(row => row.id)
}
