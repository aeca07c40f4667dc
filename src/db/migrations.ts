import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Client } from 'pg'
import type { Logger } from 'pino'
import { OperatorError } from '../model/errors.ts'
import { keepDistributed } from './citus.ts'
import { LOCK_KIND, LOCKS } from './locks.ts'
import { onConnection } from './pool.ts'
import { type Connection, sql } from './sql.ts'

const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url))

const MIGRATIONS_TABLE = `create table if not exists migrations (
  number integer primary key,
  name text not null,
  checksum text not null,
  applied timestamptz not null default clock_timestamp()
)`

interface MigrateOptions {
  readonly log?: Pick<Logger, 'info'>
  readonly folder?: string
}

/** The names of the migrations of a database: those it has now, and which of them it did not have before. */
interface Migrated {
  readonly all: readonly string[]
  readonly applied: readonly string[]
}

/** Migrates the database, a transaction for each migration; nodes wait for one another.
 * @throws OperatorError when it is of a newer Tacho or of other migrations, or one fails */
export async function migrate(
  url: string,
  { log, folder = MIGRATIONS_FOLDER }: MigrateOptions = {},
): Promise<Migrated> {
  return asMigrator(url, async client => {
    await client.query('select pg_advisory_lock($1, $2)', [LOCK_KIND, LOCKS.migrations])
    await client.query(MIGRATIONS_TABLE)
    const known = await readMigrations(folder)
    const present = await readApplied(client, known)
    const missing = known.filter(({ number }) => !present.has(number))
    for (const migration of missing) {
      await apply(client, migration)
      log?.info({ migration: migration.name }, 'migrated')
    }
    // They may have made a table, or a function anew.
    if (missing.length > 0) await keepDistributed(client)
    return { all: known.map(({ name }) => name), applied: missing.map(({ name }) => name) }
  })
}

/** How many migrations of this program a database does not have, and how many it has that this program does not know. */
export async function compareMigrations(connection: Connection): Promise<{ pending: number; unknown: number }> {
  const known = new Set((await readMigrations(MIGRATIONS_FOLDER)).map(({ number }) => number))
  const [has] = await connection.rows<{ table: boolean }>(sql`select to_regclass('migrations') is not null as table`)
  const present = has?.table ? await connection.rows<{ number: number }>(sql`select number from migrations`) : []
  const unknown = present.filter(({ number }) => !known.has(number)).length
  return { pending: known.size - (present.length - unknown), unknown }
}

/** Gives an empty database the migrations of another one. @throws OperatorError when those are not of this program. */
export async function migrateLike(url: string, other: Client): Promise<void> {
  const known = await readMigrations(MIGRATIONS_FOLDER)
  const applied = await readApplied(other, known)
  await asMigrator(url, async client => {
    await client.query(MIGRATIONS_TABLE)
    for (const migration of known) if (applied.has(migration.number)) await apply(client, migration)
  })
}

/** The end of the session releases the advisory lock. */
const asMigrator = <T>(url: string, work: (client: Client) => Promise<T>) => onConnection(url, 'tacho migrate', work)

interface Migration {
  readonly number: number
  readonly name: string
  readonly text: string
  readonly checksum: string
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

/** The numbers of the migrations that a database has. @throws OperatorError when one of them is not ours */
async function readApplied(client: Client, known: readonly Migration[]): Promise<Set<number>> {
  const { rows } = await client.query<Omit<Migration, 'text'>>(
    'select number, name, checksum from migrations order by number',
  )
  const knownByNumber = new Map(known.map(migration => [migration.number, migration]))
  for (const { number, name, checksum } of rows) {
    const expected = knownByNumber.get(number)
    if (!expected)
      throw new OperatorError(`The database was set up by a newer Tacho (migration ${number}); start that version.`)
    if (name !== expected.name)
      throw new OperatorError(
        'The database is from a development version of Tacho, which this one cannot read: start with an empty one.',
      )
    if (checksum !== expected.checksum)
      throw new OperatorError(
        `Migration ${number} of the database is not the one this Tacho has; it was changed after it was applied.`,
      )
  }
  return new Set(rows.map(({ number }) => number))
}

async function apply(client: Client, { number, name, text, checksum }: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(text)
    await client.query('insert into migrations (number, name, checksum) values ($1, $2, $3)', [number, name, checksum])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw new OperatorError(`The migration ${name} failed, and nothing of it was kept: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}
