import { randomBytes } from 'node:crypto'
import { Pool } from 'pg'
import { afterAll, inject } from 'vitest'
import { type Database, openDatabase } from '../src/db/database.ts'
import { codeOf } from '../src/model/errors.ts'

/** What PostgreSQL says of a database that somebody is connected to. */
const IN_USE = '55006'

/** A migrated, otherwise empty database of its own. */
export interface TestDatabase {
  /** As the service's role. */
  readonly url: string
  drop(): Promise<void>
}

/** Clones the template that the run made; about 50 ms. Call it in `beforeAll`, and `drop` in `afterAll`. */
export function createTestDatabase(): Promise<TestDatabase> {
  return create(inject('template'))
}

/** Such a database for all tests of a file, after which it goes. */
export async function openTestDatabase(settings: { readonly writerCount?: number } = {}): Promise<Database> {
  const testDatabase = await createTestDatabase()
  const database = openDatabase({ url: testDatabase.url, ...settings })
  afterAll(async () => {
    await database.close()
    await testDatabase.drop()
  })
  return database
}

/** A database as an operator makes it for Tacho: without a schema. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return create('template0')
}

async function create(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  // Through files, as a clone by way of the log takes five times as much processor time.
  await asAdmin(`create database ${name} template ${template} owner tacho strategy file_copy`)
  return { url: serviceUrl(name), drop: () => drop(name) }
}

/** Citus starts a process of its own in a database that was just connected to, which cannot be ended before it has started. */
async function drop(name: string, attempts = inject('workerUrls').length > 0 ? 3 : 1): Promise<void> {
  try {
    await asAdmin(`drop database if exists ${name} with (force)`)
  } catch (error) {
    if (attempts === 1 || codeOf(error) !== IN_USE) throw error
    await drop(name, attempts - 1)
  }
}

function serviceUrl(database: string): string {
  const url = new URL(inject('adminUrl'))
  url.username = 'tacho'
  url.pathname = `/${database}`
  return url.href
}

/** To each machine, kept for all test files of this process: which ends without closing them. */
let admins: readonly Pool[] | undefined

/** On every machine: a clone of what Citus distributed is distributed. */
async function asAdmin(sql: string): Promise<void> {
  admins ??= [inject('adminUrl'), ...inject('workerUrls')].map(adminPool)
  for (const admin of admins) await admin.query(sql)
}

function adminPool(connectionString: string): Pool {
  const pool = new Pool({ connectionString, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
  // The server may be stopped before this process.
  pool.on('error', () => undefined)
  return pool
}
