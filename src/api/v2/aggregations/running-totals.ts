import { type Statement, sql } from '../../../store/sql.ts'
import type { DayRange } from './day-range.ts'
import { dayOf, midnight, type Scope } from './slices.ts'

/** What each vehicle had driven before the range: vehicle_id, metres, seconds. Sums need no order. */
export function drivenBefore(scope: Scope, { from, dayOfFrom }: DayRange): Statement {
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
      from trips_now item where ${scope(sql`item`)} and item.deleted is null and item.is_open
        and item.start_time < ${fromMidnight}
    ) as driven
    group by vehicle_id`
}

/** Of each slice, what its vehicle had driven from its first trip to the end of the slice. Wants `before` and `so_far`. */
export const SO_FAR = sql`
  coalesce(before.metres, 0) + sum(metres_sum) over so_far as metres_after,
  coalesce(before.seconds, 0) + sum(seconds_sum) over so_far as seconds_after`

/**
 * Before and after the slices of the bin: the odometer, where one of them has a reading, carried to the ends of the
 * bin by the distances between; else the sum of the vehicle's trips.
 */
export const TOTALS = sql`
  min(metres_after - metres_sum) + coalesce((array_agg(odometer_start - (metres_after - metres_sum)
    order by begin, id) filter (where odometer_start is not null))[1], 0) as "metresBefore",
  max(metres_after) + coalesce((array_agg(odometer_end - metres_after
    order by begin desc, id desc) filter (where odometer_end is not null))[1], 0) as "metresAfter",
  min(seconds_after - seconds_sum) as "secondsBefore",
  max(seconds_after) as "secondsAfter"`

export const NO_TOTALS = sql`
  null::bigint as "metresBefore", null::bigint as "metresAfter",
  null::bigint as "secondsBefore", null::bigint as "secondsAfter"`
