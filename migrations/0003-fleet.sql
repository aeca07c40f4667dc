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

-- Sets of event types that occur together in a sample. A fleet has few of them, and each is kept once.
create table shapes (
  id integer generated always as identity primary key,
  -- Ids of the catalogue, ascending.
  types smallint[] not null unique
);

-- Everything one dongle measured at one instant. Partitions are weeks, made when a time first arrives.
create table samples (
  device_id bigint not null,
  time timestamptz not null,
  -- The stamp of the batch that wrote it last.
  stored timestamptz not null,
  shape_id integer not null,
  -- Packed, see unpack_numbers; null where the shape has none.
  numbers bytea,
  -- One for each STRING of the shape; null where it has none.
  texts text[],
  primary key (device_id, time)
) partition by range (time);
create index samples_by_time on samples using brin (time, stored) with (pages_per_range = 16, autosummarize = on);

-- The numbers of a sample, for people and reports; the program reads them itself (src/store/samples/packed-numbers.ts).
-- `wanted` is how many there are: one for each NUMBER and BOOLEAN of the shape, two for a GEO (longitude, latitude).
create function unpack_numbers(packed bytea, wanted integer) returns double precision[]
language plpgsql immutable strict parallel safe as $$
declare
  numbers double precision[] := '{}';
  at integer := (wanted + 1) / 2;
  length integer;
  exponent integer;
  fraction bigint;
  bits bit(64);
begin
  for index in 0 .. wanted - 1 loop
    length := (get_byte(packed, index / 2) >> (case when index % 2 = 0 then 4 else 0 end)) & 15;
    bits := ('x' || rpad(encode(substring(packed from at + 1 for length), 'hex'), 16, '0'))::bit(64);
    at := at + length;
    exponent := substring(bits from 2 for 11)::bit(11)::integer;
    fraction := substring(bits from 13 for 52)::bit(52)::bigint;
    numbers := numbers || (
      (case when get_bit(bits, 0) = 1 then -1 else 1 end)
      * case
          when exponent = 0 then fraction * power(2::double precision, -537) * power(2::double precision, -537)
          -- In two factors, so that neither overflows.
          else (fraction | (1::bigint << 52))::double precision
            * power(2::double precision, (exponent - 1075) / 2) * power(2::double precision, exponent - 1075 - (exponent - 1075) / 2)
        end);
  end loop;
  return numbers;
end
$$;

create function epoch_ms(ms bigint) returns timestamptz
language sql immutable parallel safe as $$ select timestamptz 'epoch' + ms * interval '1 millisecond' $$;
