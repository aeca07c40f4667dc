import { unnestOf } from '../../../db/bulk-rows.ts'
import type { Connection } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import { instantMs, instantOfMs } from '../../../db/values.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { MEASURED_END, OPEN_STATE, STANDS } from './measured-rows.ts'

/** What folding a stretch of time again needs of a trip's row. */
export interface StoredTrip {
  readonly id: number
  readonly accountId: number
  readonly vehicleId: number
  readonly startMs: number
  readonly endMs: number
  readonly isOpen: boolean
}

/** The trips of a device that begin in a range of time (`toMs` exclusive), by start, including those that do not count. */
export async function readStoredTrips(
  connection: Connection,
  deviceId: DeviceId,
  fromMs: number,
  toMs: number,
): Promise<StoredTrip[]> {
  const rows = await connection.rows<StoredTripRow>(sql`
    select t.id, t.account_id, t.vehicle_id, t.start_time, ${MEASURED_END} as end_time, t.is_open
    from trips t ${OPEN_STATE}
    where t.device_id = ${deviceId} and ${STANDS}
      and t.start_time >= ${instantOfMs(fromMs)} and t.start_time < ${instantOfMs(toMs)}
    order by t.start_time, t.id`)
  return rows.map(row => ({
    id: row.id,
    accountId: row.account_id,
    vehicleId: row.vehicle_id,
    startMs: instantMs(row.start_time),
    endMs: instantMs(row.end_time),
    isOpen: row.is_open,
  }))
}

/** The trips of devices that begin exactly at these instants. */
export async function readTripsAt(
  connection: Connection,
  starts: readonly { readonly deviceId: DeviceId; readonly startMs: number }[],
): Promise<(Omit<StoredTrip, 'endMs'> & { readonly deviceId: DeviceId })[]> {
  if (starts.length === 0) return []
  const keys = starts.map(({ deviceId, startMs }) => ({ device_id: deviceId, start_time: startMs }))
  const rows = await connection.rows<Omit<StoredTripRow, 'end_time'> & { readonly device_id: DeviceId }>(
    sql`
      select t.id, t.device_id, t.account_id, t.vehicle_id, t.start_time, t.is_open
      from ${unnestOf({ device_id: 'bigint', start_time: 'timestamptz' }, keys)}
      join trips t on t.device_id = u.device_id and t.start_time = u.start_time
      where ${STANDS}`,
    { prepareAs: 'trips-at' },
  )
  return rows.map(row => ({
    id: row.id,
    deviceId: row.device_id,
    accountId: row.account_id,
    vehicleId: row.vehicle_id,
    startMs: instantMs(row.start_time),
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
