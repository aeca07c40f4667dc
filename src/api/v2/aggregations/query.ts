import { requiredEventType } from '../../../catalogue/event-types.ts'
import { unknownTimeZone } from '../../../http/parameters.ts'
import type { Connection } from '../../../store/database.ts'
import { allOf, type Statement, sql } from '../../../store/sql.ts'
import { vehicleIdOf } from '../../../store/vehicle-ids.ts'
import { ALL, type BinSize } from './schema.ts'

export interface BinRequest {
  /** A public id; undefined for the whole fleet. */
  readonly vehicleId: string | undefined
  /** One row for each vehicle, or one for all of them. */
  readonly perVehicle: boolean
  /** Read running totals too, which takes every trip of the vehicles since their first one. */
  readonly withTotals: boolean
  readonly binSize: BinSize
  readonly timeZone: string
  readonly fromTimestamp: string | undefined
  readonly toTimestamp: string | undefined
}

/** The trips of one bin, in metres and seconds; the totals are those of the vehicle before and after them. */
export interface BinRow {
  readonly vehicleId: string
  readonly bin: string
  readonly trips: number
  readonly metresMin: number
  readonly metresMax: number
  readonly metresSum: number
  readonly metresBefore: number | null
  readonly metresAfter: number | null
  readonly secondsMin: number
  readonly secondsMax: number
  readonly secondsSum: number
  readonly secondsBefore: number | null
  readonly secondsAfter: number | null
}

/** The bins that have trips, ordered by bin and vehicle id. */
export async function readBins(connection: Connection, accountId: number, request: BinRequest): Promise<BinRow[]> {
  const conditions: Statement[] = [sql`item.account_id = ${accountId}`, sql`item.deleted is null`]
  if (request.vehicleId !== undefined) {
    const vehicleId = await vehicleIdOf(connection, accountId, request.vehicleId)
    if (vehicleId === undefined) return []
    conditions.push(sql`item.vehicle_id = ${vehicleId}`)
  }
  if (request.toTimestamp !== undefined) conditions.push(sql`item.start_time <= ${request.toTimestamp}::timestamptz`)
  try {
    return await connection.rows<BinRow>(statementOf(request, conditions))
  } catch (error) {
    // The database's list of zones may be older than the program's.
    if (error instanceof Error && 'code' in error && error.code === '22023') throw unknownTimeZone('timeZone')
    throw error
  }
}

function statementOf(request: BinRequest, conditions: readonly Statement[]): Statement {
  const { perVehicle, withTotals, binSize, timeZone, fromTimestamp } = request
  const from = fromTimestamp === undefined ? sql`'-infinity'::timestamptz` : sql`${fromTimestamp}::timestamptz`
  const isInRange = allOf([...conditions, sql`item.start_time >= ${from}`])
  const isBefore = allOf([...conditions, sql`item.start_time < ${from}`])
  const totals = perVehicle && withTotals
  const trips = totals
    ? sql`select ${TRIP}, ${RUNNING} from trips item left join before using (vehicle_id) where ${isInRange} ${SO_FAR}`
    : sql`select ${TRIP} from trips item where ${isInRange}`
  return sql`
    with before as (
      select item.vehicle_id, sum(item.distance_m) as metres, sum(item.duration_s) as seconds
      from trips item where ${totals ? isBefore : sql`false`} group by item.vehicle_id
    ),
    trip as (${trips}),
    bins as (
      select local_bin, ${perVehicle ? sql`vehicle_id` : sql`null::bigint as vehicle_id`},
        count(*) as trips,
        min(distance_m) as "metresMin", max(distance_m) as "metresMax", sum(distance_m) as "metresSum",
        min(duration_s) as "secondsMin", max(duration_s) as "secondsMax", sum(duration_s) as "secondsSum",
        ${totals ? TOTALS : NO_TOTALS}
      from (
        select trip.*, date_trunc(${binSize.toLowerCase()}::text, start_time at time zone ${timeZone}::text) as local_bin
        from trip
      ) as binned
      group by local_bin${perVehicle ? sql`, vehicle_id` : sql``}
    )
    select bins.*, ${firstInstantOf(timeZone)} as bin, coalesce(v.public_id, ${ALL}) as "vehicleId"
    from bins left join vehicles v on v.id = bins.vehicle_id
    order by local_bin, v.public_id collate "C"`
}

const TRIP = sql`vehicle_id, item.id, item.start_time, item.distance_m, item.duration_s`

const odometer = sql`item.meters -> ${String(requiredEventType('MILEAGE').id)}::text`
/** In metres; absurd readings are no readings, and would not fit. */
const metresOf = (km: Statement) => sql`
  case when abs((${km})::float8) < 1e9 then round((${km})::float8 * 1000) end`
const START_READING = metresOf(sql`${odometer} ->> 'start'`)
const END_READING = metresOf(sql`${odometer} ->> 'end'`)

const RUNNING = sql`
  coalesce(before.metres, 0) + sum(item.distance_m) over so_far as metres_after,
  coalesce(before.seconds, 0) + sum(item.duration_s) over so_far as seconds_after,
  coalesce(${START_READING}, ${END_READING} - item.distance_m) as start_reading,
  coalesce(${END_READING}, ${START_READING} + item.distance_m) as end_reading`
const SO_FAR = sql`
  window so_far as (partition by vehicle_id order by item.start_time, item.id rows unbounded preceding)`

/**
 * Before and after the trips of the bin: the odometer, where one of them has a reading, carried to the ends of the
 * bin by the distances between; else the sum of the vehicle's trips.
 */
const TOTALS = sql`
  min(metres_after - distance_m) + coalesce((array_agg(start_reading - (metres_after - distance_m)
    order by start_time, id) filter (where start_reading is not null))[1], 0) as "metresBefore",
  max(metres_after) + coalesce((array_agg(end_reading - metres_after
    order by start_time desc, id desc) filter (where end_reading is not null))[1], 0) as "metresAfter",
  min(seconds_after - duration_s) as "secondsBefore",
  max(seconds_after) as "secondsAfter"`
const NO_TOTALS = sql`
  null::bigint as "metresBefore", null::bigint as "metresAfter",
  null::bigint as "secondsBefore", null::bigint as "secondsAfter"`

/** Where clocks go back over midnight, PostgreSQL takes the second of the two instants; the bin begins at the first. */
function firstInstantOf(timeZone: string): Statement {
  const zone = sql`${timeZone}::text`
  const instant = sql`(local_bin at time zone ${zone})`
  return sql`
    case when (${instant} - interval '1 hour') at time zone ${zone} >= local_bin
      then ${instant} - interval '1 hour' else ${instant} end`
}
