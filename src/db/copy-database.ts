import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { OperatorError } from '../model/errors.ts'
import { migrateLike } from './migrations.ts'

interface Copied {
  /** Address of the database to be read, for a superuser. */
  readonly from: string
  /** Address of an empty database, for a superuser. */
  readonly to: string
  readonly toOwner: string
  readonly owner: string
  /** True for a table of samples, which the migrations do not make. */
  readonly isSampleTable: (name: string) => boolean
  readonly onTable?: (name: string, done: number, all: number) => void
}

/** Copies a database into an empty one of another PostgreSQL version, and compares rows, columns and sequences.
 * @throws OperatorError when something is there that Tacho did not make, or the copy differs */
export async function copyDatabase({ from, to, toOwner, owner, isSampleTable, onTable }: Copied): Promise<void> {
  const source = new Client({ connectionString: from, application_name: 'tacho upgrade' })
  const target = new Client({ connectionString: to, application_name: 'tacho upgrade' })
  // The statement in flight fails, too, and says so.
  for (const client of [source, target]) client.on('error', () => undefined)
  try {
    await source.connect()
    await printAlike(source)
    await source.query('begin transaction isolation level repeatable read read only')
    await migrateLike(toOwner, source)
    await target.connect()
    await printAlike(target)
    // Rows come in an order of tables that foreign keys do not know, and the security log refuses to be emptied.
    await target.query(`set session_replication_role = replica; set role ${owner}`)
    const tables = await makeTables(source, target, isSampleTable)
    for (const [index, table] of tables.entries()) {
      onTable?.(table.name, index, tables.length)
      await copyTable(source, target, table)
    }
    await copySequences(source, target)
    await target.query('reset role; analyze')
  } finally {
    await Promise.allSettled([source.end(), target.end()])
  }
}

/** A merge of weeks that was interrupted leaves such a table; the next one begins anew. */
const LEFT_OVER = /^merging_samples_/

/** Makes the target's tables those of the source, and empty. @returns those to be copied */
async function makeTables(
  source: Client,
  target: Client,
  isSampleTable: Copied['isSampleTable'],
): Promise<TableContents[]> {
  const wanted = (await readTables(source)).filter(({ name }) => !LEFT_OVER.test(name))
  const present = new Map((await readTables(target)).map(table => [table.name, table]))
  const missing = wanted.filter(({ name }) => !present.has(name))
  for (const { name, bound } of missing) {
    if (!isSampleTable(name))
      throw new OperatorError(`The table ${name} is none of Tacho's: move it to another database first.`)
    await target.query(`create table ${name} (like samples including all)`)
    if (bound !== null) await target.query(`alter table samples attach partition ${name} ${bound}`)
  }
  const made = new Map((await readTables(target)).map(table => [table.name, table]))
  for (const { name, columns } of wanted)
    if (made.get(name)?.columns.join() !== columns.join())
      throw new OperatorError(`The table ${name} has other columns than the migrations of Tacho give it.`)
  // Some migrations add rows.
  await target.query(`truncate ${[...present.keys()].join(', ')}`)
  return wanted
}

async function copyTable(source: Client, target: Client, table: TableContents): Promise<void> {
  const columns = table.written.join(', ')
  await pipeline(
    source.query(copyTo(`copy (select ${columns} from only ${table.name}) to stdout (format binary)`)),
    target.query(copyFrom(`copy ${table.name} (${columns}) from stdin (format binary)`)),
  )
  const [before, after] = await Promise.all([readDigest(source, table), readDigest(target, table)])
  if (before !== after)
    throw new OperatorError(`The copy of the table ${table.name} differs: ${before} before, ${after} after.`)
}

/** Among them the revisions, which must never go back. */
async function copySequences(source: Client, target: Client): Promise<void> {
  const sequences = await readSequences(source)
  for (const { name, lastValue, isCalled } of sequences)
    await target.query('select setval($1::regclass, $2, $3)', [name, lastValue, isCalled])
  const [before, after] = [sequences, await readSequences(target)].map(states => JSON.stringify(states))
  if (before !== after) throw new OperatorError('The sequences of the copy differ.')
}

interface TableContents {
  readonly name: string
  /** `FOR VALUES …` of a partition; null for any other table. */
  readonly bound: string | null
  /** Columns that are written, in quotes where they need them. */
  readonly written: readonly string[]
  /** All columns, also those that PostgreSQL computes, each followed by its type. */
  readonly columns: readonly string[]
}

/** Makes a session print what the digests and the bounds of partitions rest on in the same way in every version. */
async function printAlike(client: Client): Promise<void> {
  await client.query(`set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';
    set extra_float_digits = 1; set bytea_output = 'hex'; set search_path = public; set statement_timeout = 0`)
}

async function readTables(client: Client): Promise<TableContents[]> {
  const { rows } = await client.query<TableContents>(`
    select c.relname::text as name, pg_get_expr(c.relpartbound, c.oid) as bound,
      coalesce(array_agg(quote_ident(attname) order by attnum) filter (where attgenerated = ''), '{}') as written,
      array_agg(quote_ident(attname) || ' ' || format_type(atttypid, atttypmod) order by attname) as columns
    from pg_class c join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    group by c.oid order by c.relname`)
  return rows
}

/** How many rows a table has, and the sum of the hashes of these, in whatever order. */
async function readDigest(client: Client, { name, columns }: TableContents): Promise<string> {
  const values = columns.map(column => column.split(' ')[0]).join(', ')
  const { rows } = await client.query<{ digest: string }>(`
    select count(*) || ' rows, ' || coalesce(sum(('x' || left(md5(row(${values})::text), 15))::bit(60)::bigint), 0) as digest
    from only ${name}`)
  return rows[0]?.digest ?? ''
}

interface SequenceState {
  readonly name: string
  readonly lastValue: string
  readonly isCalled: boolean
}

/** Where sequences are, also those behind identity columns. */
async function readSequences(client: Client): Promise<SequenceState[]> {
  const { rows } = await client.query<{ name: string }>(`
    select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' order by 1`)
  const states: SequenceState[] = []
  for (const { name } of rows) {
    const state = await client.query<{ last: string; called: boolean }>(
      `select last_value::text as last, is_called as called from ${name}`,
    )
    const [found] = state.rows
    if (found) states.push({ name, lastValue: found.last, isCalled: found.called })
  }
  return states
}
