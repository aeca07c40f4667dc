-- What a database of several machines does in another way: `tacho migrate --citus` replaces these there (docs/adr/0040).

-- Whoever relies on seeing every sample that was committed calls it first. On one server a commit is seen everywhere at once.
create function require_decided() returns void
language sql as $$ select $$;

-- The room that a table takes with its indexes.
create function table_bytes(which regclass) returns bigint
language sql stable as $$ select pg_total_relation_size(which) $$;

-- How many rows it has, as far as PostgreSQL has counted.
create function table_rows(which regclass) returns bigint
language sql stable as $$ select greatest(reltuples, 0)::bigint from pg_class where oid = which $$;
