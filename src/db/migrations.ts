import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import type { Logger } from 'pino'
import { OperatorError } from '../model/errors.ts'
import { keepDistributed } from './citus.ts'
import type { Connection } from './database.ts'
import { FORMER_RELEASE } from './former-release.ts'
import { LOCK_KIND, LOCKS } from './locks.ts'
import { sql } from './sql.ts'

const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url))

/** Migrations that had other comments for a while, by number, with their checksums of that time. Their statements are the same. */
const OTHER_COMMENTS: ReadonlyMap<number, string> = new Map([
  [3, '255487ac83096eff10b469a7a0599e0ca96cb837cff72e544ce75bf61a530aaf'],
  [6, 'b2d281706c4de313c8136e7c1ac863c0d49bf1f9ebe92c0f46a6f4f624a2301b'],
  [7, '41136d547b18b47f963f221242c610afcd226db765a842c152c2b7ae4f948586'],
  [8, 'f4afcf68aa8899986fa3e51640c82c09f8866617dfb72d2358c8ffaecffa7a50'],
  [12, 'd611d4c26ef3e3130d42bebc8b120fecf194c77483e8c189063cc3c49258dcd8'],
  [14, '40952a81014812e2798196275a8acd04c6e2db86c405736d70f6cb5a091577ef'],
])

interface Migration {
  readonly number: number
  readonly name: string
  readonly text: string
  readonly checksum: string
}

const MIGRATIONS_TABLE = `create table if not exists migrations (
  number integer primary key,
  name text not null,
  checksum text not null,
  applied timestamptz not null default clock_timestamp(),
  runs_beside integer
)`
/** Databases of former versions have the table without it; an exclusive lock is only taken where it is missing. */
const ADD_RUNS_BESIDE = `do $$ begin
  if not exists (select from pg_attribute where attrelid = 'migrations'::regclass and attname = 'runs_beside') then
    alter table migrations add column runs_beside integer;
  end if;
end $$`

/** A migration as the database remembers it. */
interface AppliedMigration {
  readonly number: number
  readonly checksum: string
  /** Programs that know this migration run beside it; null where a former version applied it: then only those that know it itself. */
  readonly runs_beside: number | null
}

interface MigrateOptions {
  readonly log?: Pick<Logger, 'info'>
  /** The folder of migrations; tests use others. */
  readonly folder?: string
  /** The newest migration of the former release, which goes on beside this one during an upgrade; tests use others. */
  readonly former?: number
}

/** The names of the migrations of a database: those it has now, and which of them it did not have before. */
interface Migrated {
  readonly all: readonly string[]
  readonly applied: readonly string[]
}

/**
 * Migrates the schema of the database to that of this program. Each migration is a transaction; nodes that start at
 * the same time wait for one another. A database that the next release has migrated is left as it is: a node may start again
 * during a rolling upgrade (docs/adr/0041).
 * @throws OperatorError when the database was migrated by a Tacho newer than that or by other migrations of the same number, or
 * a migration fails.
 */
export async function migrate(
  url: string,
  { log, folder = MIGRATIONS_FOLDER, former = FORMER_RELEASE.migration }: MigrateOptions = {},
): Promise<Migrated> {
  const client = new Client({ connectionString: url, application_name: 'tacho migrate' })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1, $2)', [LOCK_KIND, LOCKS.migrations])
    await client.query(MIGRATIONS_TABLE)
    await client.query(ADD_RUNS_BESIDE)
    const known = await readMigrations(folder)
    const { rows } = await client.query<AppliedMigration>('select number, checksum, runs_beside from migrations')
    const present = new Set(rows.map(({ number }) => number))
    const newer = refuseForeign(known, rows)
    if (newer.length > 0) log?.info({ newer }, 'the next release has migrated the database; this one goes on beside it')
    const missing = known.filter(migration => !present.has(migration.number))
    for (const migration of missing) {
      await apply(client, migration, former)
      log?.info({ migration: migration.name }, 'migrated')
    }
    // They may have made a table, or a function anew.
    if (missing.length > 0) await keepDistributed(client)
    return { all: known.map(({ name }) => name), applied: missing.map(({ name }) => name) }
  } finally {
    // Ends the session, and with it the advisory lock.
    await client.end()
  }
}

/**
 * How many migrations of this program a database does not have, and how many it has beside which this program does not run. The table may be
 * that of a former version.
 */
export async function compareMigrations(connection: Connection): Promise<{ pending: number; unknown: number }> {
  const known = new Set((await readMigrations(MIGRATIONS_FOLDER)).map(({ number }) => number))
  const [has] = await connection.rows<{ table: boolean }>(sql`select to_regclass('migrations') is not null as table`)
  const present = has?.table
    ? await connection.rows<Omit<AppliedMigration, 'checksum'>>(
        sql`select number, (to_jsonb(m) ->> 'runs_beside')::integer as runs_beside from migrations m`,
      )
    : []
  const newest = Math.max(0, ...known)
  const newer = present.filter(({ number }) => !known.has(number))
  const unknown = newer.filter(migration => !runsBeside(migration, newest)).length
  return { pending: known.size - (present.length - newer.length), unknown }
}

/**
 * Gives an empty database the schema of another one, by the migrations that the other one has.
 * @throws OperatorError when those are not migrations of this program.
 */
export async function migrateLike(url: string, other: Client): Promise<void> {
  const { rows } = await other.query<AppliedMigration>('select number, checksum, null as runs_beside from migrations')
  const applied = new Set(rows.map(({ number }) => number))
  const known = await readMigrations(MIGRATIONS_FOLDER)
  refuseForeign(known, rows)
  const client = new Client({ connectionString: url, application_name: 'tacho migrate' })
  await client.connect()
  try {
    await client.query(MIGRATIONS_TABLE)
    for (const migration of known)
      if (applied.has(migration.number)) await apply(client, migration, FORMER_RELEASE.migration)
  } finally {
    await client.end()
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter(name => /^\d{4}-.*\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async name => {
      const text = await readFile(join(folder, name), 'utf8')
      return { number: Number(name.slice(0, 4)), name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/** Whether a program whose newest migration is this one runs beside one that it does not know. */
function runsBeside({ runs_beside: oldest }: Omit<AppliedMigration, 'checksum'>, newest: number): boolean {
  return oldest !== null && oldest <= newest
}

/** @returns the migrations of the next release, beside which this one runs */
function refuseForeign(known: readonly Migration[], applied: readonly AppliedMigration[]): number[] {
  const checksums = new Map(known.map(migration => [migration.number, migration.checksum]))
  const newest = Math.max(0, ...checksums.keys())
  const newer: number[] = []
  for (const migration of applied) {
    const { number, checksum } = migration
    const expected = checksums.get(number)
    if (expected === undefined) {
      if (!runsBeside(migration, newest))
        throw new OperatorError(`The database was set up by a newer Tacho (migration ${number}); start that version.`)
      newer.push(number)
      continue
    }
    if (expected !== checksum && OTHER_COMMENTS.get(number) !== checksum)
      throw new OperatorError(
        `Migration ${number} of the database is not the one this Tacho has; it was changed after it was applied.`,
      )
  }
  return newer
}

async function apply(client: Client, migration: Migration, former: number): Promise<void> {
  await client.query('begin')
  try {
    await client.query(migration.text)
    const { number, name, checksum } = migration
    await client.query('insert into migrations (number, name, checksum, runs_beside) values ($1, $2, $3, $4)', [
      number,
      name,
      checksum,
      former,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw new OperatorError(
      `The migration ${migration.name} failed, and nothing of it was kept: ${(error as Error).message}.`,
      { cause: error },
    )
  }
}
