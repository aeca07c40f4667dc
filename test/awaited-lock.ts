import type { Database } from '../src/db/database.ts'
import { sql } from '../src/db/sql.ts'
import { eventually } from './eventually.ts'

/** Waits until a connection of this database waits for a lock. */
export function untilLockIsAwaited(database: Database): Promise<void> {
  return eventually(async () => {
    const waiting = await database.checks.rows(sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    if (waiting.length === 0) throw new Error('nobody waits for a lock')
  })
}
