-- The schema. Until 0.1.0 is released it is changed here, in place; from then on by further numbered files.
-- docs/data-model.md describes the tables.

create extension if not exists btree_gist;

------------------------------------------------------------------------------------------------------------------------
-- Revisions: the order of changes, by which clients sync (docs/spec/decisions.md, *Sync*)
------------------------------------------------------------------------------------------------------------------------

-- The newest revision, in microseconds since 1970. A sequence, because it must not wait for a transaction.
create sequence revisions as bigint minvalue 0 start 0;

-- Reserves `wanted` revisions that nobody else gets, never older than any given before, and returns the first; the
-- others follow it microsecond by microsecond. The lock is held for the two statements inside only, so writers do not
-- wait for each other's transactions. A clock that was set back makes revisions run ahead of it until it catches up.
-- None is older than the start of its transaction, on which low_watermark relies, even when the clock is set back in it.
create function take_revisions(wanted integer) returns timestamptz
language plpgsql volatile as $$
declare
  first_us bigint;
begin
  perform pg_advisory_lock(7411, 0);
  select greatest((extract(epoch from greatest(clock_timestamp(), now())) * 1000000)::bigint, last_value + 1)
  into first_us from revisions;
  perform setval('revisions', first_us + greatest(wanted, 1) - 1);
  perform pg_advisory_unlock(7411, 0);
  return timestamptz 'epoch' + first_us * interval '1 microsecond';
end
$$;

-- The newest instant up to which nothing can still change unseen: every revision of a transaction that commits after
-- this returned is greater. The own revision comes first and the list of open writers after it: a writer that is not in
-- the list takes its revisions later, one that is bounds the result by its start. A writer counts from its first
-- revision on, not while it only reads: take_revisions gives its transaction an id, because it sets a sequence.
-- Not the view pg_stat_activity, which joins databases and roles and takes several times as long.
create function low_watermark(writer_name text) returns timestamptz
language plpgsql volatile as $$
declare
  own timestamptz := take_revisions(1);
  oldest timestamptz;
begin
  select min(xact_start) into oldest from pg_stat_get_activity(null)
  where application_name = writer_name and backend_xid is not null
    and datid = (select oid from pg_database where datname = current_database());
  return least(own, oldest - interval '1 microsecond');
end
$$;

-- When the database was restored from a backup, as the first revision after it, and to which instant. Every object that
-- clients sync got a newer revision then: what a client holds with an older one no longer exists.
create table restores (
  restored timestamptz primary key,
  restored_to timestamptz not null
);

-- Which map the console shows, as an administrator chose it. No row before somebody was asked.
create table chosen_map (
  only_row boolean primary key default true check (only_row),
  choice text not null check (choice in ('openfreemap', 'openstreetmap', 'file', 'none'))
);

-- PostgreSQL inlines a function only if it is declared no more constant than its body is, and adding an interval depends
-- on the time zone in general: hence stable.
create function epoch_ms(ms bigint) returns timestamptz
language sql stable parallel safe as $$ select timestamptz 'epoch' + ms * interval '1 millisecond' $$;

------------------------------------------------------------------------------------------------------------------------
-- Accounts and access. Passwords, keys and tokens are here as hashes only: a copy of the database opens nothing.
------------------------------------------------------------------------------------------------------------------------

create table accounts (
  id integer generated always as identity primary key,
  name text not null unique,
  created timestamptz not null default clock_timestamp(),
  -- Quotas that an operator set (docs/adr/0021): null leaves it to the settings, 0 is none.
  events_per_minute integer check (events_per_minute >= 0),
  volume_mb integer check (volume_mb >= 0),
  -- From where dongles may report over connections without a key, in CIDR notation; anywhere when there are none. Those
  -- of a device come before those of its account.
  networks text[] not null default '{}'
);

-- How much of its events a minute an account has used up, as of `at`; it decays as time passes.
create table account_levels (
  account_id integer primary key references accounts,
  events float8 not null check (events >= 0),
  at timestamptz not null default clock_timestamp()
);

