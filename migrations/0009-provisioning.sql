-- What operators say of dongles and cars before or beside what these report.

-- From this instant on an operator had the dongle in that vehicle, minus infinity for since ever (docs/adr/0011). Facts
-- like VIN readings: the assignments are worked out from both.
create table operator_moves (
  device_id bigint not null references devices,
  at_time timestamptz not null,
  vehicle_id bigint not null references vehicles,
  -- The vehicle was made for this move.
  is_new_vehicle boolean not null,
  primary key (device_id, at_time)
);
create index operator_moves_by_vehicle on operator_moves (vehicle_id);

-- The make of a vehicle is an operator's word; otherwise it follows from the VIN.
alter table vehicles add make_by_operator boolean not null default false;
-- The fuel type that an operator entered; empty leaves the word to the dongle.
alter table vehicles add fuel_type_set text not null default '';
-- The model that an operator entered; it counts until the dongle names its own.
alter table devices add hardware_set text not null default '';
