import { isInvalidParameter } from '../../../db/faults.ts'
import { type Connection, type Statement, sql } from '../../../db/sql.ts'
import { JUMP_BETWEEN } from '../../../derive/days/vehicle-days.ts'
import { vehicleIdOf } from '../../../fleet/vehicles.ts'
import { unknownTimeZone } from '../../../server/http/parameters.ts'
import { ALL, type BinSize } from './schema.ts'
import { type DayRange, dayOf, dayRange, midnight, type Scope, slicesOfFleet, slicesOfVehicles } from './slices.ts'

export interface BinRequest {
  /** A public id; undefined for the whole fleet. */
  readonly vehicleId: string | undefined
  /** One row for each vehicle, or one for all of them. */
  readonly perVehicle: boolean
  /** Read running totals too, which takes every day of the vehicles since their first trip. */
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
  /** Between the two, without jumps of the odometer. */
  readonly metresGrown: number | null
  readonly secondsMin: number
  readonly secondsMax: number
  readonly secondsSum: number
  readonly secondsBefore: number | null
  readonly secondsAfter: number | null
}

/** The bins that have trips, ordered by bin and vehicle id. One statement, so it sees one snapshot of trips and sums. */
export async function readBins(connection: Connection, accountId: number, request: BinRequest): Promise<BinRow[]> {
  try {
    if (request.vehicleId === undefined && !request.perVehicle) return await readFleet(connection, accountId, request)
    return await readVehicles(connection, accountId, request)
  } catch (error) {
    // The time zones of the database may be older than those of this program.
    if (isInvalidParameter(error)) throw unknownTimeZone('timeZone')
    throw error
  }
}

/** All vehicles as one. */
function readFleet(connection: Connection, accountId: number, request: BinRequest): Promise<BinRow[]> {
  const countsDays = isUtc(request.timeZone)
  const range = dayRange(request.fromTimestamp, request.toTimestamp, countsDays)
  const slices = slicesOfFleet(accountId, range)
  const statement = sql`
    with slices as (${slices}),
    bins as (select local_bin, ${SUMS}, ${NO_TOTALS} from ${binned(request, sql`slices`)} group by local_bin)
    select ${BIN}, ${firstInstantOf(request.timeZone)} as bin, ${ALL}::text as "vehicleId"
    from bins order by local_bin`
  // Planning takes longer than running it. Where trips are read, the best plan depends on the range.
  if (!countsDays) return connection.rows(statement)
  return connection.rows(statement, { prepareAs: range.hasPartialDays ? 'bins-of-fleet' : 'bins-of-whole-days' })
}

/** One vehicle, or each of them. */
async function readVehicles(connection: Connection, accountId: number, request: BinRequest): Promise<BinRow[]> {
  const { perVehicle, withTotals, timeZone, fromTimestamp, toTimestamp } = request
  const scope = await scopeOf(connection, accountId, request.vehicleId)
  if (!scope) return []
  const range = dayRange(fromTimestamp, toTimestamp, isUtc(timeZone))
  const totals = perVehicle && withTotals
  const running = sql`
    before as (${drivenBefore(scope, range)}),
    running as (
      select slices.*, ${SO_FAR} from slices left join before using (vehicle_id)
      window so_far as (partition by vehicle_id order by begin, id rows unbounded preceding)
    ),
    binned as (${withJumps(binned(request, sql`running`))}),`
  return connection.rows(sql`
    with slices as (${slicesOfVehicles(scope, range, totals)}),
    ${totals ? running : sql``}
    bins as (
      select local_bin, ${perVehicle ? sql`vehicle_id` : sql`null::bigint as vehicle_id`},
        ${SUMS}, ${totals ? TOTALS : NO_TOTALS}
      from ${totals ? sql`binned` : binned(request, sql`slices`)}
      group by local_bin${perVehicle ? sql`, vehicle_id` : sql``}
    )
    select ${BIN}, ${firstInstantOf(timeZone)} as bin, coalesce(v.public_id, ${ALL}) as "vehicleId"
    from bins left join vehicles v on v.id = bins.vehicle_id
    order by local_bin, v.public_id collate "C"`)
}

async function scopeOf(
  connection: Connection,
  accountId: number,
  publicId: string | undefined,
): Promise<Scope | undefined> {
  if (publicId === undefined) return table => sql`${table}.account_id = ${accountId}`
  const vehicleId = await vehicleIdOf(connection, accountId, publicId)
  if (vehicleId === undefined) return undefined
  return table => sql`${table}.account_id = ${accountId} and ${table}.vehicle_id = ${vehicleId}`
}

