-- When the rules change by which trips are derived, the whole history of each device is folded again in the background
-- (docs/adr/0016).

-- By which version of the rules the history of the device was folded (src/derive/derivation-version.ts). What is there
-- now was folded by the first one.
alter table device_states add column folded_by smallint not null default 1;
create index device_states_folded_by on device_states (folded_by, device_id);

-- Devices whose history is being folded again, and how far that is. A row goes with the last stretch.
create table refolds (
  device_id bigint primary key references devices,
  -- The version that it is folded by: what an older one folded says nothing for a newer one.
  version smallint not null,
  -- Everything before follows from this version's rules; the rest is as it was.
  folded_to timestamptz not null default '-infinity',
  -- The oldest instant of late samples that were folded since the stretch now at work was begun; null when there were none.
  late_from timestamptz
);
