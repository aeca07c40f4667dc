-- Devices, vehicles, who sees what (assignments), and the measurements themselves.

create table devices (
  id bigint primary key check (id > 0),
  manufacturer text not null default '',
  hardware_type text not null default '',
  hardware_version text not null default '',
  firmware_version text not null default '',
  is_online boolean not null default false,
  -- What the dongle said last (IS_DONGLE_PLUGGED_IN); null while it never said anything.
  is_plugged_in boolean,
  created timestamptz not null default clock_timestamp(),
  modified timestamptz not null
);

create table vehicles (
  id bigint generated always as identity primary key,
  account_id integer not null references accounts,
  first_device_id bigint not null references devices,
  vin text check (vin ~ '^[A-HJ-NPR-Z0-9]{17}$'),
  public_id text collate "C" not null generated always as (coalesce('VIN' || vin, 'IMEI_' || first_device_id)) stored,
  tecdoc_make_id integer not null default 0,
  tecdoc_model_id integer not null default 0,
  tecdoc_vehicle_id integer not null default 0,
  make text not null default '',
  model text not null default '',
  vehicle text not null default '',
  fuel_type text not null default '',
  kba text not null default '',
  license_plate text not null default '',
  -- Set by an operator; null leaves the word to the dongle.
  alarm_system boolean,
  alarm_system_set timestamptz,
  deleted timestamptz,
  created timestamptz not null default clock_timestamp(),
  modified timestamptz not null,
  unique (account_id, public_id)
);

-- Public ids that a vehicle had before its VIN was known: they keep answering (decisions.md, *Vehicles and devices*).
create table former_vehicle_ids (
  account_id integer not null references accounts,
  public_id text collate "C" not null,
  vehicle_id bigint not null references vehicles,
  deleted timestamptz not null,
  modified timestamptz not null,
  primary key (account_id, public_id)
);

-- In which car of which account a dongle was, and when. Every read of samples goes through here.
create table assignments (
  device_id bigint not null references devices,
  account_id integer not null references accounts,
  vehicle_id bigint not null references vehicles,
  from_time timestamptz not null default '-infinity',
  to_time timestamptz not null default 'infinity',
  primary key (device_id, from_time),
  check (from_time < to_time),
  exclude using gist (device_id with =, tstzrange(from_time, to_time) with &&)
);
create index assignments_by_vehicle on assignments (vehicle_id);
create index assignments_by_account on assignments (account_id);

-- One row a dongle, rewritten with every batch: no index but the key, room on the page for the next version.
create table device_states (
  device_id bigint primary key references devices,
  -- The extent of its samples.
  first_time timestamptz not null,
  last_time timestamptz not null,
  -- When something last arrived, by the database's clock.
  last_received timestamptz not null,
  -- The oldest instant that changed behind `last_time` and is not yet folded again; null when there is none.
  dirty_from timestamptz
) with (fillfactor = 50);

-- The newest value of every event type a dongle measured in a vehicle. Arrays as in samples, with a time for each
-- type in milliseconds since 1970: half the cost of timestamps where every batch rewrites the row.
create table latest_values (
  device_id bigint not null references devices,
  vehicle_id bigint not null references vehicles,
  types smallint[] not null,
  times bigint[] not null,
  numbers double precision[] not null,
  texts text[] not null,
  modified timestamptz not null,
  primary key (device_id, vehicle_id)
) with (fillfactor = 50);
create index latest_values_by_vehicle on latest_values (vehicle_id);

-- Everything one dongle measured at one instant. Partitions are weeks, made when a time first arrives.
create table samples (
  device_id bigint not null,
  time timestamptz not null,
  stored timestamptz not null,
  types smallint[] not null,
  numbers double precision[],
  texts text[],
  primary key (device_id, time)
) partition by range (time);
create index samples_by_time on samples using brin (time, stored) with (pages_per_range = 16, autosummarize = on);

create function epoch_ms(ms bigint) returns timestamptz
language sql immutable parallel safe as $$ select timestamptz 'epoch' + ms * interval '1 millisecond' $$;
