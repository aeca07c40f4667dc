import type { Connection } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { DeviceId } from '../../model/sample.ts'

/** A sealed day as it was read, of which a rollup was made. */
interface RolledDay {
  readonly deviceId: DeviceId
  /** The date in UTC as ISO 8601 writes it. */
  readonly date: string
  readonly version: number
}

/** Writes the rollup of a sealed day, unless the day was sealed again or erased meanwhile. */
export async function writeRollup(
  connection: Connection,
  { deviceId, date, version }: RolledDay,
  rollup: Buffer,
): Promise<void> {
  await connection.rows(sql`
    update sealed_days set rollup = ${rollup}
    where device_id = ${deviceId} and day = ${date}::date and version = ${version}`)
}
