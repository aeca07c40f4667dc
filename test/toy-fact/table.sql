create table ignition_days (
  id bigint generated always as identity,
  device_id bigint not null,
  account_id integer not null,
  vehicle_id bigint not null,
  start_time timestamptz not null,
  cycles integer not null,
  modified timestamptz not null,
  deleted timestamptz,
  primary key (device_id, id)
);
create unique index ignition_days_by_device on ignition_days (device_id, start_time) where deleted is null;
create index ignition_days_by_account_start on ignition_days (account_id, start_time, id);
create index ignition_days_by_account_modified on ignition_days (account_id, modified);
