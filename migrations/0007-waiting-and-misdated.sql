-- Samples of dongles whose clock was wrong: more than five minutes ahead of when they were received, or before 2000
-- (docs/spec, decisions: Vehicles and devices). They are kept, and nothing follows from them. The same instant may come
-- with different content, since a clock that was never set tells the same time again and again.
create table misdated_samples (
  device_id bigint not null references devices (id),
  -- Milliseconds since 1970, as the dongle told; what is beyond 2^53 - 1 counts as that.
  time_ms bigint not null,
  -- A hash of types, numbers and texts: what is sent twice is kept once.
  content bytea not null check (octet_length(content) = 16),
  received timestamptz not null default clock_timestamp(),
  types smallint[] not null,
  numbers float8[] not null,
  texts text[] not null,
  primary key (device_id, time_ms, content)
);

-- The lanes of devices (src/store/fleet/lanes.ts), each with the process that remembers which of its samples are stored and
-- wait until what follows from them is worked out. Whoever else holds the lane works that out first, from the samples.
create table lanes (
  lane smallint primary key check (lane between 0 and 63),
  -- A number that a process drew when it started; null while nobody remembers anything.
  keeper bigint,
  -- Samples stored before were told; null while nothing waits.
  waiting_since timestamptz
);
insert into lanes (lane) select generate_series(0, 63);

-- Locks lanes in the order given, and tells then what their rows say: one question instead of two for every batch. It must
-- be volatile, so that the rows are those after the locks were given.
create function hold_lanes(wanted integer[])
returns table (lane smallint, keeper bigint, waiting_since timestamptz) language plpgsql volatile as $$
#variable_conflict use_column
declare
  wanted_lane integer;
begin
  foreach wanted_lane in array wanted loop
    perform pg_advisory_xact_lock(7412, wanted_lane);
  end loop;
  return query select l.lane, l.keeper, l.waiting_since from lanes l where l.lane = any (wanted) order by l.lane;
end
$$;
