import type { DeviceId } from '../../intake/sample.ts'
import type { Connection } from '../database.ts'
import { sql } from '../sql.ts'

/** The models of those of the devices that are known; empty where a model is not. */
export async function readHardwareTypes(
  connection: Connection,
  deviceIds: readonly DeviceId[],
): Promise<Map<DeviceId, string>> {
  const rows = await connection.rows<{ id: DeviceId; hardware_type: string }>(
    sql`select id, hardware_type from devices where id = any(${deviceIds}::bigint[])`,
    { prepareAs: 'hardware-types' },
  )
  return new Map(rows.map(row => [row.id, row.hardware_type]))
}
