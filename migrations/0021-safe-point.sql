-- A writer holds the safe point from its first stamp on, not while it only reads: a fold of many late samples reads for
-- seconds, and live streams and syncs of all accounts waited for it. `take_stamps` gives its transaction a transaction
-- id, because it sets a sequence; whoever takes its first stamp later gets one after `own`.
create or replace function safe_point(writer_name text) returns timestamptz
  language plpgsql
as $$
declare
  own timestamptz := take_stamps(1);
  oldest timestamptz;
begin
  select min(xact_start) into oldest from pg_stat_activity
  where application_name = writer_name and datname = current_database() and backend_xid is not null;
  return least(own, oldest - interval '1 microsecond');
end
$$;
