import { type Statement, sql } from '../../db/sql.ts'
import { JUMP_BETWEEN, ODOMETER_OF_TRIP, READINGS } from './odometer.ts'

/**
 * Updates the rows of `vehicle_days` of some days from the trips, and notes the days of accounts that become due:
 * those of rows that changed.
 * @param touched rows of account_id, vehicle_id and day, each vehicle and day once
 * @param isOfDay whether the trip `item` is of the vehicle and day of `touched`
 */
export function workOutDays(touched: Statement, isOfDay: Statement): Statement {
  return sql`
    with touched as (${touched}),
    trip as (
      select touched.*, item.id, item.start_time, item.distance_m, item.duration_s, ${ODOMETER_OF_TRIP},
        coalesce(sum(item.distance_m) over earlier, 0) as metres_before,
        sum(item.distance_m) over so_far as metres_after, sum(item.distance_m) over whole_day as metres_of_day
      from touched
      left join trips item on ${isOfDay} and item.deleted is null and not item.is_open
      left join lateral (${READINGS}) reading on true
      window whole_day as (partition by touched.vehicle_id, touched.day),
        so_far as (whole_day order by item.start_time, item.id rows unbounded preceding),
        earlier as (whole_day order by item.start_time, item.id rows between unbounded preceding and 1 preceding)
    ),
    joined as (
      select trip.*, ${JUMP_BETWEEN} as jump_before from trip
      window with_readings as (partition by vehicle_id, day, first_reading is null order by start_time, id)
    ),
    worked_out as (
      select account_id, vehicle_id, day, count(id) as trips,
        min(distance_m) as metres_min, max(distance_m) as metres_max, sum(distance_m) as metres_sum,
        min(duration_s) as seconds_min, max(duration_s) as seconds_max, sum(duration_s) as seconds_sum,
        ${first(sql`odometer_start - metres_before`)} as odometer_start,
        ${last(sql`odometer_end + (metres_of_day - metres_after)`)} as odometer_end,
        ${first(sql`first_reading`)} as first_reading, ${last(sql`last_reading`)} as last_reading,
        ${first(sql`first_read_at`)} as first_read_at, ${last(sql`last_read_at`)} as last_read_at,
        sum(odometer_jump + jump_before) as odometer_jump
      from joined group by account_id, vehicle_id, day
    ),
    written as (
      insert into vehicle_days as d (account_id, vehicle_id, day, trips, metres_min, metres_max, metres_sum,
        seconds_min, seconds_max, seconds_sum, odometer_start, odometer_end, first_reading, last_reading,
        first_read_at, last_read_at, odometer_jump)
      select account_id, vehicle_id, day, trips, metres_min, metres_max, metres_sum,
        seconds_min, seconds_max, seconds_sum, odometer_start, odometer_end, first_reading, last_reading,
        first_read_at, last_read_at, odometer_jump
      from worked_out where trips > 0
      on conflict (vehicle_id, day) do update set
        account_id = excluded.account_id, trips = excluded.trips, metres_min = excluded.metres_min,
        metres_max = excluded.metres_max, metres_sum = excluded.metres_sum, seconds_min = excluded.seconds_min,
        seconds_max = excluded.seconds_max, seconds_sum = excluded.seconds_sum,
        odometer_start = excluded.odometer_start, odometer_end = excluded.odometer_end,
        first_reading = excluded.first_reading, last_reading = excluded.last_reading,
        first_read_at = excluded.first_read_at, last_read_at = excluded.last_read_at,
        odometer_jump = excluded.odometer_jump
      where d is distinct from excluded
      returning account_id, vehicle_id, day
    ),
    emptied as (
      delete from vehicle_days d using worked_out w
      where w.trips = 0 and d.vehicle_id = w.vehicle_id and d.day = w.day
      returning d.account_id, d.vehicle_id, d.day
    ),
    changed as (select * from written union all select * from emptied),
    due as (insert into due_account_days (account_id, day) select distinct account_id, day from changed)
    select count(*) as changed from changed`
}

/** Of the first trip of the day that has a reading. */
function first(value: Statement): Statement {
  return sql`(array_agg(${value} order by start_time, id) filter (where first_reading is not null))[1]`
}

/** Of the last one. */
function last(value: Statement): Statement {
  return sql`(array_agg(${value} order by start_time desc, id desc) filter (where first_reading is not null))[1]`
}
