import { requiredEventType } from '../../catalogue/event-types.ts'
import { revised, updateOf } from '../../db/bulk-rows.ts'
import { type LockedVehicles, lockSharedVehicles, lockVehicles } from '../../db/shards.ts'
import { type Statement, sql } from '../../db/sql.ts'
import type { LastWork, Transaction } from '../../db/transaction.ts'
import { instantMs, instantOfMs } from '../../db/values.ts'
import { grouped } from '../../model/grouped.ts'
import type { DeviceId } from '../../model/sample.ts'
import { rebuildDaysOf, refreshDays, type TouchedDay } from '../days/vehicle-days.ts'
import { assignmentAt, type DeviceRecord } from '../device-records.ts'
import { writeSuperseded } from '../superseded-rows.ts'
import { hullsOf, type MeasuredTrip, type Span, supersededTrips } from './overlaps.ts'
import { MEASURED_END, OPEN_STATE, STANDS } from './rows.ts'

/* Which trips count where several dongles are in one car (docs/adr/0017), and the days of statistics that follow from them (docs/adr/0008). */

/** A trip of this vehicle that begins at this time was added, changed, retracted, opened or closed. */
export interface TouchedTrip extends TouchedDay {
  /** Undefined if only the day must be recalculated. */
  readonly tripId?: number | undefined
  /** Nothing that the day's sums include changed. Which overlapping trip counts may have. */
  readonly isDayAsBefore?: boolean
}

interface WholeVehicle {
  readonly vehicleId: number
  readonly isWhole: true
}

/** Runs last in a transaction: shards of vehicles are locked after all other locks, so that transactions cannot deadlock. */
const VEHICLES: LastWork<TouchedTrip | WholeVehicle> = {
  async run(transaction, items) {
    const touched = items.flatMap(item => ('isWhole' in item ? [] : [item]))
    const whole = [...new Set(items.flatMap(item => ('isWhole' in item ? item.vehicleId : [])))]
    const locked = await lockVehicles(
      transaction,
      items.map(({ vehicleId }) => vehicleId),
    )
    // Separate statements, so that their snapshots are taken after the lock was granted.
    if (whole.length > 0) await reconcileAllOverlaps(locked, whole)
    const flipped = await reconcileOverlaps(locked, [...new Set(touched.flatMap(({ tripId }) => tripId ?? []))])
    await refreshDays(locked, [...touched.filter(trip => !trip.isDayAsBefore), ...flipped])
    if (whole.length > 0) await rebuildDaysOf(locked, whole)
  },
}

/** Registers written trips: their vehicles are updated at the end of the transaction, which has locked their devices. */
export function touchTrips(transaction: Transaction, touched: readonly TouchedTrip[]): void {
  transaction.leave(VEHICLES, touched)
}

export function touchVehicles(transaction: Transaction, vehicleIds: readonly number[]): void {
  transaction.leave(
    VEHICLES,
    vehicleIds.map(vehicleId => ({ vehicleId, isWhole: true })),
  )
}

// Before trips are written.

/** A trip belongs to the vehicle in which it began, but may go on after the dongle left, if only a VIN shows that. So a
 * dongle counts as being there for this long afterwards. */
const LONGEST_BEYOND_MS = 24 * 3_600_000

/** A trip of this device that begins at that time may overlap one of another device in the vehicle. */
export function isShared(record: Pick<DeviceRecord, 'assignments' | 'othersUntilMs'>, startMs: number): boolean {
  const assignment = record.othersUntilMs.size > 0 ? assignmentAt(record, startMs) : undefined
  const untilMs = assignment && record.othersUntilMs.get(assignment.vehicleId)
  return untilMs !== undefined && startMs < untilMs + LONGEST_BEYOND_MS
}

interface TripStarts {
  readonly record: Pick<DeviceRecord, 'assignments' | 'othersUntilMs' | 'rules'>
  readonly startsMs: readonly number[]
}

