import { insertOf, revised, TABLES, unnestOf } from '../../db/bulk-rows.ts'
import { revisionAfter } from '../../db/revisions.ts'
import type { LockedDevice, LockedDevices } from '../../db/shards.ts'
import { type Connection, type Statement, sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { instantMs, instantOfMs } from '../../db/values.ts'
import type { DeviceId, Position } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { ensureAddresses } from '../addresses/addresses.ts'
import type { Checkpoint } from './fold.ts'
import type { Span } from './overlaps.ts'
import type { VinRun } from './state.ts'
import type { DerivedTrip } from './trip.ts'

interface TripWrite {
  readonly deviceId: DeviceId
  readonly accountId: number
  readonly vehicleId: number
  /** Its existing row; undefined to insert one. */
  readonly tripId: number | undefined
  readonly trip: DerivedTrip
  /** Still being driven, so its end has no address yet. */
  readonly isOpen: boolean
}

interface WrittenTrip {
  readonly id: number
  /** False if the row already had these values. */
  readonly isChanged: boolean
}

/** Inserts and updates rows of trips. @returns one result per write, in their order */
export async function writeTrips(locked: LockedDevices, writes: readonly TripWrite[]): Promise<WrittenTrip[]> {
  if (writes.length === 0) return []
  const transaction = locked.transactionFor(writes)
  const first = await transaction.takeRevisions(writes.length)
  const addresses = await addressesOf(transaction, writes)
  const rows = writes.map((write, index) => ({ ...write, ...addresses[index], modified: revisionAfter(first, index) }))
  const created = rows.filter(row => row.tripId === undefined)
  const ids = await insertRows(transaction, created)
  const idOfNew = new Map(created.map((row, index) => [row, ids[index]]))
  const changed = await updateRows(
    transaction,
    rows.flatMap(({ tripId, ...row }) => (tripId === undefined ? [] : [{ ...row, tripId }])),
  )
  return rows.map(row => {
    const id = row.tripId ?? idOfNew.get(row)
    if (id === undefined) throw new Error('a new trip got no row')
    return { id, isChanged: row.tripId === undefined || changed.has(id) }
  })
}

/** Marks trips as deleted that out-of-order data merged into others or removed (decisions.md, *deleted trips and DTCs*). */
export async function retractTrips(
  locked: LockedDevices,
  trips: readonly { readonly deviceId: DeviceId; readonly id: number }[],
): Promise<void> {
  if (trips.length === 0) return
  const transaction = locked.transactionFor(trips)
  const rows = await revised(
    transaction,
    trips.map(({ deviceId, id }) => ({ device_id: deviceId, id })),
  )
  await transaction.rows(sql`
    update trips t set deleted = coalesce(t.deleted, clock_timestamp()), superseded_by = null, is_open = false,
      distance_m = 0, duration_s = 0, fix_count = 0, meters = '{}', polyline = '', modified = u.modified
    from ${unnestOf({ device_id: 'bigint', id: 'bigint', modified: 'timestamptz' }, rows)}
    where t.device_id = u.device_id and t.id = u.id`)
}

interface Addresses {
  readonly startAddressId?: number | undefined
  readonly endAddressId?: number | undefined
}

type TripRow = TripWrite & Addresses & { readonly modified: string }

async function addressesOf(transaction: Transaction, writes: readonly TripWrite[]): Promise<Addresses[]> {
  const positions: Position[] = []
  const add = (position: Position | undefined) => (position ? positions.push(position) - 1 : undefined)
  const places = writes.map(({ trip, isOpen }) => ({
    start: add(trip.startPosition),
    end: add(isOpen ? undefined : trip.endPosition),
  }))
  const ids = positions.length === 0 ? [] : await ensureAddresses(transaction, positions)
  return places.map(({ start, end }) => ({
    startAddressId: start === undefined ? undefined : ids[start],
    endAddressId: end === undefined ? undefined : ids[end],
  }))
}

/** @returns the ids of the inserted rows, in their order. */
async function insertRows(transaction: Transaction, rows: readonly TripRow[]): Promise<(number | undefined)[]> {
  if (rows.length === 0) return []
  const inserted = await transaction.rows<{ id: number; device_id: DeviceId; start_time: string }>(
    insertOf('trips', rows.map(columnsOf), sql`returning id, device_id, start_time`),
    { prepareAs: 'insert-trips' },
  )
  const keyOf = (deviceId: DeviceId, startMs: number) => `${deviceId} ${startMs}`
  const idByKey = new Map(inserted.map(row => [keyOf(row.device_id, Date.parse(row.start_time)), row.id]))
  return rows.map(row => idByKey.get(keyOf(row.deviceId, row.trip.startMs)))
}

/** @returns the ids of the rows that changed. */
async function updateRows(
  transaction: Transaction,
  rows: readonly (TripRow & { readonly tripId: number })[],
): Promise<Set<number>> {
  if (rows.length === 0) return new Set()
  const values = rows.map(row => ({ ...columnsOf(row), id: row.tripId, kept: row.trip.route.kept }))
  const updated = await transaction.rows<{ id: number }>(
    sql`
      update trips t set
        vehicle_id = u.vehicle_id, start_time = u.start_time, end_time = u.end_time, is_open = u.is_open,
        distance_m = u.distance_m, duration_s = u.duration_s, start_address_id = u.start_address_id,
        end_address_id = u.end_address_id, meters = u.meters::jsonb, polyline = left(t.polyline, u.kept) || u.polyline,
        fix_count = u.fix_count, modified = u.modified
      from ${unnestOf({ ...TABLES.trips, kept: 'integer' }, values)}
      where t.device_id = u.device_id and t.id = u.id and (
        (t.vehicle_id, t.start_time, t.end_time, t.is_open, t.distance_m, t.duration_s, t.start_address_id,
          t.end_address_id, t.meters, t.polyline, t.fix_count)
        is distinct from
        (u.vehicle_id, u.start_time, u.end_time, u.is_open, u.distance_m, u.duration_s, u.start_address_id,
          u.end_address_id, u.meters::jsonb, left(t.polyline, u.kept) || u.polyline, u.fix_count))
      returning t.id`,
    { prepareAs: 'update-trips' },
  )
  return new Set(updated.map(row => row.id))
}

/** The row of a trip; `polyline` is the part of the line that the row does not have yet. */
function columnsOf({ deviceId, accountId, vehicleId, trip, isOpen, startAddressId, endAddressId, modified }: TripRow) {
  return {
    device_id: deviceId,
    account_id: accountId,
    vehicle_id: vehicleId,
    start_time: trip.startMs,
    end_time: trip.endMs,
    is_open: isOpen,
    distance_m: trip.distanceM,
    duration_s: trip.durationS,
    start_address_id: startAddressId ?? null,
    end_address_id: endAddressId ?? null,
    meters: JSON.stringify(trip.meters),
    polyline: trip.route.text,
    fix_count: trip.fixCount,
    modified,
  }
}

/** The part of a row that folding a range of time again needs. */
export interface StoredTrip {
  readonly id: number
  readonly accountId: number
  readonly vehicleId: number
  readonly startMs: number
  readonly endMs: number
  readonly isOpen: boolean
}

/** The trips of devices that begin in ranges of time (`toMs` exclusive), by start, including those that do not count. */
export async function readStoredTrips(
  connection: Connection,
  ranges: readonly (TimeRange & { readonly deviceId: DeviceId })[],
): Promise<ReadonlyMap<DeviceId, readonly StoredTrip[]>> {
  const trips = new Map<DeviceId, StoredTrip[]>()
  if (ranges.length === 0) return trips
  const rows = await connection.rows<StoredTripRow>(
    sql`
      select t.device_id, t.id, t.account_id, t.vehicle_id, t.start_time, ${MEASURED_END} as end_time, t.is_open
      from unnest(
        ${ranges.map(range => range.deviceId)}::bigint[],
        ${ranges.map(range => instantOfMs(range.fromMs))}::timestamptz[],
        ${ranges.map(range => instantOfMs(range.toMs))}::timestamptz[]) as u (device_id, from_time, to_time)
      join trips t on t.device_id = u.device_id and t.start_time >= u.from_time and t.start_time < u.to_time
      ${OPEN_STATE}
      where ${STANDS}
      order by t.start_time, t.id`,
    { prepareAs: 'stored-trips' },
  )
  for (const row of rows) {
    const ofDevice = trips.get(row.device_id) ?? []
    trips.set(row.device_id, ofDevice)
    ofDevice.push({
      id: row.id,
      accountId: row.account_id,
      vehicleId: row.vehicle_id,
      startMs: instantMs(row.start_time),
      endMs: instantMs(row.end_time),
      isOpen: row.is_open,
    })
  }
  return trips
}

interface StoredTripRow {
  readonly device_id: DeviceId
  readonly id: number
  readonly account_id: number
  readonly vehicle_id: number
  readonly start_time: string
  readonly end_time: string
  readonly is_open: boolean
}

interface Match<Derived extends Span, Stored extends Span> {
  /** Every derived trip, with the row that it continues. */
  readonly kept: readonly { readonly trip: Derived; readonly row: Stored | undefined }[]
  /** Rows without a trip. */
  readonly retracted: readonly Stored[]
}

/** Matches stored rows with refolded trips (decisions.md, *Trips*, identity): each trip, earliest first, takes the
 * earliest free row that overlaps it. Both lists by start, without overlaps. */
export function matchTrips<Derived extends Span, Stored extends Span>(
  trips: readonly Derived[],
  rows: readonly Stored[],
): Match<Derived, Stored> {
  const left = new Set(rows)
  const kept = trips.map(trip => {
    const row = rows.find(item => left.has(item) && item.startMs <= trip.endMs && trip.startMs <= item.endMs)
    if (row) left.delete(row)
    return { trip, row }
  })
  return { kept, retracted: [...left] }
}

/** The trip `t` is a drive of its dongle, even if another dongle's counts in its place.
 * Other rows only record deletions. */
export const STANDS = sql`(t.deleted is null or t.superseded_by is not null)`

/** The row of `device_states` with the newest data of the open trip `t`. */
export const OPEN_STATE = sql`left join device_states r on t.is_open and r.device_id = t.device_id and r.trip_id = t.id`

/** The end of the trip `t`, or its newest sample; needs `OPEN_STATE`. The API reads `trips_now` instead. */
export const MEASURED_END = sql`coalesce(r.trip_end, t.end_time)`

/** The whole route of the trip `t`; needs `OPEN_STATE`. */
export const MEASURED_ROUTE = sql`
  case when r.trip_route is null then t.polyline else left(t.polyline, r.trip_route_kept) || r.trip_route end`

/** Stores states from which folding can begin again; replaces an existing one for the same instant. */
export async function writeCheckpoints(
  locked: LockedDevices,
  checkpoints: readonly (Checkpoint & { readonly deviceId: DeviceId })[],
): Promise<void> {
  if (checkpoints.length === 0) return
  const transaction = locked.transactionFor(checkpoints)
  await transaction.rows(
    sql`
      insert into fold_checkpoints (device_id, before_time, state)
      select * from unnest(
        ${checkpoints.map(item => item.deviceId)}::bigint[],
        ${checkpoints.map(item => instantOfMs(item.beforeMs))}::timestamptz[],
        ${checkpoints.map(item => item.state)}::text[])
      on conflict (device_id, before_time) do update set state = excluded.state
      where fold_checkpoints.state <> excluded.state`,
    { prepareAs: 'write-checkpoints' },
  )
}

/** The checkpoint from which everything since an instant is folded again; undefined to begin at the first sample. */
export function readCheckpointBefore(
  connection: Connection,
  deviceId: DeviceId,
  timeMs: number,
): Promise<Checkpoint | undefined> {
  return readCheckpoint(connection, deviceId, sql`before_time <= ${instantOfMs(timeMs)} order by before_time desc`)
}

/** The first checkpoint at or after an instant. */
export function readFirstCheckpoint(
  connection: Connection,
  deviceId: DeviceId,
  timeMs: number,
): Promise<Checkpoint | undefined> {
  return readCheckpoint(connection, deviceId, sql`before_time >= ${instantOfMs(timeMs)} order by before_time`)
}

/** The first of some checkpoints. @param which a condition, and their order */
async function readCheckpoint(
  connection: Connection,
  deviceId: DeviceId,
  which: Statement,
): Promise<Checkpoint | undefined> {
  const [row] = await connection.rows<CheckpointRow>(
    sql`select before_time, state from fold_checkpoints where device_id = ${deviceId} and ${which} limit 1`,
  )
  return row && { beforeMs: instantMs(row.before_time), state: row.state }
}

/** The stored states at these instants: equal texts are equal states. */
export async function readCheckpointsAt(
  connection: Connection,
  deviceId: DeviceId,
  instantsMs: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (instantsMs.length === 0) return new Map()
  const rows = await connection.rows<CheckpointRow>(sql`
    select before_time, state from fold_checkpoints
    where device_id = ${deviceId} and before_time = any(${instantsMs.map(instantOfMs)}::timestamptz[])`)
  return new Map(rows.map(row => [instantMs(row.before_time), row.state]))
}

/** Makes the checkpoints between two instants, both exclusive, and at the end those that are given. */
export async function replaceCheckpoints(
  locked: LockedDevice,
  afterMs: number,
  beforeMs: number,
  checkpoints: readonly Checkpoint[],
): Promise<void> {
  const { transaction, deviceId } = locked
  await transaction.rows(sql`
    delete from fold_checkpoints where device_id = ${deviceId}
      and before_time > ${instantOfMs(afterMs)} and before_time < ${instantOfMs(beforeMs)}
      and before_time <> all(${checkpoints.map(item => instantOfMs(item.beforeMs))}::timestamptz[])`)
  await writeCheckpoints(
    locked,
    checkpoints.map(checkpoint => ({ deviceId, ...checkpoint })),
  )
}

interface CheckpointRow {
  readonly before_time: string
  readonly state: string
}

/** Stores VIN runs by their first readings. @returns the devices whose runs changed */
export async function writeVinRuns(
  locked: LockedDevices,
  runs: readonly (VinRun & { readonly deviceId: DeviceId })[],
): Promise<Set<DeviceId>> {
  if (runs.length === 0) return new Set()
  const transaction = locked.transactionFor(runs)
  const rows = runs.map(run => ({
    device_id: run.deviceId,
    first_time: run.firstMs,
    boundary: run.boundaryMs,
    vin: run.vin,
    is_confirmed: run.isConfirmed,
  }))
  const ifDifferent = sql`
    on conflict (device_id, first_time) do update set
      boundary = excluded.boundary, vin = excluded.vin, is_confirmed = excluded.is_confirmed
    where (vin_runs.boundary, vin_runs.vin, vin_runs.is_confirmed)
      is distinct from (excluded.boundary, excluded.vin, excluded.is_confirmed)
    returning device_id`
  const changed = await transaction.rows<{ device_id: DeviceId }>(insertOf('vin_runs', rows, ifDifferent), {
    prepareAs: 'write-vin-runs',
  })
  return new Set(changed.map(row => row.device_id))
}

/** The runs of a device whose first reading is in a range of time, `toMs` exclusive. */
export async function readVinRuns(
  transaction: Transaction,
  deviceId: DeviceId,
  fromMs: number,
  toMs: number,
): Promise<VinRun[]> {
  const rows = await transaction.rows<{ first_time: string; boundary: string; vin: string; is_confirmed: boolean }>(sql`
    select first_time, boundary, vin, is_confirmed from vin_runs
    where device_id = ${deviceId} and first_time >= ${instantOfMs(fromMs)} and first_time < ${instantOfMs(toMs)}
    order by first_time`)
  return rows.map(row => ({
    firstMs: instantMs(row.first_time),
    boundaryMs: instantMs(row.boundary),
    vin: row.vin,
    isConfirmed: row.is_confirmed,
  }))
}

/** Deletes runs of a device. @param firstMs their first readings */
export async function deleteVinRuns(
  { transaction, deviceId }: LockedDevice,
  firstMs: readonly number[],
): Promise<void> {
  if (firstMs.length === 0) return
  await transaction.rows(sql`
    delete from vin_runs
    where device_id = ${deviceId} and first_time = any(${firstMs.map(instantOfMs)}::timestamptz[])`)
}
