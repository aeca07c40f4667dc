import { unnestOf } from '../../db/bulk-rows.ts'
import type { Connection } from '../../db/database.ts'
import type { LockedDevice } from '../../db/shards/locked-devices.ts'
import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { instantMs, instantOfMs } from '../../db/values.ts'
import type { DeviceId } from '../../model/sample.ts'
import { DERIVATION_VERSION } from '../derivation-version.ts'

/** How many devices were folded by older rules than those of this program. */
export async function countOutdated(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ outdated: number }>(
    sql`select count(*) as outdated from device_states where folded_by < ${DERIVATION_VERSION}`,
    { prepareAs: 'count-outdated' },
  )
  return row?.outdated ?? 0
}

/** How many devices have a history at all. */
export async function countHistories(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ devices: number }>(sql`select count(*) as devices from device_states`)
  return row?.devices ?? 0
}

/**
 * A device whose history is to be folded again, by its id; undefined when there is none besides `except`. What was never
 * folded at all waits as out-of-order samples do, which derives more than trips.
 */
export async function readOutdatedDevice(
  connection: Connection,
  except: readonly DeviceId[],
): Promise<DeviceId | undefined> {
  const [row] = await connection.rows<{ device_id: DeviceId }>(sql`
    select device_id from device_states
    where folded_by < ${DERIVATION_VERSION} and fold is not null and device_id <> all(${except}::bigint[])
    order by device_id limit 1`)
  return row?.device_id
}

/** A device that is in the middle of it: everything before `foldedTo` follows from the rules of this program. */
interface DeviceUnderWay {
  readonly deviceId: DeviceId
  readonly foldedTo: string
}

/** The devices that are in the middle of it, by their ids; those that have only begun are left out. */
export async function readDevicesUnderWay(connection: Connection): Promise<DeviceUnderWay[]> {
  const rows = await connection.rows<{ device_id: DeviceId; folded_to: string }>(sql`
    select device_id, folded_to from refolds join device_states using (device_id)
    where version = ${DERIVATION_VERSION} and folded_by < ${DERIVATION_VERSION} and folded_to > '-infinity'
    order by device_id`)
  return rows.map(row => ({ deviceId: row.device_id, foldedTo: row.folded_to }))
}

/** The history of a device is to be folded again: from where another process left it, or from the beginning. */
export async function enterRefold(transaction: Transaction, deviceId: DeviceId): Promise<void> {
  await transaction.rows(sql`
    insert into refolds as r (device_id, version) values (${deviceId}, ${DERIVATION_VERSION})
    on conflict (device_id) do update set version = excluded.version, folded_to = '-infinity', late_from = null,
      out_of_order_from = null, out_of_order_by = null
    where r.version <> excluded.version`)
}

/**
 * What follows from rules is different from an instant on: the devices are folded again from there, or from where they are to be
 * anyway. A stretch that is being folded does not know it.
 */
export async function enterRefoldsFrom(
  transaction: Transaction,
  devices: readonly { readonly deviceId: DeviceId; readonly fromMs: number }[],
): Promise<void> {
  if (devices.length === 0) return
  const rows = devices
    .map(({ deviceId, fromMs }) => ({ device_id: deviceId, from_time: fromMs }))
    .sort((a, b) => a.device_id - b.device_id)
  await transaction.rows(sql`
    insert into refolds as r (device_id, version, folded_to)
    select s.device_id, ${DERIVATION_VERSION},
      case when s.folded_by < ${DERIVATION_VERSION} then '-infinity' else u.from_time end
    from ${unnestOf({ device_id: 'bigint', from_time: 'timestamptz' }, rows)} join device_states s using (device_id)
    order by s.device_id
    on conflict (device_id) do update set version = excluded.version,
      folded_to = case when r.version = excluded.version then least(r.folded_to, excluded.folded_to) else '-infinity' end,
      out_of_order_from = case when r.version = excluded.version then least(r.out_of_order_from, excluded.folded_to) end`)
}

/** From when on a device is to be folded again because of its rules; undefined if it is not. */
export async function readRefoldFrom(connection: Connection, deviceId: DeviceId): Promise<number | undefined> {
  const [row] = await connection.rows<{ folded_to: string }>(sql`
    select r.folded_to from refolds r where r.device_id = ${deviceId} and ${IS_BY_RULES}`)
  return row && instantMs(row.folded_to)
}

/**
 * Of a row of `refolds`: everything else was folded by the rules of this program already. A process of the former release may have
 * entered the device, and leaves it to this one.
 */
const IS_BY_RULES = sql`r.version <= ${DERIVATION_VERSION} and exists (
  select from device_states s
  where s.device_id = r.device_id and s.folded_by = ${DERIVATION_VERSION} and s.fold is not null)`

