import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../src/db/sql.ts'
import type { RunningService } from './running-service.ts'

/** Resolves when nothing that was stored waits to be derived. */
export async function allDerived({ database }: RunningService): Promise<void> {
  const waiting = () => database.rows(sql`select from due where not is_history limit 1`)
  while ((await waiting()).length > 0) await sleep(20)
}
