import { type Statement, sql } from '../sql.ts'
import { ODOMETER_END, ODOMETER_START } from './odometer.ts'

/**
 * Makes the rows of `vehicle_days` of some days what the trips say, and notes the days of accounts that are due for
 * it: those of rows that changed.
 * @param touched rows of account_id, vehicle_id and day, each vehicle and day once
 * @param isOfDay whether the trip `item` is of the vehicle and day of `touched`
 */
export function workOutDays(touched: Statement, isOfDay: Statement): Statement {
  return sql`
    with touched as (${touched}),
    trip as (
      select touched.*, item.id, item.start_time, item.distance_m, item.duration_s,
        ${ODOMETER_START} as odometer_start, ${ODOMETER_END} as odometer_end,
        sum(item.distance_m) over so_far as metres_so_far, sum(item.distance_m) over whole_day as metres_of_day
      from touched left join trips item on ${isOfDay} and item.deleted is null and not item.is_open
      window whole_day as (partition by touched.vehicle_id, touched.day),
        so_far as (whole_day order by item.start_time, item.id rows unbounded preceding)
    ),
    worked_out as (
      select account_id, vehicle_id, day, count(id) as trips,
        min(distance_m) as metres_min, max(distance_m) as metres_max, sum(distance_m) as metres_sum,
        min(duration_s) as seconds_min, max(duration_s) as seconds_max, sum(duration_s) as seconds_sum,
        (array_agg(odometer_start - (metres_so_far - distance_m) order by start_time, id)
          filter (where odometer_start is not null))[1] as odometer_start,
        (array_agg(odometer_end + (metres_of_day - metres_so_far) order by start_time desc, id desc)
          filter (where odometer_end is not null))[1] as odometer_end
      from trip group by account_id, vehicle_id, day
    ),
    written as (
      insert into vehicle_days as d (account_id, vehicle_id, day, trips, metres_min, metres_max, metres_sum,
        seconds_min, seconds_max, seconds_sum, odometer_start, odometer_end)
      select account_id, vehicle_id, day, trips, metres_min, metres_max, metres_sum,
        seconds_min, seconds_max, seconds_sum, odometer_start, odometer_end
      from worked_out where trips > 0
      on conflict (vehicle_id, day) do update set
        account_id = excluded.account_id, trips = excluded.trips, metres_min = excluded.metres_min,
        metres_max = excluded.metres_max, metres_sum = excluded.metres_sum, seconds_min = excluded.seconds_min,
        seconds_max = excluded.seconds_max, seconds_sum = excluded.seconds_sum,
        odometer_start = excluded.odometer_start, odometer_end = excluded.odometer_end
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
