import { type Statement, sql } from '../../../db/sql.ts'
import { instantMs } from '../../../db/values.ts'
import { ODOMETER_OF_TRIP, READINGS } from '../../../derive/days/vehicle-days.ts'

/*
 * A slice is one trip or the sum of all trips of a day: what bins are made of. Its columns are vehicle_id, begin, id
 * (of a trip, else 0), trips, metres_min, metres_max, metres_sum, seconds_min, seconds_max, seconds_sum, and for
 * slices of vehicles those of the odometer (src/derive/days/vehicle-days.ts). Slices of one vehicle do not overlap:
 * `begin`, then `id`, is the order of their trips. Together they are exactly the trips of the range that are not deleted.
 */

/** Whose trips: conditions on the columns account_id and vehicle_id. */
export type Scope = (table: Statement) => Statement

const ITEM = sql`item`
const COUNTS = sql`trips, metres_min, metres_max, metres_sum, seconds_min, seconds_max, seconds_sum`

/**
 * Slices of the whole fleet: days of the account. If a day is due to be recomputed, the days of its vehicles, from which
 * it will be computed; open trips belong to no day yet.
 */
export function slicesOfFleet(accountId: number, range: DayRange): Statement {
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

/**
 * Slices of vehicles: days of vehicles. A day with an open trip is split into its
 * trips, because the open one may have begun before others (of another dongle, or uploaded late).
 * @param withOdometer reading those of trips takes as long as reading the trips
 */
export function slicesOfVehicles(scope: Scope, range: DayRange, withOdometer: boolean): Statement {
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

/**
 * The trips of the range that begin before its first whole day or after the last one, united with what stands before. Where there can be none,
 * nothing: a plan for any range has to expect many.
 */
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

/** The date of a day that is counted from 1970. */
export function dayOf(daysSince1970: number): Statement {
  return sql`(date '1970-01-01' + ${daysSince1970}::integer)`
}

/** The instant at which a day of UTC begins. */
export function midnight(day: Statement): Statement {
  return sql`((${day})::timestamp at time zone 'UTC')`
}

/** A range of time, both ends inclusive, and the whole days (UTC) in it. */
export interface DayRange {
  /** As PostgreSQL reads them; infinite where the range has no end. */
  readonly from: string
  readonly to: string
  /** Days since 1970-01-01: the first whole day, and the one after the last; equal when there is none. */
  readonly firstDay: number
  readonly endDay: number
  /** Whether the range has more than its whole days: instants before the first or after the last one. */
  readonly hasPartialDays: boolean
  /** The day of `from`. */
  readonly dayOfFrom: number
}

const DAY_MS = 24 * 3_600_000
/** Timestamps of requests are of the years 1 to 9999. */
const BEFORE_ALL_DAYS = Date.parse('0001-01-01T00:00:00Z') / DAY_MS
const AFTER_ALL_DAYS = Date.parse('+010000-01-01T00:00:00Z') / DAY_MS

/**
 * Which days of a range are whole. Trips begin at whole milliseconds, so 23:59:59.999 is the end of a day.
 * @param countsDays false when UTC days cannot be used, because bins begin at other times: then no day is whole
 */
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