/** Called before trips are written: from then on, no other device in one of their vehicles has its trips written. */
export async function lockWhereShared(transaction: Transaction, starts: readonly TripStarts[]): Promise<void> {
  const vehicleIds = starts.flatMap(({ record, startsMs }) =>
    // Incidents are written afterwards: all locks are taken at once, so that two transactions cannot wait for each other.
    record.rules.assignments.length > 0
      ? [...record.othersUntilMs.keys()]
      : startsMs.flatMap(startMs =>
          isShared(record, startMs) ? (assignmentAt(record, startMs)?.vehicleId ?? []) : [],
        ),
  )
  await lockSharedVehicles(transaction, vehicleIds)
}

// Which trips count, as rows.

/** Decides about these trips, retracted ones too, and all that overlaps connect with them or they superseded.
 * @returns the days in which other trips count now */
async function reconcileOverlaps(locked: LockedVehicles, tripIds: readonly number[]): Promise<TouchedDay[]> {
  if (tripIds.length === 0) return []
  const ids = sql`${tripIds}::bigint[]`
  const spans = await locked.transaction.rows<SpanRow>(
    sql`
      ${spansWhere(sql`t.id = any(${ids}) and ${MAY_OVERLAP}`)}
      union all
      ${spansWhere(sql`t.superseded_by = any(${ids})`)}`,
    { prepareAs: 'trips-that-may-overlap' },
  )
  return decide(locked, spans)
}

async function reconcileAllOverlaps(locked: LockedVehicles, vehicleIds: readonly number[]): Promise<void> {
  const spans = spansWhere(sql`t.vehicle_id = any(${vehicleIds}::bigint[]) and ${MAY_OVERLAP}`)
  await decide(locked, await locked.transaction.rows<SpanRow>(spans))
}

interface SpanRow {
  readonly vehicle_id: number
  readonly start_time: string
  readonly end_time: string
}

/** From their rows alone; the current end of an open trip is read later. */
function spansWhere(condition: Statement): Statement {
  return sql`select t.vehicle_id, t.start_time, t.end_time from trips t where ${condition}`
}

/** Another device was in the vehicle at about the time of the trip. Rows of open trips are at most an hour old. */
const MAY_OVERLAP = sql`${STANDS} and (t.superseded_by is not null or exists (
  select from assignments o
  where o.vehicle_id = t.vehicle_id and o.device_id <> t.device_id
    and o.from_time < t.end_time + ${LONGEST_BEYOND_MS} * interval '1 millisecond'
    and o.to_time > t.start_time - ${LONGEST_BEYOND_MS} * interval '1 millisecond'))`

async function decide(locked: LockedVehicles, rows: readonly SpanRow[]): Promise<TouchedDay[]> {
  if (rows.length === 0) return []
  const spans = rows.map(row => ({
    vehicleId: row.vehicle_id,
    startMs: instantMs(row.start_time),
    endMs: instantMs(row.end_time),
  }))
  const { transaction } = locked
  const changed: { readonly trip: RivalTrip; readonly by: number | undefined }[] = []
  for (const trips of grouped(await readConnected(transaction, spans), trip => trip.vehicleId).values()) {
    const superseded = supersededTrips(trips)
    for (const trip of trips) {
      const by = superseded.get(trip)?.id
      if (by !== trip.supersededBy) changed.push({ trip, by })
    }
  }
  await writeSuperseded(
    transaction,
    'trips',
    changed.map(({ trip: { deviceId, id }, by }) => ({ deviceId, id, by })),
  )
  const flipped = changed.flatMap(({ trip, by }) =>
    (by === undefined) === (trip.supersededBy === undefined) ? [] : [trip],
  )
  await reviseDrivers(
    transaction,
    flipped.filter(trip => trip.isOpen),
  )
  return flipped.map(({ accountId, vehicleId, startMs }) => ({ accountId, vehicleId, timeMs: startMs }))
}

interface VehicleSpan extends Span {
  readonly vehicleId: number
}

/** A trip, and which one counts in its place according to its row. */
interface RivalTrip extends MeasuredTrip, VehicleSpan {
  readonly id: number
  readonly accountId: number
  readonly supersededBy: number | undefined
}

/** Two dongles in a car report trips at about the same times: with this margin, one query is mostly enough. */
const AROUND_MS = 600_000
const MILEAGE = String(requiredEventType('MILEAGE').id)

