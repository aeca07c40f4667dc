-- What people draw on the map: depots, customers, roads. What is drawn anew holds from an instant on, and what was drawn
-- before stays, so that the past can be judged by it.

create table areas (
  id bigint generated always as identity primary key,
  account_id integer not null references accounts (id),
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
  area_id bigint not null references areas (id),
  version integer not null,
  valid_from timestamptz not null,
  shape jsonb not null,
  primary key (area_id, version)
);
