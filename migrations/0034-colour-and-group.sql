-- What an operator says of a car, and nobody else can: its colour, and which cars it belongs with.
alter table vehicles
  add column color text not null default '',
  add column car_group text not null default '';
