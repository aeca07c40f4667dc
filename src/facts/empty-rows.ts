import { revised, unnestOf } from '../db/bulk-rows.ts'
import type { HeldDevice } from '../db/shards/held-devices.ts'
import { type Statement, sql } from '../db/sql.ts'

/**
 * Leaves of the rows of a device only that they are deleted, so that clients that sync learn of it (docs/adr/0023).
 * @param nothing what their columns are set to; `clock.now` is the time
 * @returns how many rows there were
 */
export async function emptyRows(
  { transaction, deviceId }: HeldDevice,
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
