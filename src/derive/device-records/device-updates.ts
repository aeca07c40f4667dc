import { updateOf, upsertOf } from '../../db/bulk-rows.ts'
import { revisionUs, timestampOfUs } from '../../db/revisions.ts'
import type { LockedDevices } from '../../db/shards/locked-devices.ts'
import { listOf, type Statement, sql, textList } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import { DERIVATION_VERSION } from '../derivation-version.ts'
import type { LatestValues } from '../latest-values/derive/latest-values.ts'
import type { Meters } from '../trips/derive/trip.ts'
import { latestColumns } from './device-records.ts'

/** What the samples of a batch change in the record of one device. */
export interface DeviceUpdate {
  readonly deviceId: DeviceId
  /** The extent of its samples after the batch. */
  readonly extent: { readonly firstMs: number; readonly lastMs: number }
  /** From the oldest to the newest instant that changed out of order; undefined when everything came in order. */
  readonly outOfOrder: { readonly fromMs: number; readonly toMs: number } | undefined
  /** The new state of the fold; undefined when it is unchanged. */
  readonly fold: FoldUpdate | undefined
  /** The latest values that changed, by vehicle. */
  readonly latest: readonly { readonly vehicleId: number; readonly values: LatestValues }[]
  /** Set when the status that clients see changes. */
  readonly status: { readonly isPluggedIn: boolean | null } | undefined
}

/** The state of a device's fold, with the row of the drive that it is in. */
export interface FoldUpdate {
  /** As `serialiseState` writes it. */
  readonly state: string
  readonly trip: { readonly id: number; readonly startMs: number; readonly open: OpenTrip | undefined } | undefined
  /** The VIN readings changed. */
  readonly assignmentsDue: boolean
}

/** What changes of an open trip with every sample; see the columns of `device_states`. */
export interface OpenTrip {
  readonly endMs: number
  readonly silentFromMs: number
  readonly distanceM: number
  readonly durationS: number
  readonly meters: Meters
  /** undefined when the row has all of it. */
  readonly route: { readonly kept: number; readonly text: string } | undefined
}

/** A row of `devices`. */
type StatusRow = {
  readonly id: DeviceId
  readonly is_online: true
  readonly is_plugged_in: boolean | null
  readonly modified: string
}

/** How many revisions `writeDeviceUpdates` needs at most: one for each object that a client sees change. */
export function revisionsNeeded(updates: readonly DeviceUpdate[]): number {
  return updates.reduce((sum, { latest, status }) => sum + latest.length + (status ? 1 : 0) + 1, 0)
}

/** Writes the changed records; every changed vehicle and device gets a revision of its own, from `firstRevision` on. */
export async function writeDeviceUpdates(
  locked: LockedDevices,
  updates: readonly DeviceUpdate[],
  firstRevision: string,
): Promise<void> {
  const transaction = locked.transactionFor(updates)
  let nextUs = revisionUs(firstRevision)
  const nextRevision = () => timestampOfUs(nextUs++)
  const latest: LatestUpdate[] = []
  for (const { deviceId, latest: changed } of updates)
    for (const { vehicleId, values } of changed)
      latest.push({ deviceId, vehicleId, ...latestColumns(values), modified: nextRevision() })
  const statuses: StatusRow[] = []
  for (const { deviceId, status } of updates)
    if (status)
      statuses.push({ id: deviceId, is_online: true, is_plugged_in: status.isPluggedIn, modified: nextRevision() })
  await writeStates(transaction, updates, nextRevision)
  if (latest.length > 0) await writeLatestValues(locked, latest)
  if (statuses.length > 0)
    await transaction.rows(updateOf('devices', ['id'], statuses), { prepareAs: 'write-device-statuses' })
}