-- The approximate room that the samples of an account take on the disk, by the week of their times.
create table account_volumes (
  account_id integer not null references accounts,
  -- A Monday.
  week date not null,
  bytes bigint not null check (bytes >= 0),
  primary key (account_id, week)
);

create table users (
  id integer generated always as identity primary key,
  account_id integer not null references accounts,
  email text not null check (email <> ''),
  -- argon2id in PHC form, which carries its own parameters and salt.
  password_hash text not null check (password_hash like '$argon2id$%'),
  permissions text[] not null,
  created timestamptz not null default clock_timestamp(),
  revoked timestamptz,
  -- The last login with the right password; null before the first one.
  last_login timestamptz
);
-- Mail systems do not tell letter cases apart, so neither does a login. A revoked user stays as a record, and the
-- address can be given to a new one.
create unique index users_by_email on users (lower(email)) where revoked is null;

create table api_keys (
  id integer generated always as identity primary key,
  account_id integer not null references accounts,
  name text not null check (name <> ''),
  -- The first characters of the key, by which an operator tells keys apart; the rest is still too much to guess.
  prefix text not null,
  -- SHA-256 without salt or stretching is enough: it hides 256 random bits, and every request looks it up.
  hash bytea not null unique check (octet_length(hash) = 32),
  permissions text[] not null,
  created timestamptz not null default clock_timestamp(),
  expires timestamptz,
  revoked timestamptz,
  -- A key ends with the right of its maker to administrate. Keys of the command line have none.
  made_by_user integer references users,
  made_by_key integer references api_keys,
  constraint api_keys_one_maker check (made_by_user is null or made_by_key is null)
);
create index api_keys_by_user on api_keys (made_by_user) where made_by_user is not null;
create index api_keys_by_key on api_keys (made_by_key) where made_by_key is not null;

create table tokens (
  hash bytea primary key check (octet_length(hash) = 32),
  kind text not null check (kind in ('access', 'refresh')),
  user_id integer not null references users on delete cascade,
  created timestamptz not null default clock_timestamp(),
  expires timestamptz not null,
  -- Logging out ends one login: the access tokens that came of it, and all its refresh tokens.
  login uuid not null,
  -- Refresh tokens of clients that asked for rotation: each is used once, and the token it was exchanged for names it as
  -- its parent. One that comes again after a successor was used has been stolen, or its successor was.
  rotates boolean not null default false,
  parent bytea check (octet_length(parent) = 32),
  used timestamptz
);
create index tokens_by_user on tokens (user_id);
create index tokens_by_login on tokens (login);
create index tokens_by_parent on tokens (parent) where parent is not null;
-- Issuing tokens removes expired ones.
create index tokens_by_expiry on tokens (expires);

-- Networks from which a user has logged in before: attempts from there are not slowed down by what others try elsewhere.
-- Hashes with the id of the user in them, so that nobody reads from here who was where.
create table known_networks (
  user_id integer not null references users on delete cascade,
  network bytea not null check (octet_length(network) = 32),
  last_login timestamptz not null default clock_timestamp(),
  primary key (user_id, network)
);

-- Failed logins by e-mail address and by network, here because all nodes must count together. Each failure moves
-- `forgiven` a minute further, up to a bound, so a row says both how many there were lately and when it can go.
create table failed_logins (
  -- SHA-256 of what is counted: people type passwords into the wrong field, and a row must not grow with its subject.
  subject bytea primary key check (octet_length(subject) = 32),
  last_failure timestamptz not null,
  forgiven timestamptz not null
);
create index failed_logins_by_forgiven on failed_logins (forgiven);

-- How many wrong passwords an hour were tried with a user, beside failed_logins, which forgives within minutes. Each
-- failure moves `forgiven` further by as long as it takes until another one is allowed.
create table login_guesses (
  subject bytea primary key check (octet_length(subject) = 32),
  forgiven timestamptz not null
);
create index login_guesses_by_forgiven on login_guesses (forgiven);

