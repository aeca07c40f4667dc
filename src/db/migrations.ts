import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import type { Logger } from 'pino'
import { OperatorError } from '../model/errors.ts'
import { LOCK_KIND, LOCKS } from './advisory-locks.ts'
import type { Connection } from './database.ts'
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
  applied timestamptz not null default clock_timestamp()
)`

interface MigrateOptions {
  readonly log?: Pick<Logger, 'info'>
  /** The folder of migrations; tests use others. */
  readonly folder?: string
}

/** The names of the migrations of a database: those it has now, and which of them it did not have before. */
interface Migrated {
  readonly all: readonly string[]
  readonly applied: readonly string[]
}

/**
 * Migrates the schema of the database to that of this program. Each migration is a transaction; nodes that start at
 * the same time wait for one another.
 * @throws OperatorError when the database was migrated by a newer Tacho or by other migrations of the same number, or
 * a migration fails.
 */
export async function migrate(
  url: string,
  { log, folder = MIGRATIONS_FOLDER }: MigrateOptions = {},
): Promise<Migrated> {
  const client = new Client({ connectionString: url, application_name: 'tacho migrate' })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1, $2)', [LOCK_KIND, LOCKS.migrations])
    await client.query(MIGRATIONS_TABLE)
    const known = await readMigrations(folder)
    const { rows } = await client.query<{ number: number; checksum: string }>('select number, checksum from migrations')
    const present = new Map(rows.map(row => [row.number, row.checksum]))
    refuseForeign(known, present)
    const missing = known.filter(migration => !present.has(migration.number))
    for (const migration of missing) {
      await apply(client, migration)
      log?.info({ migration: migration.name }, 'migrated')
    }
    return { all: known.map(({ name }) => name), applied: missing.map(({ name }) => name) }
  } finally {
    // Ends the session, and with it the advisory lock.
    await client.end()
  }
}

/** How many migrations of this program a database does not have, and how many it has that this program does not. */
export async function compareMigrations(connection: Connection): Promise<{ pending: number; unknown: number }> {
  const known = new Set((await readMigrations(MIGRATIONS_FOLDER)).map(({ number }) => number))
  const [has] = await connection.rows<{ table: boolean }>(sql`select to_regclass('migrations') is not null as table`)
  const present = has?.table ? await connection.rows<{ number: number }>(sql`select number from migrations`) : []
  const unknown = present.filter(({ number }) => !known.has(number)).length
  return { pending: known.size - (present.length - unknown), unknown }
}

/**
 * Gives an empty database the schema of another one, by the migrations that the other one has.
 * @throws OperatorError when those are not migrations of this program.
 */
export async function migrateLike(url: string, other: Client): Promise<void> {
  const { rows } = await other.query<{ number: number; checksum: string }>('select number, checksum from migrations')
  const applied = new Map(rows.map(({ number, checksum }) => [number, checksum]))
  const known = await readMigrations(MIGRATIONS_FOLDER)
  refuseForeign(known, applied)
  const client = new Client({ connectionString: url, application_name: 'tacho migrate' })
  await client.connect()
  try {
    await client.query(MIGRATIONS_TABLE)
    for (const migration of known) if (applied.has(migration.number)) await apply(client, migration)
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

function refuseForeign(known: readonly Migration[], applied: ReadonlyMap<number, string>): void {
  const checksums = new Map(known.map(migration => [migration.number, migration.checksum]))
  for (const [number, checksum] of applied) {
    const expected = checksums.get(number)
    if (expected === undefined)
      throw new OperatorError(`The database was set up by a newer Tacho (migration ${number}); start that version.`)
    if (expected !== checksum && OTHER_COMMENTS.get(number) !== checksum)
      throw new OperatorError(
        `Migration ${number} of the database is not the one this Tacho has; it was changed after it was applied.`,
      )
  }
}

async function apply(client: Client, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(migration.text)
    await client.query('insert into migrations (number, name, checksum) values ($1, $2, $3)', [
      migration.number,
      migration.name,
      migration.checksum,
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
