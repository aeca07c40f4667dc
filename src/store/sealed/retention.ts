import { rowsOf, sql } from '../../db/sql.ts'
import type { Client } from '../sample-tables.ts'
import { dayText } from './days.ts'

/** In pieces, so that no transaction is long. */
const DELETED_AT_ONCE = 2000

/** Whether there are sealed days before an instant. */
export async function hasSealedBefore(client: Client, beforeMs: number): Promise<boolean> {
  const [row] = await rowsOf<{ has: boolean }>(
    client,
    sql`select exists (select 1 from sealed_days where day < ${dayText(beforeMs)}::date) as has`,
  )
  return row?.has ?? false
}

/** Deletes sealed days before the start of a day. */
export async function deleteSealedBefore(client: Client, beforeMs: number): Promise<void> {
  let deleted: number
  do {
    const rows = await rowsOf(
      client,
      sql`
        delete from sealed_days where (device_id, day) in (
          select device_id, day from sealed_days where day < ${dayText(beforeMs)}::date limit ${DELETED_AT_ONCE}) returning 1`,
    )
    deleted = rows.length
  } while (deleted === DELETED_AT_ONCE)
}
