import type { Connection } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

/** Whether an operator paused sealing, on all nodes. */
export async function isSealingPaused(connection: Connection): Promise<boolean> {
  const [row] = await connection.rows<{ paused: boolean }>(sql`select exists (select from sealing_paused) as paused`)
  return row?.paused ?? false
}

/** Pauses sealing on all nodes: a day that is being sealed is finished. Or lets it go on. */
export async function pauseSealing(connection: Connection, isPaused: boolean): Promise<void> {
  await connection.rows(
    isPaused
      ? sql`insert into sealing_paused default values on conflict do nothing`
      : sql`delete from sealing_paused where only_row`,
  )
}