-- Who did what, and from where. Names are copied, and nothing here refers to other tables: a line stays what it was.
create table security_log (
  id bigint generated always as identity primary key,
  account_id integer not null,
  time timestamptz not null default clock_timestamp(),
  kind text not null,
  -- `service`: nobody, as of lines that were lost.
  caller_kind text not null check (caller_kind in ('user', 'key', 'service')),
  caller_id integer,
  caller_name text not null,
  -- Null where there is none.
  address text,
  details jsonb not null default '{}',
  -- Of lines that are written once an hour only: the hash of caller, hour and object, so that all nodes write it once.
  once bytea check (octet_length(once) = 32)
);
create unique index security_log_once on security_log (once) where once is not null;
create index security_log_by_account on security_log (account_id, time, id);
create index security_log_by_kind on security_log (account_id, kind, time, id);
create index security_log_by_caller on security_log (account_id, lower(caller_name), time, id);
create index security_log_by_time on security_log (time);

-- Lines are added and read. Only retention removes them, which says so, and none of the last seven days.
create function keep_security_log() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.time < clock_timestamp() - interval '7 days' and current_setting('tacho.retention', true) = 'security_log' then
      return old;
    end if;
  end if;
  raise exception 'the security log is only added to' using errcode = 'insufficient_privilege';
end
$$;
create trigger security_log_is_kept before update or delete on security_log
  for each row execute function keep_security_log();
create trigger security_log_is_not_emptied before truncate on security_log
  for each statement execute function keep_security_log();

------------------------------------------------------------------------------------------------------------------------
-- Devices, vehicles, and who sees what
------------------------------------------------------------------------------------------------------------------------

create table devices (
  id bigint primary key check (id > 0),
  manufacturer text not null default '',
  hardware_type text not null default '',
  hardware_version text not null default '',
  firmware_version text not null default '',
  is_online boolean not null default false,
  -- The last IS_DONGLE_PLUGGED_IN; null before the first one.
  is_plugged_in boolean,
  created timestamptz not null default clock_timestamp(),
  modified timestamptz not null,
  -- The model that an operator entered; it counts until the dongle names its own.
  hardware_set text not null default '',
  -- Only a key of its account has said whose it is: data from the dongle itself is not for that account.
  is_claimed boolean not null default false,
  -- See accounts.networks.
  networks text[] not null default '{}',
  -- Deleted by its account or the operator: nothing that it measured is left. The row stays, because deleted objects that
  -- clients sync refer to it; the dongle may come again.
  deleted timestamptz
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
  -- Set by an operator; null leaves it to the dongle.
  alarm_system boolean,
  alarm_system_set timestamptz,
  deleted timestamptz,
  created timestamptz not null default clock_timestamp(),
  modified timestamptz not null,
  -- An operator's VIN wins over one that a dongle read.
  vin_by_operator boolean not null default false,
  -- An operator entered the make; otherwise it follows from the VIN.
  make_by_operator boolean not null default false,
  -- The fuel type that an operator entered; empty leaves it to the dongle.
  fuel_type_set text not null default '',
  color text not null default '',
  -- Which cars it belongs with, as an operator says.
  car_group text not null default '',
  unique (account_id, public_id)
);
-- The vehicles that were made for a dongle, for working out in which it was.
create index vehicles_by_first_device on vehicles (first_device_id);

