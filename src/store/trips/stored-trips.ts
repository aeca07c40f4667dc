import type { DeviceId } from '../../intake/sample.ts'
import type { Connection } from '../database.ts'
import { sql } from '../sql.ts'
import { instantMs, instantOfMs } from '../values.ts'

/** What must be known of a trip's row to fold its time again. */
export interface StoredTrip {
  readonly id: number
  readonly accountId: number
  readonly vehicleId: number
  readonly startMs: number
  readonly endMs: number
  readonly isOpen: boolean
}

/** The trips of a device that begin in a stretch of time (`toMs` exclusive) and are not deleted, by start. */
export async function readStoredTrips(
  connection: Connection,
  deviceId: DeviceId,
  fromMs: number,
  toMs: number,
): Promise<StoredTrip[]> {
  const rows = await connection.rows<StoredTripRow>(sql`
    select id, account_id, vehicle_id, start_time, end_time, is_open from trips_now
    where device_id = ${deviceId} and deleted is null
      and start_time >= ${instantOfMs(fromMs)} and start_time < ${instantOfMs(toMs)}
    order by start_time, id`)
  return rows.map(row => ({
    id: row.id,
    accountId: row.account_id,
    vehicleId: row.vehicle_id,
    startMs: instantMs(row.start_time),
    endMs: instantMs(row.end_time),
    isOpen: row.is_open,
  }))
}

interface StoredTripRow {
  readonly id: number
  readonly account_id: number
  readonly vehicle_id: number
  readonly start_time: string
  readonly end_time: string
  readonly is_open: boolean
}
