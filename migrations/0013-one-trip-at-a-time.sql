-- A car drives one trip at a time: of trips that overlap, because two dongles are in one car, one counts.

alter table trips
  -- Positions that counted. The fold tells it when trips are folded again; until then nothing is known of older rows.
  add column fix_count integer not null default 0,
  -- Set while the trip of another dongle counts in its place: then `deleted` is set, too, and the row keeps all that was
  -- measured for the case that the other one turns out to be none.
  add column superseded_by bigint,
  add constraint trips_superseded_are_deleted check (superseded_by is null or deleted is not null);

create index trips_by_superseder on trips (superseded_by) where superseded_by is not null;

-- Trips of a device that overlap a time, for folding it again: also those in whose place another one counts.
drop index trips_by_device_start;
create index trips_by_device_start on trips (device_id, start_time) where deleted is null or superseded_by is not null;

-- Rows of trips as clients see them: one in whose place another counts is like all that are marked as deleted, without
-- anything that could be counted twice.
create view trips_shown as
select id, device_id, account_id, vehicle_id, start_time, end_time, is_open,
  case when superseded_by is null then distance_m else 0 end as distance_m,
  case when superseded_by is null then duration_s else 0 end as duration_s,
  start_address_id, end_address_id,
  case when superseded_by is null then meters else '{}' end as meters,
  case when superseded_by is null then polyline else '' end as polyline,
  deleted, superseded_by, modified
from trips;

-- Trips as they are read: an open one with what device_states knows newer, unless it does not count.
drop view trips_now;
create view trips_now as
select * from trips_shown where not is_open
union all
select t.id, t.device_id, t.account_id, t.vehicle_id, t.start_time,
  coalesce(r.trip_end, t.end_time), t.is_open,
  coalesce(r.trip_distance_m, t.distance_m), coalesce(r.trip_duration_s, t.duration_s),
  t.start_address_id, t.end_address_id, coalesce(r.trip_meters, t.meters),
  case when r.trip_route is null then t.polyline else left(t.polyline, r.trip_route_kept) || r.trip_route end,
  t.deleted, t.superseded_by, greatest(t.modified, r.trip_modified)
from trips_shown t left join device_states r on r.device_id = t.device_id and r.trip_id = t.id and t.superseded_by is null
where t.is_open;