-- Public ids that a vehicle had before its VIN was known: they keep answering (decisions.md, *Vehicles and devices*).
create table former_vehicle_ids (
  account_id integer not null references accounts,
  public_id text collate "C" not null,
  vehicle_id bigint not null references vehicles,
  deleted timestamptz not null,
  modified timestamptz not null,
  -- An operator put another VIN in the place of this one: a dongle that reads it still is in that vehicle.
  by_operator boolean not null default false,
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

-- From this instant on an operator had the dongle in that vehicle, minus infinity for ever since (docs/adr/0011). Like
-- VIN readings, moves are facts: the assignments are worked out from both.
create table operator_moves (
  device_id bigint not null references devices,
  at_time timestamptz not null,
  vehicle_id bigint not null references vehicles,
  -- The vehicle was made for this move.
  is_new_vehicle boolean not null,
  primary key (device_id, at_time)
);
create index operator_moves_by_vehicle on operator_moves (vehicle_id);

-- IMEIs that the operator has handed out (docs/adr/0023). Once there are several accounts, each registers of its own
-- accord only those that were handed out to it.
create table allotments (
  account_id integer not null references accounts,
  imeis int8range not null,
  created timestamptz not null default clock_timestamp(),
  primary key (imeis),
  exclude using gist (imeis with &&)
);

-- Devices that accounts registered of their own accord, or were not allowed to. The device may be gone by now.
create table claims (
  device_id bigint not null,
  account_id integer not null references accounts,
  claimed timestamptz not null default clock_timestamp(),
  -- open: registered, and it has not reported yet; by key: it joined with data that a key of the account sent, without
  -- being handed out; released: it never reported, and was given up; refused: it is not this account's to register.
  state text not null check (state in ('open', 'by key', 'released', 'refused')),
  changed timestamptz not null default clock_timestamp(),
  primary key (device_id, account_id)
);
create index claims_by_state on claims (state, claimed);

------------------------------------------------------------------------------------------------------------------------
-- Samples
------------------------------------------------------------------------------------------------------------------------

-- Sets of event types that occur together in a sample. A fleet has few of them, and each is kept once.
create table layouts (
  id integer generated always as identity primary key,
  -- Ids of the catalogue, ascending.
  types smallint[] not null unique,
  -- Who used it first: each account may bring in so many.
  account_id integer references accounts,
  -- No sample with this layout is of a later time. When all samples until then are dropped, none uses it.
  newest timestamptz not null default clock_timestamp() + interval '5 minutes',
  -- The last day on which a sample with this layout was written.
  used_on date not null default current_date
);
create index layouts_by_account on layouts (account_id);

-- Everything one dongle measured at one instant. Partitions are weeks, made when a time first arrives.
create table samples (
  device_id bigint not null,
  time timestamptz not null,
  -- The revision of the batch that wrote it last.
  stored timestamptz not null,
  layout_id integer not null,
  -- Packed, see unpack_numbers; null where the layout has none.
  numbers bytea,
  -- One for each STRING of the layout; null where it has none.
  texts text[],
  primary key (device_id, time)
) partition by range (time);
create index samples_by_time on samples using brin (time, stored) with (pages_per_range = 16, autosummarize = on);

-- The numbers of a sample, for people and reports; the program unpacks them itself. `wanted` is how many there are: one
-- for each NUMBER and BOOLEAN of the layout, two for a GEO (longitude, latitude).
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

-- Old samples, one row a device and day (docs/adr/0037). Body and rollup are compressed already.
create table sealed_days (
  device_id bigint not null,
  day date not null,
  version bigint generated by default as identity,
  samples_count integer not null,
  values_count integer not null,
  first_stored timestamptz not null,
  last_stored timestamptz not null,
  layout_ids integer[] not null,
  body bytea storage external not null,
  -- The values of the day hour by hour (docs/adr/0039). Null until it is worked out.
  rollup bytea storage external not null,
  primary key (device_id, day)
);
create index sealed_days_by_day on sealed_days (day);
create index sealed_days_by_stored on sealed_days (last_stored);

-- Has a row while nothing is to be sealed, because an operator said so.
create table sealing_paused (
  only_row boolean primary key default true check (only_row),
  since timestamptz not null default clock_timestamp()
);

-- Since when all samples are kept: older ones were dropped (RETENTION_DAYS), and what followed from them stays as it is.
-- One row; none before the first drop.
create table retention (
  only_row boolean primary key default true check (only_row),
  kept_since timestamptz not null
);

-- Samples of dongles whose clock was wrong: more than five minutes ahead of when they were received, or before 2000
-- (decisions.md, *Vehicles and devices*). They are kept, and nothing follows from them. The same instant may come with
-- different content, since a clock that was never set gives the same time again and again.
create table misdated_samples (
  device_id bigint not null references devices,
  -- Milliseconds since 1970 as the dongle sent them; anything beyond 2^53 - 1 counts as that.
  time_ms bigint not null,
  -- A hash of types, numbers and texts: what is sent twice is kept once.
  content bytea not null check (octet_length(content) = 16),
  received timestamptz not null default clock_timestamp(),
  types smallint[] not null,
  numbers float8[] not null,
  texts text[] not null,
  primary key (device_id, time_ms, content)
);

-- What gateways received and refused, for inspection with `tacho frames`. Bounded: the newest rows, the begin of each.
create table rejected_frames (
  id bigint generated always as identity primary key,
  received timestamptz not null default clock_timestamp(),
  gateway text not null,
  -- The device that the sender named; it may be unknown.
  device_id bigint,
  -- The address it came from.
  sender text not null,
  -- A sentence for the operator.
  why text not null,
  -- How long it was; `bytes` is at most the begin of it.
  byte_count integer not null,
  bytes bytea not null,
  reason text not null default 'unreadable'
    check (reason in ('unreadable', 'unknown device', 'claimed device', 'network', 'not stored'))
);

------------------------------------------------------------------------------------------------------------------------
-- What a device's derivation has come to (src/derive)
------------------------------------------------------------------------------------------------------------------------

-- Of each mark of something due another number: who derives knows by it what it has in memory, and whether more came since.
create sequence due_versions;

-- The turns of the transactions that lock a shard: a process knows by them whether what it remembers of the shard still holds (src/db/shards.ts).
do $$ begin
  for shard in 0..63 loop execute format('create sequence shard_turns_%s', shard); end loop;
end $$;

-- What is to be derived, and is forgotten only by deriving it (src/derive/README.md). Of a device at most three rows: its samples changed, in
-- which cars it was is to be worked out again, or its history is to be folded again. Marks are merged into the row that is there.
create table due (
  -- Of `devices`. A foreign key would cost half as much again as the row, which is made and deleted with every batch.
  device_id bigint not null,
  kind text not null check (kind in ('samples', 'cars', 'history')),
  -- From the oldest instant to the last one that is to be folded; of a history it moves on with what is done. Infinite at first where nothing
  -- is to be folded.
  from_time timestamptz not null,
  to_time timestamptz not null,
  -- No sample that is stored and not derived is later, though the newest may be a minute earlier: more is stored without another mark then.
  -- Null where no sample changed.
  last_time timestamptz,
  -- When something of the device had arrived; null where the mark does not come from that.
  received timestamptz,
  -- See src/derive/due.ts; the least of all marks.
  priority smallint not null,
  since timestamptz not null default clock_timestamp(),
  version bigint not null default nextval('due_versions'),
  primary key (device_id, kind)
) with (fillfactor = 50);

-- One row a device, rewritten with every batch: no index on what changes, room on the page for the next version, and the
-- long texts in the row itself.
create table device_states (
  device_id bigint primary key references devices,
  -- The extent of the samples from which something was derived.
  first_time timestamptz not null,
  last_time timestamptz not null,
  -- When something last arrived, by the clock of the database.
  last_received timestamptz not null,
  -- The state of the fold after all samples but the newest, which may still come in pieces (src/derive/trips). Null
  -- before the first sample.
  fold text storage external,
  -- By which version of the rules the history of the device was folded (src/derive/due.ts).
  folded_by smallint not null default 1,
  -- The row in trips of the trip that the fold is in, and its start; null while there is none.
  trip_id bigint,
  trip_start timestamptz,
  -- The columns of that trip that change with every sample, while it is open (null while it is not): its row is left
  -- alone, so that no index of trips has to follow each sample. Read through trips_now.
  trip_end timestamptz,
  trip_distance_m integer,
  trip_duration_s integer,
  trip_meters jsonb,
  -- The route is the first trip_route_kept characters of the row, then trip_route.
  trip_route_kept integer,
  trip_route text storage external,
  trip_modified timestamptz,
  -- From when on silence has ended it (decisions.md, *Trips*, silence).
  trip_silent_from timestamptz
) with (fillfactor = 50, toast_tuple_target = 4080);
create index device_states_folded_by on device_states (folded_by, device_id);

-- States of the fold to begin again from: the one after all samples before `before_time`.
create table fold_checkpoints (
  device_id bigint not null,
  before_time timestamptz not null,
  state text not null,
  primary key (device_id, before_time)
);

-- When a job that one node at a time does ran last, and since when without a pause: after an outage of the service the
-- whole fleet was silent, which says nothing about the dongles.
create table sweeps (
  name text primary key,
  last_run timestamptz not null,
  steady_since timestamptz not null
);

------------------------------------------------------------------------------------------------------------------------
-- Facts: what follows from samples. Rows that clients sync are never removed, only marked as deleted.
------------------------------------------------------------------------------------------------------------------------

-- The newest value of every event type that a dongle measured in a vehicle. Arrays as in samples, with a time for each
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

-- Readings of one VIN after another: the run begins at first_time, and when it is believed, the dongle came into that
-- car at boundary, the last unplug or trip end before.
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

-- Positions are rounded to five digits (about a metre), so that one place has one row.
create table addresses (
  id bigint generated always as identity primary key,
  lat double precision not null,
  lon double precision not null,
  -- {"en": {"road": …, "houseNumber": …, "suburb": …, "locality": …, "state": …, "country": …, "postcode": …}, "de": {…}}
  texts jsonb not null default '{}',
  -- When the texts were looked up; null while they are to be.
  found timestamptz,
  -- When the geocoder of GEOCODER_URL answered; until then the texts are the gazetteer's, which knows no roads.
  geocoded timestamptz,
  -- How often it was asked, and from when on it may be asked again.
  asked smallint not null default 0,
  ask_after timestamptz not null default '-infinity',
  -- Places within one cell of four digits (about ten metres) share an answer.
  cell_lat integer generated always as (round(lat * 10000)::integer) stored,
  cell_lon integer generated always as (round(lon * 10000)::integer) stored
);
create unique index addresses_by_place on addresses (lat, lon);
create index addresses_by_cell on addresses (cell_lat, cell_lon);
create index addresses_waiting on addresses (id) where found is null;
create index addresses_to_ask on addresses (ask_after, id desc) where geocoded is null;

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
  -- Positions that counted.
  fix_count integer not null default 0,
  -- A car drives one trip at a time. Set while the trip of another dongle counts in its place (docs/adr/0017): then
  -- `deleted` is set, too, and the row keeps all measurements for the case that the other one turns out to be none.
  superseded_by bigint,
  primary key (device_id, id),
  check (start_time <= end_time),
  constraint trips_superseded_are_deleted check (superseded_by is null or deleted is not null)
);
create index trips_by_id on trips (id);
create index trips_by_account_start on trips (account_id, start_time, id);
create index trips_by_vehicle_start on trips (vehicle_id, start_time, id);
create index trips_by_account_modified on trips (account_id, modified);
create index trips_open on trips (device_id) where is_open;
create index trips_open_by_account on trips (account_id, start_time) where is_open;
create index trips_by_start_address on trips (start_address_id);
create index trips_by_end_address on trips (end_address_id);
create index trips_by_superseder on trips (superseded_by) where superseded_by is not null;
-- Trips of a device that overlap a time, for folding it again: also those in whose place another one counts.
create index trips_by_device_start on trips (device_id, start_time) where deleted is null or superseded_by is not null;
-- What is left of trips of deleted devices, which is swept when it is old: such a trip began when it was deleted.
create index trips_erased on trips (deleted) where start_time = deleted;

