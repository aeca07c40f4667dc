import { requiredEventType } from '../../catalogue/event-types.ts'
import { type Statement, sql } from '../../db/sql.ts'
import { COARSEST_STEP_M, FASTEST_M_PER_MS } from '../trips/derive/rules.ts'

/*
 * The odometer of a vehicle during a trip or a day (docs/adr/0008), in metres. A slice, which is one trip or all trips of a
 * day, has these columns; all but the jump are null when none of its trips has a reading:
 *
 * - odometer_start, odometer_end: extrapolated by distances to the start of its first and to the end of its last trip;
 * - first_reading, last_reading: of the first and the last trip that has a reading;
 * - first_read_at, last_read_at: the earliest instant at which the first reading can have been taken, and the latest one
 *   for the last reading, given the maximum speed of a car;
 * - odometer_jump: how much of the change from odometer_start to odometer_end was not driven.
 */

const odometer = sql`item.meters -> ${String(requiredEventType('MILEAGE').id)}::text`

/** In metres; absurd readings are ignored, and would not fit. */
const metresOf = (km: Statement) => sql`
  case when abs((${km})::float8) < 1e9 then round((${km})::float8 * 1000)::bigint end`

/** The readings of the trip `item`, for a `lateral` join: start_reading and end_reading. */
export const READINGS = sql`
  select ${metresOf(sql`${odometer} ->> 'start'`)} as start_reading, ${metresOf(sql`${odometer} ->> 'end'`)} as end_reading
  -- Looked up once, however often they are used.
  offset 0`

/** decisions.md, *Trips*: no car is faster. The minimum time for a metre. */
const A_METRE = sql`(${1 / FASTEST_M_PER_MS}::float8 * interval '1 millisecond')`

/** The growth of the odometer during the trip; null with fewer than two readings. */
const GROWN = sql`(end_reading - start_reading)`

/**
 * The length of a trip is made of the same readings, completed where they do not cover it. So the odometer can have grown
 * by more than the trip is long only by the step of a coarse one: a kilometre. Beyond that, or backwards, it jumped, and
 * the length is what was driven. It may well have grown by less: it was read some way from the ends of the trip.
 */
const IS_JUMP = sql`not ${GROWN} between 0 and item.distance_m + ${COARSEST_STEP_M}::integer`

/** How far the trip went on before its first and after its last reading, both together. */
const NOT_COVERED = sql`(case when ${IS_JUMP} then 0 else greatest(item.distance_m - ${GROWN}, 0) end)`

/** The columns of the trip `item` with its READINGS as a slice. Of two readings one is enough, with the distance. */
export const ODOMETER_OF_TRIP = sql`
  coalesce(start_reading, end_reading - item.distance_m) as odometer_start,
  coalesce(end_reading, start_reading + item.distance_m) as odometer_end,
  coalesce(start_reading, end_reading - item.distance_m) as first_reading,
  coalesce(end_reading, start_reading + item.distance_m) as last_reading,
  case when coalesce(start_reading, end_reading) is not null
    then item.start_time + coalesce(${NOT_COVERED}, 0) * ${A_METRE} end as first_read_at,
  case when coalesce(start_reading, end_reading) is not null
    then item.end_time - coalesce(${NOT_COVERED}, 0) * ${A_METRE} end as last_read_at,
  case when ${IS_JUMP} then ${GROWN} - item.distance_m else 0 end as odometer_jump`

/**
 * What the odometer jumped between a slice and the one before it that has readings, too. It counts as driven what the
 * odometer grew there, also while no dongle told of it, where it did not go back and was not faster than a car; else the
 * trips without a reading between the two.
 *
 * Wants `metres_before` and `metres_after`, what the vehicle had driven before and after each slice, and the window
 * `with_readings`: the slices of a stretch in the order of time, those with readings apart from those without.
 */
export const JUMP_BETWEEN = sql`
  case
    when first_reading - lag(last_reading) over with_readings >= 0
      and (first_reading - lag(last_reading) over with_readings) * ${A_METRE}
        <= greatest(first_read_at - lag(last_read_at) over with_readings, interval '0') then 0
    else coalesce((odometer_start - metres_before) - lag(odometer_end - metres_after) over with_readings, 0)
  end`
