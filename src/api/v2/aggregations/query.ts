import { isInvalidParameter } from '../../../db/faults.ts'
import { type Connection, type Statement, sql } from '../../../db/sql.ts'
import { instantMs } from '../../../db/values.ts'
import { JUMP_BETWEEN, ODOMETER_OF_TRIP, READINGS } from '../../../derive/days/vehicle-days.ts'
import { vehicleIdOf } from '../../../fleet/vehicles.ts'
import { DAY_MS } from '../../../model/time-range.ts'
import { unknownTimeZone } from '../../../server/http/parameters.ts'

export const BIN_SIZES = ['DAY', 'WEEK', 'MONTH', 'YEAR'] as const
export type BinSize = (typeof BIN_SIZES)[number]

/** Stands for the whole fleet where a vehicle id would stand. */
export const ALL = 'ALL'

export interface BinRequest {
  /** A public id; undefined for the whole fleet. */
  readonly vehicleId: string | undefined
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

/** Distances from a vehicle's first trip to the start and to the end of the slice. Needs `before` and `so_far`. */
const SO_FAR = sql`
  coalesce(before.metres, 0) + sum(metres_sum) over so_far - metres_sum as metres_before,
  coalesce(before.metres, 0) + sum(metres_sum) over so_far as metres_after,
  coalesce(before.seconds, 0) + sum(seconds_sum) over so_far as seconds_after`

/** The growth from one bin to the next is in neither. @param slices with `local_bin` and the columns of SO_FAR */
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

/** The odometer, extrapolated to the ends of the bin by the distances driven; without readings, the sum of trips. */
const TOTALS = sql`
  min(metres_before) + ${OFFSET_BEFORE} as "metresBefore",
  max(metres_after) + ${OFFSET_AFTER} as "metresAfter",
  sum(metres_sum) + ${OFFSET_AFTER} - ${OFFSET_BEFORE} - sum(odometer_jump + jump_before) as "metresGrown",
  min(seconds_after - seconds_sum) as "secondsBefore",
  max(seconds_after) as "secondsAfter"`

const NO_TOTALS = sql`
  null::bigint as "metresBefore", null::bigint as "metresAfter", null::bigint as "metresGrown",
  null::bigint as "secondsBefore", null::bigint as "secondsAfter"`

// A slice is one trip or the sum of all trips of a day. Slices of one vehicle do not overlap: `begin`, then `id` (of a
// trip, else 0), is the order of their trips. Together they are exactly the trips of the range that are not deleted.

/** Whose trips: conditions on the columns account_id and vehicle_id. */
type Scope = (table: Statement) => Statement

const ITEM = sql`item`
const COUNTS = sql`trips, metres_min, metres_max, metres_sum, seconds_min, seconds_max, seconds_sum`

/** A day that is due to be recomputed is read from the days of its vehicles; open trips belong to no day yet. */
function slicesOfFleet(accountId: number, range: DayRange): Statement {
  const scope: Scope = table => sql`${table}.account_id = ${accountId}`
  return sql`
    select null::bigint as vehicle_id, ${midnight(sql`d.day`)} as begin, 0::bigint as id, ${COUNTS}
    from account_days d
    where d.account_id = ${accountId} and ${isWhole(range)}
      and not exists (select from due_account_days due where due.account_id = ${accountId} and due.day = d.day)
    union all
    select null, ${midnight(sql`due.day`)}, 0, summed.*
    from (
      select distinct d.day from due_account_days d where d.account_id = ${accountId} and ${isWhole(range)}
    ) as due,
    lateral (
      select sum(d.trips), min(d.metres_min), max(d.metres_max), sum(d.metres_sum),
        min(d.seconds_min), max(d.seconds_max), sum(d.seconds_sum)
      from vehicle_days d where d.account_id = ${accountId} and d.day = due.day having count(*) > 0
    ) as summed
    union all
    select ${TRIP} from trips_open_now item where ${isOfWholeDay(scope, range)}
    ${tripsOfPartialDays(scope, range, TRIP, TRIPS)}`
}

/** A day with an open trip is split into its trips: the open one may have begun before others (uploaded late).
 * @param withOdometer reading those of trips takes as long as reading the trips */
function slicesOfVehicles(scope: Scope, range: DayRange, withOdometer: boolean): Statement {
  const trip = withOdometer ? sql`${TRIP}, ${ODOMETER_OF_TRIP}` : TRIP
  const trips = withOdometer ? READ_TRIPS : TRIPS
  return sql`
    with unsettled as materialized (
      select distinct item.vehicle_id, (item.start_time at time zone 'UTC')::date as day
      from trips item where item.is_open and ${isOfWholeDay(scope, range)}
    )
    select d.vehicle_id, ${midnight(sql`d.day`)} as begin, 0::bigint as id, ${COUNTS}${withOdometer ? ODOMETER_OF_DAY : sql``}
    from vehicle_days d
    where ${scope(sql`d`)} and ${isWhole(range)}
      and not exists (select from unsettled u where u.vehicle_id = d.vehicle_id and u.day = d.day)
    union all
    select trip.*
    from unsettled, lateral (
      select ${trip} from ${trips}
      where item.vehicle_id = unsettled.vehicle_id and item.deleted is null
        and item.start_time >= ${midnight(sql`unsettled.day`)} and item.start_time < ${midnight(sql`unsettled.day + 1`)}
      -- Days are looked up one by one: PostgreSQL cannot know how few they are, and might read all trips.
      offset 0
    ) as trip
    ${tripsOfPartialDays(scope, range, trip, trips)}`
}

const TRIPS = sql`trips_now item`
/** With the readings of their odometers. */
const READ_TRIPS = sql`trips_now item cross join lateral (${READINGS}) reading`
const ODOMETER_OF_DAY = sql`,
  d.odometer_start, d.odometer_end, d.first_reading, d.last_reading, d.first_read_at, d.last_read_at, d.odometer_jump`

const TRIP = sql`
  item.vehicle_id, item.start_time as begin, item.id, 1::bigint as trips,
  item.distance_m as metres_min, item.distance_m as metres_max, item.distance_m::bigint as metres_sum,
  item.duration_s as seconds_min, item.duration_s as seconds_max, item.duration_s::bigint as seconds_sum`

/** Trips before the first whole day or after the last one. Empty text where there can be none: a plan for any range
 * has to expect many. */
function tripsOfPartialDays(
  scope: Scope,
  { from, to, firstDay, endDay, hasPartialDays }: DayRange,
  columns: Statement,
  trips: Statement,
): Statement {
  if (!hasPartialDays) return sql``
  return sql`
    union all
    select ${columns} from ${trips}
    where ${scope(ITEM)} and item.deleted is null
      and item.start_time >= ${from}::timestamptz and item.start_time <= ${to}::timestamptz
      and item.start_time < ${midnight(dayOf(firstDay))}
    union all
    select ${columns} from ${trips}
    where ${scope(ITEM)} and item.deleted is null
      and item.start_time >= ${midnight(dayOf(endDay))} and item.start_time <= ${to}::timestamptz`
}

function isOfWholeDay(scope: Scope, { firstDay, endDay }: DayRange): Statement {
  return sql`${scope(ITEM)} and item.deleted is null
    and item.start_time >= ${midnight(dayOf(firstDay))} and item.start_time < ${midnight(dayOf(endDay))}`
}

function isWhole({ firstDay, endDay }: DayRange): Statement {
  return sql`d.day >= ${dayOf(firstDay)} and d.day < ${dayOf(endDay)}`
}

function dayOf(daysSince1970: number): Statement {
  return sql`(date '1970-01-01' + ${daysSince1970}::integer)`
}

function midnight(day: Statement): Statement {
  return sql`((${day})::timestamp at time zone 'UTC')`
}

interface DayRange {
  /** As PostgreSQL reads them; infinite where the range has no end. */
  readonly from: string
  readonly to: string
  /** Days since 1970-01-01: the first whole day, and the one after the last; equal when there is none. */
  readonly firstDay: number
  readonly endDay: number
  /** The range has more than its whole days: instants before the first or after the last one. */
  readonly hasPartialDays: boolean
  readonly dayOfFrom: number
}

/** Timestamps of requests are of the years 1 to 9999. */
const BEFORE_ALL_DAYS = Date.parse('0001-01-01T00:00:00Z') / DAY_MS
const AFTER_ALL_DAYS = Date.parse('+010000-01-01T00:00:00Z') / DAY_MS

/** Trips begin at whole milliseconds, so 23:59:59.999 is the end of a day.
 * @param countsDays false when UTC days cannot be used, because bins begin at other times: then no day is whole */
export function dayRange(
  fromTimestamp: string | undefined,
  toTimestamp: string | undefined,
  countsDays: boolean,
): DayRange {
  const from = fromTimestamp ?? '-infinity'
  const to = toTimestamp ?? 'infinity'
  const fromMs = instantMs(from)
  const dayOfFrom = within(Math.floor(fromMs / DAY_MS))
  if (!countsDays)
    return { from, to, firstDay: AFTER_ALL_DAYS, endDay: AFTER_ALL_DAYS, hasPartialDays: true, dayOfFrom }
  const firstMs = isWholeMillisecond(from) ? fromMs : fromMs + 1
  const firstDay = within(Math.ceil(firstMs / DAY_MS))
  const endDay = Math.max(firstDay, within(Math.floor((instantMs(to) + 1) / DAY_MS)))
  const hasFirstPart = fromTimestamp !== undefined && firstMs < firstDay * DAY_MS
  const hasLastPart = toTimestamp !== undefined && instantMs(to) >= endDay * DAY_MS
  return { from, to, firstDay, endDay, hasPartialDays: hasFirstPart || hasLastPart, dayOfFrom }
}

function isWholeMillisecond(instant: string): boolean {
  return !/[1-9]/.test(instant.slice(23))
}

function within(day: number): number {
  return Math.min(Math.max(day, BEFORE_ALL_DAYS), AFTER_ALL_DAYS)
}