-- Trips as clients see them: one in whose place another counts is like all that are marked as deleted, without anything
-- that could be counted twice.
create view trips_shown as
select
  id, device_id, account_id, vehicle_id, start_time, end_time, is_open,
  case when superseded_by is null then distance_m else 0 end as distance_m,
  case when superseded_by is null then duration_s else 0 end as duration_s,
  start_address_id, end_address_id,
  case when superseded_by is null then meters else '{}' end as meters,
  case when superseded_by is null then polyline else '' end as polyline,
  deleted, superseded_by, modified
from trips;

-- Open trips with the newer columns of device_states, unless they do not count. A view of its own: PostgreSQL misjudges
-- `trips_now where is_open`, because it goes over the ended trips as well.
create view trips_open_now as
select
  t.id, t.device_id, t.account_id, t.vehicle_id, t.start_time,
  coalesce(r.trip_end, t.end_time) as end_time,
  t.is_open,
  coalesce(r.trip_distance_m, t.distance_m) as distance_m,
  coalesce(r.trip_duration_s, t.duration_s) as duration_s,
  t.start_address_id, t.end_address_id,
  coalesce(r.trip_meters, t.meters) as meters,
  case when r.trip_route is null then t.polyline else left(t.polyline, r.trip_route_kept) || r.trip_route end as polyline,
  t.deleted, t.superseded_by,
  greatest(t.modified, r.trip_modified) as modified
