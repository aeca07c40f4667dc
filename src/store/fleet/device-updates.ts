import type { LatestValues } from '../../derive/latest-values.ts'
import type { DeviceId } from '../../intake/sample.ts'
import { sql } from '../sql.ts'
import { stampAfter } from '../stamps.ts'
import type { Transaction } from '../transaction.ts'
import { latestColumns } from './device-records.ts'

/** What the samples of a batch change in the record of one device. */
export interface DeviceUpdate {
  readonly deviceId: DeviceId
  /** The extent of its samples after the batch. */
  readonly extent: { readonly firstMs: number; readonly lastMs: number }
  /** The oldest instant changed behind the newest known one; undefined when all came in order. */
  readonly dirtyFromMs: number | undefined
  /** The latest values that changed, by vehicle. */
  readonly latest: readonly { readonly vehicleId: number; readonly values: LatestValues }[]
  /** Set when the status that clients see changes. */
  readonly status: { readonly isPluggedIn: boolean | null } | undefined
}

/** How many stamps `writeDeviceUpdates` needs: one for each object that a client sees change. */
export function stampsNeeded(updates: readonly DeviceUpdate[]): number {
  return updates.reduce((sum, { latest, status }) => sum + latest.length + (status ? 1 : 0), 0)
}

/** Writes the changed records; every changed vehicle and device gets a stamp of its own, from `firstStamp` on. */
export async function writeDeviceUpdates(
  transaction: Transaction,
  updates: readonly DeviceUpdate[],
  firstStamp: string,
): Promise<void> {
  let offset = 0
  const nextStamp = () => stampAfter(firstStamp, offset++)
  const latest = updates.flatMap(({ deviceId, latest: changed }) =>
    changed.map(({ vehicleId, values }) => ({
      deviceId,
      vehicleId,
      ...latestColumns(deviceId, values),
      modified: nextStamp(),
    })),
  )
  const statuses = updates.flatMap(({ deviceId, status }) =>
    status ? [{ deviceId, isPluggedIn: status.isPluggedIn, modified: nextStamp() }] : [],
  )
  await writeStates(transaction, updates)
  if (latest.length > 0) await writeLatestValues(transaction, latest)
  if (statuses.length > 0) await writeStatuses(transaction, statuses)
}

function writeStates(transaction: Transaction, updates: readonly DeviceUpdate[]): Promise<unknown> {
  return transaction.rows(
    sql`
      insert into device_states as s (device_id, first_time, last_time, last_received, dirty_from)
      select device_id, epoch_ms(first_ms), epoch_ms(last_ms), clock_timestamp(), epoch_ms(dirty_ms)
      from unnest(
        ${updates.map(update => update.deviceId)}::bigint[],
        ${updates.map(update => update.extent.firstMs)}::bigint[],
        ${updates.map(update => update.extent.lastMs)}::bigint[],
        ${updates.map(update => update.dirtyFromMs ?? null)}::bigint[]
      ) as u (device_id, first_ms, last_ms, dirty_ms)
      on conflict (device_id) do update set
        first_time = excluded.first_time,
        last_time = excluded.last_time,
        last_received = excluded.last_received,
        dirty_from = least(s.dirty_from, excluded.dirty_from)`,
    { prepareAs: 'write-device-states' },
  )
}

interface LatestUpdate extends ReturnType<typeof latestColumns> {
  readonly deviceId: DeviceId
  readonly vehicleId: number
  readonly modified: string
}

function writeLatestValues(transaction: Transaction, latest: readonly LatestUpdate[]): Promise<unknown> {
  return transaction.rows(
    sql`
      insert into latest_values (device_id, vehicle_id, types, times, numbers, texts, modified)
      select device_id, vehicle_id, types::smallint[], times::bigint[], numbers::float8[], texts::text[], modified
      from unnest(
        ${latest.map(row => row.deviceId)}::bigint[],
        ${latest.map(row => row.vehicleId)}::bigint[],
        ${latest.map(row => row.types)}::text[],
        ${latest.map(row => row.times)}::text[],
        ${latest.map(row => row.numbers)}::text[],
        ${latest.map(row => row.texts)}::text[],
        ${latest.map(row => row.modified)}::timestamptz[]
      ) as u (device_id, vehicle_id, types, times, numbers, texts, modified)
      on conflict (device_id, vehicle_id) do update set
        types = excluded.types,
        times = excluded.times,
        numbers = excluded.numbers,
        texts = excluded.texts,
        modified = excluded.modified`,
    { prepareAs: 'write-latest-values' },
  )
}

interface StatusUpdate {
  readonly deviceId: DeviceId
  readonly isPluggedIn: boolean | null
  readonly modified: string
}

function writeStatuses(transaction: Transaction, statuses: readonly StatusUpdate[]): Promise<unknown> {
  return transaction.rows(
    sql`
      update devices d set is_online = true, is_plugged_in = u.is_plugged_in, modified = u.modified
      from unnest(
        ${statuses.map(row => row.deviceId)}::bigint[],
        ${statuses.map(row => row.isPluggedIn)}::boolean[],
        ${statuses.map(row => row.modified)}::timestamptz[]
      ) as u (id, is_plugged_in, modified)
      where d.id = u.id`,
    { prepareAs: 'write-device-statuses' },
  )
}
