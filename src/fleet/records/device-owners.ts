import type { Connection } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { DeviceId } from '../../model/sample.ts'

/** The accounts to which those of the dongles belong now that are known. */
export async function readDeviceOwners(
  connection: Connection,
  deviceIds: readonly DeviceId[],
): Promise<Map<DeviceId, number>> {
  const rows = await connection.rows<{ device_id: DeviceId; account_id: number }>(
    sql`
      select device_id, account_id from assignments
      where device_id = any(${deviceIds}::bigint[]) and to_time = 'infinity'`,
    { prepareAs: 'device-owners' },
  )
  return new Map(rows.map(row => [row.device_id, row.account_id]))
}
