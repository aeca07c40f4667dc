-- When a job that one node at a time does ran last, and since when without a pause: after an outage of the service the
-- whole fleet was silent, which says nothing about the dongles.
create table sweeps (
  name text primary key,
  last_run timestamptz not null,
  steady_since timestamptz not null
);