from trips_shown t
left join device_states r on r.device_id = t.device_id and r.trip_id = t.id and t.superseded_by is null
where t.is_open;

-- Trips as they are read.
create view trips_now as
select
  id, device_id, account_id, vehicle_id, start_time, end_time, is_open, distance_m, duration_s, start_address_id, end_address_id,
  meters, polyline, deleted, superseded_by, modified
from trips_shown
where not is_open
union all
select * from trips_open_now;

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
  -- Out-of-order data showed that there was no such code; unlike one that was there and is no longer reported.
  is_retracted boolean not null default false,
  -- The kind of lists that a freeze frame was reported in; null for the others, whose type says it.
  frame_list text check (frame_list in ('PERMANENT', 'SPORADIC')),
  primary key (device_id, id)
);
create index dtcs_by_account_recorded on dtcs (account_id, recorded, id);
create index dtcs_by_account_modified on dtcs (account_id, modified);
create index dtcs_by_vehicle on dtcs (vehicle_id, recorded, id);
create index dtcs_by_device on dtcs (device_id, recorded) where not is_retracted;
-- What is left of codes of deleted devices: rows without a text.
create index dtcs_erased on dtcs (deleted) where code = '';

-- Texts of fault codes that an operator added (tacho dtc import). Make is empty for all makes.
create table dtc_labels (
  code text not null,
  language text not null check (language in ('en', 'de')),
  make text not null default '',
  label text not null check (label <> ''),
  primary key (code, language, make)
);

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
  -- To tell whether the odometer jumped between two days (src/derive/days): in metres, of the first and the last trip that
  -- has a reading. Null where odometer_start and odometer_end are.
  first_reading bigint,
  last_reading bigint,
  -- The earliest instant at which the first can have been shown, and the latest one at which the last one was.
  first_read_at timestamptz,
  last_read_at timestamptz,
  -- How much of the change of the odometer within the day was not driven: statistics leave such jumps out.
  odometer_jump bigint not null,
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

