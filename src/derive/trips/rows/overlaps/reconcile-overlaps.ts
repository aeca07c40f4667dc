import type { LockedVehicles } from '../../../../db/shards.ts'
import { type Statement, sql } from '../../../../db/sql.ts'
import { instantMs } from '../../../../db/values.ts'
import type { TouchedDay } from '../../../days/vehicle-days.ts'
import { writeSuperseded } from '../../../superseded-rows.ts'
import { supersededTrips } from '../../overlaps.ts'
import { STANDS } from '../measured-rows.ts'
import { reviseDrivers } from '../revise-drivers.ts'
import { ofEachVehicle, type RivalTrip, readStretches, type VehicleSpan } from './read-stretches.ts'
import { LONGEST_BEYOND_MS } from './shared-vehicles.ts'

/**
 * Decides which trips count (docs/adr/0017) after some were added, changed or retracted: these trips, the trips they superseded,
 * and all trips connected to them through overlaps.
 * @param tripIds including those of retracted trips
 * @returns the days in which other trips count now
 */
export async function reconcileOverlaps(held: LockedVehicles, tripIds: readonly number[]): Promise<TouchedDay[]> {
  if (tripIds.length === 0) return []
  const ids = sql`${tripIds}::bigint[]`
  const spans = await held.transaction.rows<SpanRow>(
    sql`
      ${spansWhere(sql`t.id = any(${ids}) and ${STANDS} and (t.superseded_by is not null or ${MAY_OVERLAP})`)}
      union all
      ${spansWhere(sql`t.superseded_by = any(${ids})`)}`,
    { prepareAs: 'trips-that-may-overlap' },
  )
  return decide(held, spans.map(spanOf))
}

/** Does this for all trips of some vehicles. */
export async function reconcileAllOverlaps(held: LockedVehicles, vehicleIds: readonly number[]): Promise<TouchedDay[]> {
  const isTheirs = sql`t.vehicle_id = any(${vehicleIds}::bigint[]) and ${STANDS}`
  const spans = await held.transaction.rows<SpanRow>(
    spansWhere(sql`${isTheirs} and (t.superseded_by is not null or ${MAY_OVERLAP})`),
  )
  return decide(held, spans.map(spanOf))
}

/** From their rows alone; the current end of an open trip is read later. */
function spansWhere(condition: Statement): Statement {
  return sql`select t.vehicle_id, t.start_time, t.end_time from trips t where ${condition}`
}

/** Another device was in the vehicle at about the time of the trip. Rows of open trips are at most an hour old. */
const MAY_OVERLAP = sql`exists (
  select from assignments o
  where o.vehicle_id = t.vehicle_id and o.device_id <> t.device_id
    and o.from_time < t.end_time + ${LONGEST_BEYOND_MS} * interval '1 millisecond'
    and o.to_time > t.start_time - ${LONGEST_BEYOND_MS} * interval '1 millisecond')`

async function decide(held: LockedVehicles, spans: readonly VehicleSpan[]): Promise<TouchedDay[]> {
  if (spans.length === 0) return []
  const { transaction } = held
  const changed: Decision[] = []
  for (const trips of ofEachVehicle(await readStretches(held, spans))) {
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
  const flipped = changed.filter(({ trip, by }) => (by === undefined) !== (trip.supersededBy === undefined))
  await reviseDrivers(
    transaction,
    flipped.flatMap(({ trip }) => (trip.isOpen ? [trip] : [])),
  )
  return flipped.map(({ trip: { accountId, vehicleId, startMs } }) => ({ accountId, vehicleId, timeMs: startMs }))
}

interface Decision {
  readonly trip: RivalTrip
  /** The trip that counts in its place; undefined when it counts. */
  readonly by: number | undefined
}

interface SpanRow {
  readonly vehicle_id: number
  readonly start_time: string
  readonly end_time: string
}

function spanOf(row: SpanRow): VehicleSpan {
  return { vehicleId: row.vehicle_id, startMs: instantMs(row.start_time), endMs: instantMs(row.end_time) }
}
