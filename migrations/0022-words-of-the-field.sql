-- The words that docs/glossary.md has for these things. Renaming touches no row.
alter table lanes rename to shards;
alter table shards rename column lane to shard;
alter table shards rename column keeper to lease_owner;
alter table shards rename column waiting_since to backlog_since;
alter table shards rename constraint lanes_pkey to shards_pkey;
alter table shards rename constraint lanes_lane_check to shards_shard_check;
alter sequence stamps rename to revisions;

alter function take_stamps rename to take_revisions;
create or replace function take_revisions(wanted integer) returns timestamptz
language plpgsql volatile as $$
declare
  first_us bigint;
begin
  perform pg_advisory_lock(7411, 0);
  select greatest((extract(epoch from greatest(clock_timestamp(), now())) * 1000000)::bigint, last_value + 1)
  into first_us from revisions;
  perform setval('revisions', first_us + greatest(wanted, 1) - 1);
  perform pg_advisory_unlock(7411, 0);
  return timestamptz 'epoch' + first_us * interval '1 microsecond';
end
$$;

alter function safe_point rename to low_watermark;
create or replace function low_watermark(writer_name text) returns timestamptz
language plpgsql volatile as $$
declare
  own timestamptz := take_revisions(1);
  oldest timestamptz;
begin
  select min(xact_start) into oldest from pg_stat_activity
  where application_name = writer_name and datname = current_database() and backend_xid is not null;
  return least(own, oldest - interval '1 microsecond');
end
$$;

drop function hold_lanes;
create function hold_shards(wanted integer[])
returns table (shard smallint, lease_owner bigint, backlog_since timestamptz) language plpgsql volatile as $$
#variable_conflict use_column
declare
  wanted_shard integer;
begin
  foreach wanted_shard in array wanted loop
    perform pg_advisory_xact_lock(7412, wanted_shard);
  end loop;
  return query select s.shard, s.lease_owner, s.backlog_since from shards s where s.shard = any (wanted) order by s.shard;
end
$$;
