import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { migrate } from '../src/db/migrations.ts'
import { startEmbeddedServer } from '../src/server/embedded/server.ts'
import { buildProgram } from './serve-process.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder with a database as Tacho makes it, migrated and stopped, to be copied. */
    readonly madeDatabase: string
  }
}

/** Before any file begins: the program, as two that compile at once would take it away from one another; and a database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  buildProgram()
  const folder = await mkdtemp(join(tmpdir(), 'tacho-made-'))
  await chmod(folder, 0o755)
  const log = pino({ level: 'warn' })
  const server = await startEmbeddedServer({ folder, log: pino({ level: 'silent' }), settings: { fsync: 'off' } })
  try {
    await migrate(server.url, { log })
  } finally {
    await server.stop()
  }
  project.provide('madeDatabase', join(folder, 'postgres'))
  return () => rm(folder, { recursive: true, force: true })
}
