-- The view pg_stat_activity joins databases and roles to what this function returns: that took most of the time of a
-- notification, of which there are several a second.
create or replace function low_watermark(writer_name text) returns timestamptz language plpgsql as $$
declare
  own timestamptz := take_revisions(1);
  oldest timestamptz;
begin
  select min(xact_start) into oldest from pg_stat_get_activity(null)
  where application_name = writer_name and backend_xid is not null
    and datid = (select oid from pg_database where datname = current_database());
  return least(own, oldest - interval '1 microsecond');
end
$$;
