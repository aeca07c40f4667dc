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
-- None is older than the start of its transaction, on which safe_point relies, even when the clock is set back in it.
create function take_stamps(wanted integer) returns timestamptz
language plpgsql volatile as $$
declare
  first_us bigint;
begin
  perform pg_advisory_lock(7411, 0);
  select greatest((extract(epoch from greatest(clock_timestamp(), now())) * 1000000)::bigint, last_value + 1)
  into first_us from stamps;
  perform setval('stamps', first_us + greatest(wanted, 1) - 1);
  perform pg_advisory_unlock(7411, 0);
  return timestamptz 'epoch' + first_us * interval '1 microsecond';
end
$$;

-- The newest instant up to which nothing can still change unseen (decisions.md, *Sync*): every stamp of a transaction
-- that commits after this returned is greater. The stamp comes first and the list of open writers after it: a writer
-- that is not in the list takes its stamps later, one that is bounds the result by its start.
create function safe_point(writer_name text) returns timestamptz
language plpgsql volatile as $$
declare
  own timestamptz := take_stamps(1);
  oldest timestamptz;
begin
  select min(xact_start) into oldest from pg_stat_activity
  where application_name = writer_name and datname = current_database();
  return least(own, oldest - interval '1 microsecond');
end
$$;
