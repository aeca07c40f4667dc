-- Of what several dongles in a car tell of one event, one incident counts (docs/adr/0034). The others keep their rows, marked as
-- deleted, as trips do.
alter table incidents
  -- The dongle knew the odometer of the car.
  add column has_odometer boolean not null default false,
  -- The incident of another dongle that counts in its place.
  add column superseded_by bigint;

drop index incidents_by_device_decided;
create index incidents_by_device_decided on incidents (device_id, decided_time)
  where deleted is null or superseded_by is not null;
drop index incidents_open;
create index incidents_open on incidents (device_id)
  where end_time is null and (deleted is null or superseded_by is not null);
create index incidents_by_superseding on incidents (superseded_by) where superseded_by is not null;

-- What was told before is folded again for both.
insert into rule_changes (account_id, from_time) select account_id, '-infinity' from rule_books;
