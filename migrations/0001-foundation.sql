-- Accounts and stamps: what everything else stands on.

create extension if not exists btree_gist;

create table accounts (
  id integer generated always as identity primary key,
  name text not null unique,
  created timestamptz not null default clock_timestamp()
);

-- The newest stamp given out, in microseconds since 1970. A sequence, because it must not wait for a transaction.
create sequence stamps as bigint minvalue 0 start 0;

-- Reserves `wanted` stamps that nobody else gets, never older than any stamp given before, and returns the first;
-- the others follow it microsecond by microsecond. The lock is held for the two statements inside only, so
-- writers do not wait for each other's transactions. A clock set back makes stamps run ahead of it until it catches up.
create function take_stamps(wanted integer) returns timestamptz
language plpgsql volatile as $$
declare
  first_us bigint;
begin
  perform pg_advisory_lock(7411, 0);
  select greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint, last_value + 1) into first_us from stamps;
  perform setval('stamps', first_us + greatest(wanted, 1) - 1);
  perform pg_advisory_unlock(7411, 0);
  return timestamptz 'epoch' + first_us * interval '1 microsecond';
end
$$;
