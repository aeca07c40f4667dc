import { readFile } from 'node:fs/promises'
import type { Client } from 'pg'
import { OperatorError } from '../model/errors.ts'
import type { Layouts } from './layouts.ts'
import { LOCK_KIND, LOCKS } from './locks.ts'
import { onConnection } from './pool.ts'
import { type Connection, rowsOf, sql } from './sql.ts'

/** They replace functions of the migrations (docs/adr/0040). */
const FUNCTIONS_ON_CITUS = new URL('../../migrations/citus.sql', import.meta.url)

/** The first version whose statements Tacho relies on. */
const OLDEST_MAJOR = 13

/** Distributes a migrated database over the workers of Citus (docs/adr/0040), a table at a time; can be repeated.
 * @returns the new ones @throws OperatorError without Citus or workers, or when it is too old */
export async function distribute(url: string): Promise<readonly string[]> {
  return onConnection(url, 'tacho migrate', async client => {
    await client.query('select pg_advisory_lock($1, $2)', [LOCK_KIND, LOCKS.migrations])
    await requireCitus(client)
    return distributeOver(client)
  })
}

/** After migrations: brings a database that is distributed already up to date. Does nothing to any other. */
export async function keepDistributed(client: Client): Promise<void> {
  if (await isDistributed({ rows: statement => rowsOf(client, statement) })) await distributeOver(client)
}

async function distributeOver(client: Client): Promise<readonly string[]> {
  // Copying and waiting for writers takes as long as it takes.
  await client.query(`set statement_timeout = 0; set client_min_messages = warning`)
  await client.query(await readFile(FUNCTIONS_ON_CITUS, 'utf8'))
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

/** Functions that depend on nothing but the arguments may be asked for beside the rows of a worker. */
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

/** True when the samples of this database are on the workers of Citus. */
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
