import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { migrate } from '../src/db/migrations.ts'
import { startEmbeddedServer } from '../src/server/embedded/server.ts'
import { makeDatabaseFolder } from './database-folder.ts'

interface MadeDatabase {
  /** PostgreSQL's own folder: a database as Tacho makes it, migrated and stopped, to be copied. */
  readonly cluster: string
  /** The last one who gives it back removes it. */
  release(): Promise<void>
}

/** Vitest loads this file once for each project, so what they share stands here. */
const shared = globalThis as { madeDatabase?: { readonly folder: Promise<string>; users: number } | undefined }

/** One database for the whole run: to make it takes ten times as long as to copy it. */
export async function takeMadeDatabase(): Promise<MadeDatabase> {
  shared.madeDatabase ??= { folder: make(), users: 0 }
  const made = shared.madeDatabase
  made.users++
  const folder = await made.folder
  return {
    cluster: join(folder, 'postgres'),
    async release() {
      if (--made.users > 0) return
      shared.madeDatabase = undefined
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function make(): Promise<string> {
  const folder = await makeDatabaseFolder('tacho-made-')
  const server = await startEmbeddedServer({ folder, log: pino({ level: 'silent' }), settings: { fsync: 'off' } })
  try {
    await migrate(server.url, { log: pino({ level: 'warn' }) })
  } finally {
    await server.stop()
  }
  return folder
}