-- Days whose account_days row is older than vehicle_days. Rows are only added and taken away, never shared, so that two
-- writers of one account do not wait for each other.
create table due_account_days (
  id bigint generated always as identity primary key,
  account_id integer not null,
  day date not null
);
create index due_account_days_by_account on due_account_days (account_id, day);

------------------------------------------------------------------------------------------------------------------------
-- Areas, rules and incidents (docs/adr/0033, 0034)
------------------------------------------------------------------------------------------------------------------------

-- Shapes on the map: depots, customers, roads. A new shape holds from an instant on, and the former one stays, so that the
-- past can be judged by it.
create table areas (
  id bigint generated always as identity primary key,
  account_id integer not null references accounts,
  name text not null,
  kind text not null,
  color text not null,
  version integer not null,
  deleted timestamptz,
  modified timestamptz not null
);
create index areas_by_account on areas (account_id, id);
create index areas_by_account_modified on areas (account_id, modified);

create table area_versions (
  area_id bigint not null references areas,
  version integer not null,
  valid_from timestamptz not null,
  shape jsonb not null,
  primary key (area_id, version)
);

-- Accounts that ever had a rule. The revision is another one after each change of what rules follow from.
create table rule_books (
  account_id integer primary key references accounts,
  revision timestamptz not null
);

create table rules (
  id integer generated always as identity primary key,
  account_id integer not null references accounts,
  name text not null,
  -- The newest of its versions.
  version integer not null,
  created timestamptz not null default clock_timestamp(),
  modified timestamptz not null,
  deleted timestamptz
);
create index rules_by_account_modified on rules (account_id, modified);
create index rules_by_account on rules (account_id, id);

