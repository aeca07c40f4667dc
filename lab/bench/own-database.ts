import { rm } from 'node:fs/promises'
import { pino } from 'pino'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrations.ts'
import { startEmbeddedServer } from '../../src/server/embedded/server.ts'
import { makeDatabaseFolder } from '../../test/database-folder.ts'

/** Works with an empty database on a server of its own, a child of this process. */
export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const folder = await makeDatabaseFolder('tacho-bench-')
  const server = await startEmbeddedServer({ folder, log: pino({ level: 'silent' }) })
  try {
    await migrate(server.url, { log: pino({ level: 'silent' }) })
    const database = openDatabase({ url: server.url })
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
