import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { migrate } from '../src/db/migrations.ts'
import { startEmbeddedServer } from '../src/server/embedded/server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Of the role that may create databases. */
    readonly adminUrl: string
  }
}

/** One PostgreSQL for the whole run; every test file clones the migrated template (see database.ts). */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const log = pino({ level: 'warn' })
  const folder = await mkdtemp(join(tmpdir(), 'tacho-test-'))
  // As root, PostgreSQL runs as another user and must get through.
  await chmod(folder, 0o755)
  const server = await startEmbeddedServer({ folder, log: pino({ level: 'silent' }), settings: { fsync: 'off' } })
  try {
    await migrate(server.url, { log })
    // A database that somebody is connected to can not be cloned.
    const admin = new Client({ connectionString: server.adminUrl })
    await admin.connect()
    await admin.query('alter database tacho with is_template true allow_connections false')
    await admin.end()
  } catch (error) {
    await server.stop()
    throw error
  }
  project.provide('adminUrl', server.adminUrl)
  return async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