/** The trips of vehicles in some ranges of time, with all trips connected to them through overlaps: no other decides about them. */
async function readConnected(transaction: Transaction, spans: readonly VehicleSpan[]): Promise<RivalTrip[]> {
  for (let wanted = joined(spans.map(widened)); ; ) {
    const trips = await readTripsIn(transaction, wanted)
    const beyond = trips.filter(trip => !wanted.some(span => isWithin(trip, span)))
    if (beyond.length === 0) return trips
    wanted = joined([...wanted, ...beyond.map(widened)])
  }
}

function widened({ vehicleId, startMs, endMs }: VehicleSpan): VehicleSpan {
  return { vehicleId, startMs: startMs - AROUND_MS, endMs: endMs + AROUND_MS }
}

function isWithin(trip: VehicleSpan, { vehicleId, startMs, endMs }: VehicleSpan): boolean {
  return trip.vehicleId === vehicleId && trip.startMs >= startMs && trip.endMs <= endMs
}

/** Merges overlapping ranges of a vehicle. */
function joined(spans: readonly VehicleSpan[]): VehicleSpan[] {
  return [...grouped(spans, ({ vehicleId }) => vehicleId).values()].flatMap(hullsOf)
}

/** Trips that overlap these ranges, from all devices that were ever in these vehicles. Trips of one device never overlap. */
async function readTripsIn(transaction: Transaction, spans: readonly VehicleSpan[]): Promise<RivalTrip[]> {
  const rows = await transaction.rows<RivalTripRow>(
    sql`
      select t.id, t.device_id, t.account_id, t.vehicle_id, t.start_time, ${MEASURED_END} as end_time, t.is_open,
        coalesce(r.trip_meters, t.meters) ? ${MILEAGE} as has_odometer, t.fix_count, t.superseded_by
      from unnest(
        ${spans.map(span => span.vehicleId)}::bigint[],
        ${spans.map(span => instantOfMs(span.startMs))}::timestamptz[],
        ${spans.map(span => instantOfMs(span.endMs))}::timestamptz[]
      ) as span (vehicle_id, from_time, to_time)
      join lateral (select distinct device_id from assignments a where a.vehicle_id = span.vehicle_id) inside on true
      join lateral (
        (
          select * from trips t where t.device_id = inside.device_id and t.start_time < span.from_time and ${STANDS}
          order by t.start_time desc limit 1
        )
        union all
        select * from trips t where t.device_id = inside.device_id and ${STANDS}
          and t.start_time >= span.from_time and t.start_time < span.to_time
      ) t on t.vehicle_id = span.vehicle_id
      ${OPEN_STATE}
      where ${MEASURED_END} > span.from_time
      order by t.start_time, t.id`,
    { prepareAs: 'read-rival-trips' },
  )
  return rows.map(row => ({
    id: row.id,
    deviceId: row.device_id,
    accountId: row.account_id,
    vehicleId: row.vehicle_id,
    startMs: instantMs(row.start_time),
    endMs: instantMs(row.end_time),
    isOpen: row.is_open,
    hasOdometer: row.has_odometer,
    fixCount: row.fix_count,
    supersededBy: row.superseded_by ?? undefined,
  }))
}

interface RivalTripRow {
  readonly id: number
  readonly device_id: DeviceId
  readonly account_id: number
  readonly vehicle_id: number
  readonly start_time: string
  readonly end_time: string
  readonly is_open: boolean
  readonly has_odometer: boolean
  readonly fix_count: number
  readonly superseded_by: number | null
}

/** Gives new revisions to devices and vehicles whose `tripId` changed (decisions.md, *Sync*). */
export async function reviseDrivers(
  transaction: Transaction,
  drivers: readonly { readonly deviceId: DeviceId; readonly vehicleId: number }[],
): Promise<void> {
  if (drivers.length === 0) return
  const rowsOf = (ids: readonly number[]) => [...new Set(ids)].sort((a, b) => a - b).map(id => ({ id }))
  const devices = rowsOf(drivers.map(({ deviceId }) => deviceId))
  const vehicles = rowsOf(drivers.map(({ vehicleId }) => vehicleId))
  await transaction.rows(updateOf('devices', ['id'], await revised(transaction, devices)), {
    prepareAs: 'revise-devices',
  })
  await transaction.rows(updateOf('vehicles', ['id'], await revised(transaction, vehicles)), {
    prepareAs: 'revise-vehicles',
  })
}
