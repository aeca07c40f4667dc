-- What is worked out from the samples. Rows are never removed, only marked: a syncing client must learn of it.

create table addresses (
  id bigint generated always as identity primary key,
  lat double precision not null,
  lon double precision not null,
  -- {"en": {"road": …, "houseNumber": …, "suburb": …, "locality": …, "state": …, "country": …, "postcode": …}, "de": {…}}
  texts jsonb not null default '{}'
);

create table trips (
  id bigint generated always as identity,
  device_id bigint not null references devices,
  account_id integer not null references accounts,
  vehicle_id bigint not null references vehicles,
  start_time timestamptz not null,
  end_time timestamptz not null,
  -- Still driving: its end is its last sample for now.
  is_open boolean not null default false,
  distance_m integer not null,
  duration_s integer not null,
  start_address_id bigint references addresses,
  end_address_id bigint references addresses,
  -- Meters read at both ends: {"<event type id>": {"start": number, "end": number}}
  meters jsonb not null default '{}',
  -- Encoded polyline, precision 5; empty when there was no position.
  polyline text not null default '',
  deleted timestamptz,
  modified timestamptz not null,
  primary key (device_id, id),
  check (start_time <= end_time)
);
create index trips_by_id on trips (id);
create index trips_by_account_start on trips (account_id, start_time, id);
create index trips_by_vehicle_start on trips (vehicle_id, start_time, id);
create index trips_by_account_modified on trips (account_id, modified);
create index trips_open on trips (device_id) where is_open;

create table dtcs (
  id bigint generated always as identity,
  device_id bigint not null references devices,
  account_id integer not null references accounts,
  vehicle_id bigint not null references vehicles,
  ecu_type_id integer not null,
  code text not null,
  encoded text not null,
  encoding text not null check (encoding in ('HEX', 'DECIMAL', 'PCODE')),
  dtc_type text not null check (dtc_type in ('PERMANENT', 'SPORADIC', 'FREEZEFRAME')),
  recorded timestamptz not null,
  deleted timestamptz,
  modified timestamptz not null,
  primary key (device_id, id)
);
create index dtcs_by_account_recorded on dtcs (account_id, recorded, id);
create index dtcs_by_account_modified on dtcs (account_id, modified);
create index dtcs_by_vehicle on dtcs (vehicle_id, recorded, id);