/**
 * Whether a device is to be folded again because of its rules. With `exists`, the planner looks up every device in the nearly always empty
 * `refolds`, instead of the few there among the devices, until these were analysed.
 */
export const REFOLDS_BY_RULES_WAIT = sql`exists (
  select from refolds r
  where r.version <= ${DERIVATION_VERSION} and (
    select s.folded_by = ${DERIVATION_VERSION} and s.fold is not null from device_states s where s.device_id = r.device_id))`

/** A device to be folded again because of its rules, of each account in turn; undefined when there is none besides `except`. */
export async function readDeviceWithChangedRules(
  connection: Connection,
  except: readonly DeviceId[],
): Promise<DeviceId | undefined> {
  const [row] = await connection.rows<{ device_id: DeviceId }>(
    sql`
      select r.device_id from refolds r
        left join assignments a on a.device_id = r.device_id and a.to_time = 'infinity'
      where ${IS_BY_RULES} and r.device_id <> all(${except}::bigint[])
      order by row_number() over (partition by a.account_id order by r.device_id), a.account_id limit 1`,
    // Asked twice a second, of a table that is nearly always empty: to plan it costs thirty times as much as to run it.
    { prepareAs: 'changed-rules-device' },
  )
  return row?.device_id
}

/** How many devices of an account are to be folded again. */
export async function countRefoldsOf(connection: Connection, accountId: number): Promise<number> {
  const [row] = await connection.rows<{ devices: number }>(sql`
    select count(distinct r.device_id) as devices
    from refolds r join assignments a using (device_id) where a.account_id = ${accountId}`)
  return row?.devices ?? 0
}

/**
 * Of a row of `refolds`: a process of a former release folded out-of-order samples, and with them anything that had been folded again
 * already. Before `out_of_order_by` there was, `late_from` told of it.
 */
const FORMER_FOLDED = sql`(late_from is not null or out_of_order_by < ${DERIVATION_VERSION})`

/**
 * The next stretch of a device is about to be read: from now on it counts what out-of-order samples are folded beside it. Those that a
 * process of a former release folded since the last one was begun make it begin with the first one again.
 * @returns where the stretch begins; undefined when there is nothing to be folded again any more
 */
export async function beginStretch(transaction: Transaction, deviceId: DeviceId): Promise<number | undefined> {
  const [row] = await transaction.rows<{ folded_to: string }>(sql`
    update refolds set version = ${DERIVATION_VERSION},
      folded_to = case when ${FORMER_FOLDED} then '-infinity' else folded_to end,
      late_from = null, out_of_order_from = null, out_of_order_by = null
    where device_id = ${deviceId} and version <= ${DERIVATION_VERSION} returning folded_to`)
  return row && instantMs(row.folded_to)
}

/**
 * Whether nothing has changed what a stretch tells since it was begun.
 * @param beforeMs where it ends
 */
export async function isStretchUntouched(
  { transaction, deviceId }: LockedDevice,
  { fromMs, beforeMs }: { readonly fromMs: number; readonly beforeMs: number },
): Promise<boolean> {
  const rows = await transaction.rows(sql`
    select from refolds
    where device_id = ${deviceId} and version = ${DERIVATION_VERSION} and folded_to = ${instantOfMs(fromMs)}
      and (out_of_order_from is null or out_of_order_from >= ${instantOfMs(beforeMs)}) and ${FORMER_FOLDED} is not true`)
  return rows.length > 0
}

/** Out-of-order samples of a device, the oldest at this instant, were folded: a stretch that goes beyond it does not know them. */
export async function noteOutOfOrderFold({ transaction, deviceId }: LockedDevice, fromMs: number): Promise<void> {
  await transaction.rows(sql`
    update refolds set out_of_order_from = least(out_of_order_from, ${instantOfMs(fromMs)}::timestamptz),
      out_of_order_by = least(out_of_order_by, ${DERIVATION_VERSION})
    where device_id = ${deviceId}`)
}

/** Everything before an instant now follows from the rules of this program. */
export async function writeFoldedTo({ transaction, deviceId }: LockedDevice, beforeMs: number): Promise<void> {
  await transaction.rows(sql`
    update refolds set folded_to = ${instantOfMs(beforeMs)} where device_id = ${deviceId}`)
}

/** The whole history of a device follows from the rules of this program. */
export async function writeFoldedByNow({ transaction, deviceId }: LockedDevice): Promise<void> {
  await transaction.rows(sql`
    update device_states set folded_by = ${DERIVATION_VERSION}
    where device_id = ${deviceId} and folded_by < ${DERIVATION_VERSION}`)
  await transaction.rows(sql`delete from refolds where device_id = ${deviceId}`)
}
