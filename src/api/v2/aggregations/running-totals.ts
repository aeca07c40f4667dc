import { type Statement, sql } from '../../../db/sql.ts'
import { JUMP_BETWEEN } from '../../../derive/days/vehicle-days.ts'
import type { DayRange } from './day-range.ts'
import { dayOf, midnight, type Scope } from './slices.ts'

/** What each vehicle had driven before the range: vehicle_id, metres, seconds. Sums do not depend on order. */
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
      from trips_open_now item where ${scope(sql`item`)} and item.deleted is null
        and item.start_time < ${fromMidnight}
    ) as driven
    group by vehicle_id`
}

/**
 * For each slice, what its vehicle had driven from its first trip to the start and to the end of the slice. Needs `before`
 * and `so_far`.
 */
export const SO_FAR = sql`
  coalesce(before.metres, 0) + sum(metres_sum) over so_far - metres_sum as metres_before,
  coalesce(before.metres, 0) + sum(metres_sum) over so_far as metres_after,
  coalesce(before.seconds, 0) + sum(seconds_sum) over so_far as seconds_after`

/**
 * The slices of bins, each with the odometer jumps since the slice before it in its bin. The growth from one bin to the
 * next is in neither: it lies between the END of the one and the START of the other.
 * @param slices with `local_bin` and what SO_FAR says
 */
export function withJumps(slices: Statement): Statement {
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
export const TOTALS = sql`
  min(metres_before) + ${OFFSET_BEFORE} as "metresBefore",
  max(metres_after) + ${OFFSET_AFTER} as "metresAfter",
  sum(metres_sum) + ${OFFSET_AFTER} - ${OFFSET_BEFORE} - sum(odometer_jump + jump_before) as "metresGrown",
  min(seconds_after - seconds_sum) as "secondsBefore",
  max(seconds_after) as "secondsAfter"`

export const NO_TOTALS = sql`
  null::bigint as "metresBefore", null::bigint as "metresAfter", null::bigint as "metresGrown",
  null::bigint as "secondsBefore", null::bigint as "secondsAfter"`
