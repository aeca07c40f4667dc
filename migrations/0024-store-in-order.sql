-- New samples of dongles in one statement, which is its own transaction: at ordinary load a batch is a few samples, and begin,
-- locks, revision, COPY and commit one by one cost more than the samples do (docs/adr/0030).
--
-- Stores nothing and returns false if it would have to wait for a shard, or if somebody else remembers what waits in one.
create function store_in_order(
  wanted_shards integer[], owner bigint,
  device_ids bigint[], times_ms bigint[], layout_ids integer[], packed bytea[], text_arrays text[]
) returns boolean language plpgsql as $$
declare
  wanted_shard integer;
  revision timestamptz;
begin
  foreach wanted_shard in array wanted_shards loop
    if not pg_try_advisory_xact_lock(7412, wanted_shard) then
      return false;
    end if;
  end loop;
  if (select count(*) from shards where shard = any (wanted_shards::smallint[]) and lease_owner = owner)
    < cardinality(wanted_shards) then
    return false;
  end if;
  revision := take_revisions(1);
  insert into samples (device_id, time, stored, layout_id, numbers, texts)
  select u.device_id, epoch_ms(u.time_ms), revision, u.layout_id, u.numbers, u.texts::text[]
  from unnest(device_ids, times_ms, layout_ids, packed, text_arrays)
    as u (device_id, time_ms, layout_id, numbers, texts);
  update shards set backlog_since = revision where shard = any (wanted_shards::smallint[]) and backlog_since is null;
  return true;
end
$$;
