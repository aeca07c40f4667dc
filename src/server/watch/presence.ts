import type { Connection } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { type Clock, pause, SYSTEM_CLOCK } from '../../lib/clock.ts'

const EVERY_MS = 30_000

/**
 * Keeps a connection that has the name of this process open, by which other nodes see that it runs, also after the database
 * restarted while nobody asked this node anything.
 * @returns a function that ends it
 */
export function showPresence(connection: Connection, clock: Clock = SYSTEM_CLOCK): () => Promise<void> {
  const stop = new AbortController()
  const showing = show()
  async function show(): Promise<void> {
    while (!stop.signal.aborted) {
      // Code that needs the database reports that it is gone.
      await connection.rows(sql`select 1`).catch(() => undefined)
      await pause(EVERY_MS, stop.signal, clock)
    }
  }
  return async () => {
    stop.abort()
    await showing
  }
}
