create table ignition_days (
  device_id bigint not null,
  start_time timestamptz not null,
  decided timestamptz not null,
  cycles integer not null,
  primary key (device_id, start_time)
);
