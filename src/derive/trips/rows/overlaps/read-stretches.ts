import { requiredEventType } from '../../../../catalogue/event-types.ts'
import type { LockedVehicles } from '../../../../db/shards.ts'
import { sql } from '../../../../db/sql.ts'
import type { Transaction } from '../../../../db/transaction.ts'
import { instantMs, instantOfMs } from '../../../../db/values.ts'
import type { DeviceId } from '../../../../model/sample.ts'
import { type MeasuredTrip, type Span, stretchesOf } from '../../overlaps.ts'

import { MEASURED_END, OPEN_STATE, STANDS } from '../measured-rows.ts'

/** A range of time of a vehicle. */
export interface VehicleSpan extends Span {
  readonly vehicleId: number
}

/** A trip, and whether it counts according to its row. */
export interface RivalTrip extends MeasuredTrip, VehicleSpan {
  readonly id: number
  readonly accountId: number
  /** The trip that counts in its place. */
  readonly supersededBy: number | undefined
}

/** Two dongles in a car report trips at about the same times: with this margin, one query is mostly enough. */
const AROUND_MS = 600_000
const MILEAGE = String(requiredEventType('MILEAGE').id)

/**
 * The trips of vehicles in some ranges of time, with all trips connected to them through overlaps. Which of these count depends on
 * no other trip.
 */
export async function readStretches(
  { transaction }: LockedVehicles,
  spans: readonly VehicleSpan[],
): Promise<RivalTrip[]> {
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
  return ofEachVehicle(spans).flatMap(ofVehicle => stretchesOf(ofVehicle).map(hullOf))
}

function hullOf(stretch: readonly VehicleSpan[]): VehicleSpan {
  return stretch.reduce((hull, { vehicleId, startMs, endMs }) => ({
    vehicleId,
    startMs: Math.min(hull.startMs, startMs),
    endMs: Math.max(hull.endMs, endMs),
  }))
}

/** The items grouped by vehicle. */
export function ofEachVehicle<Item extends { readonly vehicleId: number }>(items: readonly Item[]): Item[][] {
  const groups = new Map<number, Item[]>()
  for (const item of items) {
    const group = groups.get(item.vehicleId)
    if (group) group.push(item)
    else groups.set(item.vehicleId, [item])
  }
  return [...groups.values()]
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
