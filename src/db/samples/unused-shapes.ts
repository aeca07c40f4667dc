import type { Connection } from '../database.ts'
import { sql } from '../sql.ts'

/** Samples beyond the retention may stay for a while where somebody reads them, and more of them may arrive. */
const KEPT_DAYS = 30

/**
 * Drops shapes that no sample uses any more: all that could were beyond the retention long ago. No writer is about to use
 * one: whoever writes a sample has noted on the same day that its shape is used (see `Shapes`).
 * @returns how many there were
 */
export async function dropUnusedShapes(connection: Connection): Promise<number> {
  const rows = await connection.rows(sql`
    delete from shapes where used_on < current_date - ${KEPT_DAYS}::integer
      and newest < (select kept_since - ${KEPT_DAYS} * interval '1 day' from retention)
    returning id`)
  return rows.length
}
