import { revised, unnestOf } from '../db/bulk-rows.ts'
import type { LockedDevice } from '../db/shards.ts'
import { type Statement, sql } from '../db/sql.ts'

/** Empties the rows of a deleted device. They stay, marked as deleted, for clients that sync (docs/adr/0023).
 * @param nothing assigns the empty values; `clock.now` is the current time */
export async function emptyRows(
  { transaction, deviceId }: LockedDevice,
  table: Statement,
  nothing: Statement,
): Promise<number> {
  const rows = await transaction.rows<{ id: number }>(
    sql`select id from ${table} where device_id = ${deviceId} order by id`,
  )
  if (rows.length === 0) return 0
  await transaction.rows(sql`
    update ${table} as item set ${nothing}, modified = u.modified
    from ${unnestOf({ id: 'bigint', modified: 'timestamptz' }, await revised(transaction, rows))}, (select clock_timestamp() as now) clock
    where item.device_id = ${deviceId} and item.id = u.id`)
  return rows.length
}