function writeStates(
  transaction: Transaction,
  updates: readonly DeviceUpdate[],
  nextRevision: () => string,
): Promise<unknown> {
  return transaction.rows(
    sql`
      insert into device_states as s (device_id, first_time, last_time, last_received, dirty_from, dirty_to, dirty_since,
        fold, trip_id, trip_start, trip_end, trip_silent_from, trip_distance_m, trip_duration_s, trip_meters, trip_route_kept, trip_route,
        trip_modified, assignments_due, folded_by)
      select device_id, epoch_ms(first_ms), epoch_ms(last_ms), clock_timestamp(), epoch_ms(dirty_ms),
        epoch_ms(dirty_to_ms), case when dirty_ms is not null or due then clock_timestamp() end,
        fold, trip_id, epoch_ms(trip_start_ms), epoch_ms(trip_end_ms), epoch_ms(silent_from_ms), distance_m, duration_s, meters::jsonb, kept, route,
        trip_modified, due, ${DERIVATION_VERSION}::smallint
      from unnest(
        ${updates.map(update => update.deviceId)}::bigint[],
        ${updates.map(update => update.extent.firstMs)}::bigint[],
        ${updates.map(update => update.extent.lastMs)}::bigint[],
        ${updates.map(update => update.outOfOrder?.fromMs ?? null)}::bigint[],
        ${updates.map(update => update.outOfOrder?.toMs ?? null)}::bigint[],
        ${foldArrays(
          updates.map(update => update.fold),
          nextRevision,
        )}
      ) as u (device_id, first_ms, last_ms, dirty_ms, dirty_to_ms, fold, trip_id, trip_start_ms, trip_end_ms, silent_from_ms,
        distance_m, duration_s, meters, kept, route, trip_modified, due)
      on conflict (device_id) do update set
        first_time = excluded.first_time,
        last_time = excluded.last_time,
        last_received = excluded.last_received,
        dirty_from = least(s.dirty_from, excluded.dirty_from),
        dirty_to = greatest(s.dirty_to, excluded.dirty_to),
        dirty_since = coalesce(s.dirty_since, excluded.dirty_since),
        assignments_due = s.assignments_due or excluded.assignments_due,
        fold = coalesce(excluded.fold, s.fold),
        -- A node of the former release may fold on what the next one has folded again: then that is due once more.
        folded_by = case when excluded.fold is null then s.folded_by else least(s.folded_by, excluded.folded_by) end,
        ${listOf(TRIP_COLUMNS.map(column => sql`${column} = case when excluded.fold is null then s.${column} else excluded.${column} end`))}`,
    { prepareAs: 'write-device-states' },
  )
}

/**
 * Folds as arrays for `unnest`: fold, trip_id, trip_start_ms, trip_end_ms, silent_from_ms, distance_m, duration_s, meters, kept, route,
 * trip_modified, due. Each open trip takes a revision.
 */
export function foldArrays(folds: readonly (FoldUpdate | undefined)[], nextRevision: () => string): Statement {
  const trips = folds.map(fold => fold?.trip)
  const opens = trips.map(trip => trip?.open)
  return sql`
    ${textList(folds.map(fold => fold?.state ?? null))},
    ${trips.map(trip => trip?.id ?? null)}::bigint[],
    ${trips.map(trip => trip?.startMs ?? null)}::bigint[],
    ${opens.map(open => open?.endMs ?? null)}::bigint[],
    ${opens.map(open => open?.silentFromMs ?? null)}::bigint[],
    ${opens.map(open => open?.distanceM ?? null)}::integer[],
    ${opens.map(open => open?.durationS ?? null)}::integer[],
    ${textList(opens.map(open => (open ? JSON.stringify(open.meters) : null)))},
    ${opens.map(open => open?.route?.kept ?? null)}::integer[],
    ${textList(opens.map(open => open?.route?.text ?? null))},
    ${opens.map(open => (open ? nextRevision() : null))}::timestamptz[],
    ${folds.map(fold => fold?.assignmentsDue ?? false)}::boolean[]`
}

const TRIP_COLUMNS = [
  sql`trip_id`,
  sql`trip_start`,
  sql`trip_end`,
  sql`trip_silent_from`,
  sql`trip_distance_m`,
  sql`trip_duration_s`,
  sql`trip_meters`,
  sql`trip_route_kept`,
  sql`trip_route`,
  sql`trip_modified`,
]

interface LatestUpdate extends ReturnType<typeof latestColumns> {
  readonly deviceId: DeviceId
  readonly vehicleId: number
  readonly modified: string
}

/** Makes or replaces rows of `latest_values`. */
export function writeLatestValues(locked: LockedDevices, latest: readonly LatestUpdate[]): Promise<unknown> {
  const transaction = locked.transactionFor(latest)
  const rows = latest.map(({ deviceId, vehicleId, types, times, numbers, texts, modified }) => ({
    device_id: deviceId,
    vehicle_id: vehicleId,
    types,
    times,
    numbers,
    texts,
    modified,
  }))
  return transaction.rows(upsertOf('latest_values', ['device_id', 'vehicle_id'], rows), {
    prepareAs: 'write-latest-values',
  })
}
