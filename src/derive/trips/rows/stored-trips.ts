import { type Connection, sql } from '../../../db/sql.ts'
import { instantMs, instantOfMs } from '../../../db/values.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { TimeRange } from '../../../model/time-range.ts'
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

/** The trips of devices that begin in ranges of time (`toMs` exclusive), by start, including those that do not count. */
export async function readStoredTrips(
  connection: Connection,
  ranges: readonly (TimeRange & { readonly deviceId: DeviceId })[],
): Promise<ReadonlyMap<DeviceId, readonly StoredTrip[]>> {
  const trips = new Map<DeviceId, StoredTrip[]>()
  if (ranges.length === 0) return trips
  const rows = await connection.rows<StoredTripRow>(
    sql`
      select t.device_id, t.id, t.account_id, t.vehicle_id, t.start_time, ${MEASURED_END} as end_time, t.is_open
      from unnest(
        ${ranges.map(range => range.deviceId)}::bigint[],
        ${ranges.map(range => instantOfMs(range.fromMs))}::timestamptz[],
        ${ranges.map(range => instantOfMs(range.toMs))}::timestamptz[]) as u (device_id, from_time, to_time)
      join trips t on t.device_id = u.device_id and t.start_time >= u.from_time and t.start_time < u.to_time
      ${OPEN_STATE}
      where ${STANDS}
      order by t.start_time, t.id`,
    { prepareAs: 'stored-trips' },
  )
  for (const row of rows) {
    const ofDevice = trips.get(row.device_id) ?? []
    trips.set(row.device_id, ofDevice)
    ofDevice.push({
      id: row.id,
      accountId: row.account_id,
      vehicleId: row.vehicle_id,
      startMs: instantMs(row.start_time),
      endMs: instantMs(row.end_time),
      isOpen: row.is_open,
    })
  }
  return trips
}

interface StoredTripRow {
  readonly device_id: DeviceId
  readonly id: number
  readonly account_id: number
  readonly vehicle_id: number
  readonly start_time: string
  readonly end_time: string
  readonly is_open: boolean
}
