import { Client } from 'pg'
import { OperatorError } from '../model/errors.ts'
import type { Layouts } from './layouts.ts'
import { LOCK_KIND, LOCKS } from './locks.ts'
import { type Connection, rowsOf, sql } from './sql.ts'

/** The first version whose statements Tacho relies on. */
const OLDEST_MAJOR = 13

/**
 * Distributes a migrated database over the workers of Citus (docs/adr/0040). Each table is a transaction, during which its writers wait;
 * what is done already is skipped, so that a run that was stopped can be repeated.
 * @returns the tables that were distributed now
 * @throws OperatorError when the database has no Citus, one that is too old, or no workers
 */
export async function distribute(url: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: url, application_name: 'tacho migrate' })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1, $2)', [LOCK_KIND, LOCKS.migrations])
    await requireCitus(client)
    return await distributeOver(client)
  } finally {
    await client.end()
  }
}

/** After migrations: brings a database that is distributed already up to date. Does nothing to any other. */
export async function keepDistributed(client: Client): Promise<void> {
  if (await isDistributed({ rows: statement => rowsOf(client, statement) })) await distributeOver(client)
}

async function distributeOver(client: Client): Promise<readonly string[]> {
  // Copying and waiting for writers takes as long as it takes.
  await client.query(`set statement_timeout = 0; set client_min_messages = warning`)
  await client.query(FUNCTIONS_ON_CITUS)
  // A local table that is joined with a distributed one is sent to the workers, and never the other way round.
  await setForDatabase(client, 'citus.local_table_join_policy', 'prefer-local')
  await distributeFunctions(client)
  const now: string[] = []
  for (const table of DISTRIBUTED_TABLES) {
    if (await isPlaced(client, table)) continue
    await rowsOf(
      client,
      sql`select create_distributed_table(${table}::regclass, 'device_id', colocate_with => ${table === 'samples' ? 'none' : 'samples'})`,
    )
    now.push(table)
  }
  for (const table of DISTRIBUTED_TABLES) await freeLocalRows(client, table)
  return now
}

async function requireCitus(client: Client): Promise<void> {
  const [extension] = await rowsOf<{ version: string }>(
    client,
    sql`select extversion as version from pg_extension where extname = 'citus'`,
  )
  if (!extension)
    throw new OperatorError(
      'The database has no Citus: as a superuser, "create extension citus" in this database on every machine, then citus_add_node for each worker.',
    )
  if (Number.parseInt(extension.version, 10) < OLDEST_MAJOR)
    throw new OperatorError(`The database has Citus ${extension.version}, and Tacho needs ${OLDEST_MAJOR} or newer.`)
  const [workers] = await rowsOf<{ count: number }>(
    client,
    sql`select count(*) from pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards and groupid <> 0`,
  )
  if (!workers?.count)
    throw new OperatorError('Citus knows no workers in this database: add them with citus_add_node first.')
}

async function isPlaced(client: Client, table: string): Promise<boolean> {
  const rows = await rowsOf(client, sql`select from pg_dist_partition where logicalrelid = ${table}::regclass`)
  return rows.length > 0
}

/** Citus leaves the rows that it copied in the local table, where nobody sees them. */
async function freeLocalRows(client: Client, table: string): Promise<void> {
  const [local] = await rowsOf<{ bytes: number }>(
    client,
    sql`
      select sum(pg_relation_size(relid))::float8 as bytes from pg_partition_tree(${table}::regclass) where isleaf`,
  )
  if (local && local.bytes > 0)
    await rowsOf(client, sql`select truncate_local_data_after_distributing_table(${table}::regclass)`)
}

/** Functions that depend on nothing but their arguments may be asked for beside the rows of a worker. */
async function distributeFunctions(client: Client): Promise<void> {
  const functions = await rowsOf<{ signature: string }>(
    client,
    sql`
      select p.oid::regprocedure::text as signature from pg_proc p
      where p.pronamespace = 'public'::regnamespace and (p.provolatile = 'i' or p.proname = 'epoch_ms') and p.prokind = 'f'
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
        and not exists (select from pg_catalog.pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)
      order by p.oid`,
  )
  for (const { signature } of functions)
    await rowsOf(client, sql`select create_distributed_function(${signature}::regprocedure)`)
}

async function setForDatabase(client: Client, setting: string, value: string): Promise<void> {
  const [row] = await rowsOf<{ name: string }>(client, sql`select quote_ident(current_database()) as name`)
  await client.query(`alter database ${row?.name} set ${setting} = '${value}'`)
  await client.query(`set ${setting} = '${value}'`)
}

/** Tables with rows on the workers, each by its `device_id`. The samples come first: the others are placed with them. */
export const DISTRIBUTED_TABLES = ['samples', 'sealed_days', 'fold_checkpoints'] as const

/** Whether the samples of this database are on the workers of Citus. */
export async function isDistributed(connection: Connection): Promise<boolean> {
  const [has] = await connection.rows<{ citus: boolean }>(
    sql`select to_regclass('pg_catalog.pg_dist_partition') is not null and to_regclass('samples') is not null as citus`,
  )
  if (!has?.citus) return false
  const rows = await connection.rows(sql`select from pg_dist_partition where logicalrelid = 'samples'::regclass`)
  return rows.length > 0
}

const answers = new WeakMap<Layouts, Promise<boolean>>()

/** The same, asked once for each open database. */
export function areSamplesDistributed(source: Connection & { readonly layouts: Layouts }): Promise<boolean> {
  const known = answers.get(source.layouts)
  if (known) return known
  const answer = isDistributed(source)
  answers.set(source.layouts, answer)
  answer.catch(() => answers.delete(source.layouts))
  return answer
}

/**
 * Functions of the migrations as a distributed database needs them (docs/adr/0040). Citus commits on the workers after the coordinator
 * has: a transaction that no longer has an id there may still be about to become visible.
 */
const FUNCTIONS_ON_CITUS = `
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
    where database = current_database() and gid like 'citus\\_0\\_%'$worker$) w
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
  -- After that look: one that was running then is before \`oldest\`, and one that was not has ended.
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
`
