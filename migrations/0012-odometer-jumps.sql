-- Statistics leave jumps of the odometer out (another cluster, a reset, another unit). A day has to know its own, and
-- what it takes to tell whether the odometer jumped between two days: src/store/rollups/odometer.ts.

alter table vehicle_days
  -- In metres, of the first and the last trip that has a reading. Null where odometer_start and odometer_end are.
  add column first_reading bigint,
  add column last_reading bigint,
  -- The earliest instant at which the first can have been shown, and the latest one at which the last one was.
  add column first_read_at timestamptz,
  add column last_read_at timestamptz,
  -- How much of what the odometer changed within the day was not driven.
  add column odometer_jump bigint;

-- 85 is MILEAGE. No car is faster than 250 km/h, so that a metre takes 14.4 ms at least.
with trip as (
  select item.*,
    case when abs((item.meters -> '85' ->> 'start')::float8) < 1e9
      then round((item.meters -> '85' ->> 'start')::float8 * 1000)::bigint end as start_reading,
    case when abs((item.meters -> '85' ->> 'end')::float8) < 1e9
      then round((item.meters -> '85' ->> 'end')::float8 * 1000)::bigint end as end_reading
  from trips item where deleted is null and not is_open
), judged as (
  select *, (start_time at time zone 'UTC')::date as day,
    not (end_reading - start_reading) between 0 and distance_m + 1000 as is_jump,
    coalesce(sum(distance_m) over (so_far rows between unbounded preceding and 1 preceding), 0) as metres_before,
    sum(distance_m) over (so_far rows unbounded preceding) as metres_after
  from trip
  window so_far as (partition by vehicle_id, (start_time at time zone 'UTC')::date order by start_time, id)
), slice as (
  select *,
    coalesce(start_reading, end_reading - distance_m) as first_reading,
    coalesce(end_reading, start_reading + distance_m) as last_reading,
    coalesce(case when is_jump then 0 else greatest(distance_m - (end_reading - start_reading), 0) end, 0)
      * interval '14.4 milliseconds' as not_covered,
    case when is_jump then end_reading - start_reading - distance_m else 0 end as odometer_jump
  from judged
), joined as (
  select *,
    case
      when first_reading - lag(last_reading) over with_readings >= 0
        and (first_reading - lag(last_reading) over with_readings) * interval '14.4 milliseconds'
          <= greatest(start_time + not_covered - lag(end_time - not_covered) over with_readings, interval '0') then 0
      else coalesce((first_reading - metres_before) - lag(last_reading - metres_after) over with_readings, 0)
    end as jump_before
  from slice
  window with_readings as (partition by vehicle_id, day, first_reading is null order by start_time, id)
), worked_out as (
  select vehicle_id, day,
    (array_agg(first_reading order by start_time, id) filter (where first_reading is not null))[1] as first_reading,
    (array_agg(last_reading order by start_time desc, id desc) filter (where first_reading is not null))[1]
      as last_reading,
    (array_agg(start_time + not_covered order by start_time, id) filter (where first_reading is not null))[1]
      as first_read_at,
    (array_agg(end_time - not_covered order by start_time desc, id desc) filter (where first_reading is not null))[1]
      as last_read_at,
    sum(odometer_jump + jump_before) as odometer_jump
  from joined group by vehicle_id, day
)
update vehicle_days d set first_reading = w.first_reading, last_reading = w.last_reading,
  first_read_at = w.first_read_at, last_read_at = w.last_read_at, odometer_jump = w.odometer_jump
from worked_out w where d.vehicle_id = w.vehicle_id and d.day = w.day;

-- A day without trips, which is none, would be found by `tacho rebuild`.
update vehicle_days set odometer_jump = 0 where odometer_jump is null;
alter table vehicle_days alter column odometer_jump set not null;
