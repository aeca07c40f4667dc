-- What accounts ask to be told of, and what was found (docs/adr/0034).

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

-- Changes of rules and areas of which the devices are not entered for folding again yet.
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
  -- What tells it from others of the same start, such as a trouble code.
  detail text not null default '',
  start_time timestamptz not null,
  -- Null while it goes on.
  end_time timestamptz,
  -- The time of the sample since which no later one can change it; infinite while it goes on.
  decided_time timestamptz not null,
  -- If nothing comes for longer, what goes on is over.
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
  primary key (device_id, id)
);
-- One that is told again has its row again, and with it its id and its acknowledgement.
create unique index incidents_by_key on incidents (device_id, vehicle_id, rule_id, start_time, area_id, detail)
  where not is_erased;
create index incidents_by_account_modified on incidents (account_id, modified);
create index incidents_by_account_start on incidents (account_id, start_time, id);
create index incidents_by_vehicle on incidents (vehicle_id, start_time, id);
create index incidents_by_device_decided on incidents (device_id, decided_time) where deleted is null;
create index incidents_by_id on incidents (id);
create index incidents_open on incidents (device_id) where end_time is null and deleted is null;
create index incidents_by_start_address on incidents (start_address_id);
create index incidents_by_end_address on incidents (end_address_id);
create index incidents_erased on incidents (deleted) where is_erased;

-- Who manages an account may see and say what is watched.
update users set permissions = permissions || '{rules,incidents}'::text[]
where 'administration' = any(permissions) and not permissions && '{rules,incidents}'::text[];