/** Names that always mean UTC. With other zones, days give the same result, only more slowly. */
function isUtc(timeZone: string): boolean {
  return /^(Etc\/)?(UTC|GMT)$/i.test(timeZone)
}

function binned({ binSize, timeZone }: BinRequest, slices: Statement): Statement {
  return sql`(
    select *, date_trunc(${binSize.toLowerCase()}::text, begin at time zone ${timeZone}::text) as local_bin
    from ${slices}
  ) as binned`
}

const BIN = sql`
  trips, "metresMin", "metresMax", "metresSum", "metresBefore", "metresAfter", "metresGrown",
  "secondsMin", "secondsMax", "secondsSum", "secondsBefore", "secondsAfter"`
const SUMS = sql`
  sum(trips) as trips,
  min(metres_min) as "metresMin", max(metres_max) as "metresMax", sum(metres_sum) as "metresSum",
  min(seconds_min) as "secondsMin", max(seconds_max) as "secondsMax", sum(seconds_sum) as "secondsSum"`

/** When clocks go back over midnight, PostgreSQL takes the second of the two instants; the bin begins at the first. */
function firstInstantOf(timeZone: string): Statement {
  const zone = sql`${timeZone}::text`
  const instant = sql`(local_bin at time zone ${zone})`
  return sql`
    case when (${instant} - interval '1 hour') at time zone ${zone} >= local_bin
      then ${instant} - interval '1 hour' else ${instant} end`
}

/** What each vehicle had driven before the range: vehicle_id, metres, seconds. Sums do not depend on order. */
function drivenBefore(scope: Scope, { from, dayOfFrom }: DayRange): Statement {
  const fromMidnight = midnight(dayOf(dayOfFrom))
  return sql`
    select vehicle_id, sum(metres) as metres, sum(seconds) as seconds
    from (
      select d.vehicle_id, d.metres_sum as metres, d.seconds_sum as seconds
      from vehicle_days d where ${scope(sql`d`)} and d.day < ${dayOf(dayOfFrom)}
      union all
      select item.vehicle_id, item.distance_m, item.duration_s
      from trips_now item where ${scope(sql`item`)} and item.deleted is null
        and item.start_time >= ${fromMidnight} and item.start_time < ${from}::timestamptz
      union all
      select item.vehicle_id, item.distance_m, item.duration_s
      from trips_open_now item where ${scope(sql`item`)} and item.deleted is null
        and item.start_time < ${fromMidnight}
    ) as driven
    group by vehicle_id`
}

/**
 * For each slice, what its vehicle had driven from its first trip to the start and to the end of the slice. Needs `before`
 * and `so_far`.
 */
const SO_FAR = sql`
  coalesce(before.metres, 0) + sum(metres_sum) over so_far - metres_sum as metres_before,
  coalesce(before.metres, 0) + sum(metres_sum) over so_far as metres_after,
  coalesce(before.seconds, 0) + sum(seconds_sum) over so_far as seconds_after`

/**
 * The slices of bins, each with the odometer jumps since the slice before it in its bin. The growth from one bin to the
 * next is in neither: it lies between the END of the one and the START of the other.
 * @param slices with `local_bin` and what SO_FAR says
 */
function withJumps(slices: Statement): Statement {
  return sql`
    select *, ${JUMP_BETWEEN} as jump_before from ${slices}
    window with_readings as (partition by vehicle_id, local_bin, first_reading is null order by begin, id)`
}

/** The odometer at the start of the bin, if one of its slices has a reading, less what was driven before the bin. */
const OFFSET_BEFORE = sql`
  coalesce((array_agg(odometer_start - metres_before order by begin, id) filter (where odometer_start is not null))[1], 0)`
const OFFSET_AFTER = sql`
  coalesce((array_agg(odometer_end - metres_after order by begin desc, id desc)
    filter (where odometer_end is not null))[1], 0)`

/**
 * Before and after the slices of the bin: the odometer, if one of them has a reading, extrapolated to the ends of the
 * bin by the distances driven; else the sum of the vehicle's trips. And how much it grew in between, without jumps.
 */
const TOTALS = sql`
  min(metres_before) + ${OFFSET_BEFORE} as "metresBefore",
  max(metres_after) + ${OFFSET_AFTER} as "metresAfter",
  sum(metres_sum) + ${OFFSET_AFTER} - ${OFFSET_BEFORE} - sum(odometer_jump + jump_before) as "metresGrown",
  min(seconds_after - seconds_sum) as "secondsBefore",
  max(seconds_after) as "secondsAfter"`

const NO_TOTALS = sql`
  null::bigint as "metresBefore", null::bigint as "metresAfter", null::bigint as "metresGrown",
  null::bigint as "secondsBefore", null::bigint as "secondsAfter"`
