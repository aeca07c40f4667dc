-- Functions of the migrations as a database needs them that is distributed over Citus (docs/adr/0040); they replace those. Citus commits on the
-- workers after the coordinator has: a transaction that no longer has an id there may still be about to become visible.

-- Transactions that are prepared on a worker, by the names that Citus gives them: citus, 0 for the coordinator, process, number, connection.
create or replace function prepared_on_workers() returns text[]
language plpgsql as $$
declare
  silent text;
  prepared text[];
begin
  select string_agg(nodename || ':' || nodeport, ', ') filter (where not success),
    array_agg(name) filter (where success and name <> '')
  into silent, prepared
  from run_command_on_workers($worker$
    select string_agg(gid, ',') from pg_prepared_xacts
    where database = current_database() and gid like 'citus\_0\_%'$worker$) w
  left join lateral unnest(string_to_array(w.result, ',')) as name on w.success;
  if silent is not null then
    raise exception 'these workers do not answer: %', silent using errcode = 'lock_not_available';
  end if;
  return prepared;
end
$$;

-- A transaction holds the lock of its own id until its commits on the workers were tried.
create or replace function is_committing(process integer) returns boolean
language sql volatile as $$
  select exists (
    select from pg_locks where pid = process and locktype = 'transactionid' and mode = 'ExclusiveLock' and granted)
$$;

-- Whether the coordinator still works on a transaction that is prepared on a worker, or tries to commit it there. Its process may have begun
-- another one since: the number tells.
create or replace function is_under_way(prepared text) returns boolean
language sql volatile as $$
  select exists (
    select from get_all_active_transactions()
    where process_id = split_part(prepared, '_', 3)::integer and transaction_number = split_part(prepared, '_', 4)::bigint)
$$;

-- A worker that was gone at the wrong moment has transactions that are committed and cannot be seen: Citus commits them when it is back.
create or replace function require_decided() returns void
language plpgsql as $$
declare
  ended text[];
begin
  select array_agg(name) into ended from unnest(prepared_on_workers()) as name
  where not is_under_way(name);
  if ended is null then
    return;
  end if;
  -- What ended between the two looks is not there any more.
  if ended && prepared_on_workers() then
    raise exception 'a worker has not yet committed what the coordinator has' using errcode = 'lock_not_available';
  end if;
end
$$;

create or replace function low_watermark(writer_name text) returns timestamptz
language plpgsql as $$
declare
  own timestamptz := take_revisions(1);
  oldest timestamptz;
begin
  select min(xact_start) into oldest from pg_stat_get_activity(null)
  where application_name = writer_name and is_committing(pid)
    and datid = (select oid from pg_database where datname = current_database());
  -- After that look: one that was running then is before `oldest`, and one that was not has ended.
  perform require_decided();
  return least(own, oldest - interval '1 microsecond');
end
$$;

-- Makes Citus prepare what this transaction has copied. Citus takes a connection over which a transaction has read before it copied for one that
-- has only read: it commits there after the coordinator, without having prepared, and a worker that dies meanwhile loses acknowledged samples.
-- A deletion marks the connection as one that has written. It finds nothing, so two of them cannot lock one another out.
create or replace function prepare_copied(devices bigint[]) returns void
language plpgsql set citus.enable_deadlock_prevention = off as $$
begin
  delete from samples where device_id = any (devices) and time = '-infinity';
end
$$;

create or replace function table_bytes(which regclass) returns bigint
language sql as $$
  select case when exists (select from pg_dist_partition where logicalrelid = which) then citus_total_relation_size(which)
    else pg_total_relation_size(which) end
$$;

create or replace function table_rows(which regclass) returns bigint
language sql as $$
  select coalesce(sum(greatest(result::float8, 0)), 0)::bigint
  from run_command_on_shards(which, 'select reltuples from pg_class where oid = ''%s''::regclass') where success
$$;