-- What a rule asked for, and when. Only the end of a version changes; one that was replaced as a whole ends where it begins.
create table rule_versions (
  rule_id integer not null references rules,
  version integer not null,
  account_id integer not null,
  kind text not null,
  parameters jsonb not null,
  severity text not null check (severity in ('info', 'warning', 'critical')),
  from_time timestamptz not null,
  to_time timestamptz not null default 'infinity',
  -- Null: all of the account.
  vehicle_ids bigint[],
  hours jsonb,
  saved timestamptz not null default clock_timestamp(),
  -- Who saved it, by name.
  saved_by text not null,
  primary key (rule_id, version)
);
create index rule_versions_by_account on rule_versions (account_id);

-- Changes of rules and areas of which the devices are not due yet.
create table rule_changes (
  id bigint generated always as identity primary key,
  account_id integer not null references accounts,
  -- From when on something is different.
  from_time timestamptz not null,
  -- Null: all of the account.
  vehicle_ids bigint[],
  -- When a background job first saw it: whoever began to write later knows it.
  seen timestamptz
);

create table incidents (
  id bigint generated always as identity,
  device_id bigint not null,
  account_id integer not null,
  vehicle_id bigint not null,
  rule_id integer not null,
  rule_version integer not null,
  kind text not null,
  severity text not null,
  -- 0: none.
  area_id bigint not null default 0,
  -- What distinguishes it from others of the same start, such as a trouble code.
  detail text not null default '',
  start_time timestamptz not null,
  -- Null while it goes on.
  end_time timestamptz,
  -- The time of the sample since which no later one can change it; infinite while it goes on.
  decided_time timestamptz not null,
  -- If nothing comes for longer, it is over.
  longest_gap_s integer not null,
  peak float8,
  peak_time timestamptz,
  start_longitude float8,
  start_latitude float8,
  end_longitude float8,
  end_latitude float8,
  start_address_id bigint,
  end_address_id bigint,
  acknowledged timestamptz,
  -- Who acknowledged it, by name.
  acknowledged_by text,
  note text,
  -- Its device was deleted, and it is empty.
  is_erased boolean not null default false,
  modified timestamptz not null,
  deleted timestamptz,
  -- Several dongles in a car find the same event, and one incident counts. The dongle knew the odometer of the car.
  has_odometer boolean not null default false,
  -- The incident of another dongle that counts in its place; the row stays, marked as deleted, as trips do.
  superseded_by bigint,
  primary key (device_id, id)
);
-- One that is found again has its row again, and with it its id and its acknowledgement.
create unique index incidents_by_key on incidents (device_id, vehicle_id, rule_id, start_time, area_id, detail)
  where not is_erased;
create index incidents_by_account_modified on incidents (account_id, modified);
create index incidents_by_account_start on incidents (account_id, start_time, id);
create index incidents_by_vehicle on incidents (vehicle_id, start_time, id);
create index incidents_by_device_decided on incidents (device_id, decided_time)
  where deleted is null or superseded_by is not null;
create index incidents_by_id on incidents (id);
create index incidents_open on incidents (device_id)
  where end_time is null and (deleted is null or superseded_by is not null);
create index incidents_by_superseding on incidents (superseded_by) where superseded_by is not null;
create index incidents_by_start_address on incidents (start_address_id);
create index incidents_by_end_address on incidents (end_address_id);
create index incidents_erased on incidents (deleted) where is_erased;

------------------------------------------------------------------------------------------------------------------------
-- Functions that a database of several machines replaces: `tacho migrate --citus` (docs/adr/0040)
------------------------------------------------------------------------------------------------------------------------

-- Called before reading by whoever relies on seeing every committed sample. On one server a commit is seen at once.
create function require_decided() returns void
language sql as $$ select $$;

-- The room that a table takes with its indexes.
create function table_bytes(which regclass) returns bigint
language sql stable as $$ select pg_total_relation_size(which) $$;

-- How many rows it has, as far as PostgreSQL has counted.
create function table_rows(which regclass) returns bigint
language sql stable as $$ select greatest(reltuples, 0)::bigint from pg_class where oid = which $$;
