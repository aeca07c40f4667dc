-- What the derivation of trips needs: where it stands for each dongle, and what follows from trips.

alter table device_states
  -- Together with dirty_from: the newest late instant, and since when one waits to be folded.
  add column dirty_to timestamptz,
  add column dirty_since timestamptz,
  -- The VIN readings changed, so the assignments must be looked at.
  add column assignments_due boolean not null default false,
  -- The state of the fold after all samples but the newest, which may still come in pieces (src/derive/trips). Null
  -- before the first sample.
  add column fold text,
  -- The row in trips of the drive that the fold is in, and its start; null while there is none.
  add column trip_id bigint,
  add column trip_start timestamptz,
  -- What changes of that drive with every sample, while it is open (null while it is not): its row is left alone, so
  -- that no index of trips has to follow each sample. Read through trips_now.
  add column trip_end timestamptz,
  add column trip_distance_m integer,
  add column trip_duration_s integer,
  add column trip_meters jsonb,
  -- The route is the first trip_route_kept characters of the row, then trip_route.
  add column trip_route_kept integer,
  add column trip_route text,
  add column trip_modified timestamptz;

-- Rewritten with every batch: not worth compressing, and to be found in the row itself.
alter table device_states
  alter column fold set storage external,
  alter column trip_route set storage external,
  set (toast_tuple_target = 4080);

-- What is stored already has never been folded.
update device_states set dirty_from = first_time, dirty_to = last_time, dirty_since = clock_timestamp();

create index device_states_dirty on device_states (dirty_since) where dirty_from is not null or assignments_due;

-- States of the fold to begin again from: the one after all samples before `before_time`.
create table fold_checkpoints (
  device_id bigint not null,
  before_time timestamptz not null,
  state text not null,
  primary key (device_id, before_time)
);

-- Trips as they are read: an open one with what device_states knows newer.
create view trips_now as
select id, device_id, account_id, vehicle_id, start_time, end_time, is_open, distance_m, duration_s,
  start_address_id, end_address_id, meters, polyline, deleted, modified
from trips where not is_open
union all
select t.id, t.device_id, t.account_id, t.vehicle_id, t.start_time,
  coalesce(r.trip_end, t.end_time), t.is_open,
  coalesce(r.trip_distance_m, t.distance_m), coalesce(r.trip_duration_s, t.duration_s),
  t.start_address_id, t.end_address_id, coalesce(r.trip_meters, t.meters),
  case when r.trip_route is null then t.polyline else left(t.polyline, r.trip_route_kept) || r.trip_route end,
  t.deleted, greatest(t.modified, r.trip_modified)
from trips t left join device_states r on r.device_id = t.device_id and r.trip_id = t.id
where t.is_open;

create index trips_open_by_account on trips (account_id, start_time) where is_open;
-- Trips of a device that overlap a time, for folding it again.
create index trips_by_device_start on trips (device_id, start_time) where deleted is null;

-- Readings of one VIN after another: the stretch begins at first_time, and when it is believed, the dongle came into
-- that car at boundary, the last unplug or trip end before.
create table vin_runs (
  device_id bigint not null references devices,
  first_time timestamptz not null,
  boundary timestamptz not null,
  vin text not null,
  -- Read at least twice.
  is_confirmed boolean not null,
  primary key (device_id, first_time)
);
create index vin_runs_by_vin on vin_runs (vin);

-- Whose word the VIN is: an operator's wins over a dongle's.
alter table vehicles add column vin_by_operator boolean not null default false;
update vehicles set vin_by_operator = true where vin is not null;
-- An operator put another VIN in the place of this one: a dongle that reads it still is in that vehicle.
alter table former_vehicle_ids add column by_operator boolean not null default false;
update former_vehicle_ids set by_operator = true where public_id like 'VIN%';
-- The vehicles that were made for a dongle, for working out in which it was.
create index vehicles_by_first_device on vehicles (first_device_id);

-- Positions are rounded to five digits (about a metre), so that one place has one row. Until `found`, its texts wait
-- to be looked up; places within one cell of four digits (about ten metres) share an answer.
alter table addresses
  add column found timestamptz,
  -- When the geocoder of GEOCODER_URL answered; until then the texts are the gazetteer's, which knows no roads.
  add column geocoded timestamptz,
  -- How often it was asked, and from when on it may be asked again.
  add column asked smallint not null default 0,
  add column ask_after timestamptz not null default '-infinity',
  add column cell_lat integer generated always as (round(lat * 10000)::integer) stored,
  add column cell_lon integer generated always as (round(lon * 10000)::integer) stored;
update addresses set found = clock_timestamp();
create unique index addresses_by_place on addresses (lat, lon);
create index addresses_by_cell on addresses (cell_lat, cell_lon);
create index addresses_waiting on addresses (id) where found is null;
create index addresses_to_ask on addresses (ask_after, id desc) where geocoded is null;
create index trips_by_start_address on trips (start_address_id);
create index trips_by_end_address on trips (end_address_id);

-- Sums of the trips that begin on a day (UTC) and are not open. The odometer is carried by the distances of the day's
-- trips to the begin of the first and the end of the last one, in metres; null where none of them has a reading.
-- Without foreign keys: trips have them, and they would be looked up again for each row.
create table vehicle_days (
  account_id integer not null,
  vehicle_id bigint not null,
  day date not null,
  trips integer not null,
  metres_min integer not null,
  metres_max integer not null,
  metres_sum bigint not null,
  seconds_min integer not null,
  seconds_max integer not null,
  seconds_sum bigint not null,
  odometer_start bigint,
  odometer_end bigint,
  primary key (vehicle_id, day)
);
create index vehicle_days_by_account on vehicle_days (account_id, day);

create table account_days (
  account_id integer not null,
  day date not null,
  trips integer not null,
  metres_min integer not null,
  metres_max integer not null,
  metres_sum bigint not null,
  seconds_min integer not null,
  seconds_max integer not null,
  seconds_sum bigint not null,
  primary key (account_id, day)
);

-- Days whose account_days row is older than vehicle_days. Rows are only added and taken away, never shared, so that
-- two writers of one account do not wait for each other.
create table due_account_days (
  id bigint generated always as identity primary key,
  account_id integer not null,
  day date not null
);
create index due_account_days_by_account on due_account_days (account_id, day);

alter table dtcs
  -- Late data showed that there was no such code; unlike one that was there and is no longer reported.
  add column is_retracted boolean not null default false,
  -- The kind of lists that a freeze frame was reported in; null for the others, whose type says it.
  add column frame_list text check (frame_list in ('PERMANENT', 'SPORADIC'));
create index dtcs_by_device on dtcs (device_id, recorded) where not is_retracted;

-- Texts of fault codes that an operator added (tacho dtc import). Make is empty for all makes.
create table dtc_labels (
  code text not null,
  language text not null check (language in ('en', 'de')),
  make text not null default '',
  label text not null check (label <> ''),
  primary key (code, language, make)
);

-- Since when all measurements are kept: older weeks were dropped (RETENTION_DAYS), and what followed from them stays as
-- it is. One row; none before the first drop.
create table retention (
  only_row boolean primary key default true check (only_row),
  kept_since timestamptz not null
);
