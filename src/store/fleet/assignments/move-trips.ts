import type { DeviceId } from '../../../intake/sample.ts'
import { sql } from '../../sql.ts'
import { stampAfter } from '../../stamps.ts'
import type { Transaction } from '../../transaction.ts'
import { instantMs, instantOfMs } from '../../values.ts'
import type { VehicleSpan } from './assignment-rows.ts'

export interface MovedTrip {
  readonly fromVehicleId: number
  readonly toVehicleId: number
  readonly startMs: number
}

/** A trip belongs to the vehicle in which the device was when it began, also one that is marked as deleted. */
export async function moveTrips(
  transaction: Transaction,
  deviceId: DeviceId,
  spans: readonly VehicleSpan[],
): Promise<MovedTrip[]> {
  const wrong = await transaction.rows<WrongTrip>(sql`
    select t.id, t.vehicle_id as from_id, s.vehicle_id as to_id, t.start_time
    from unnest(
      ${spans.map(span => span.vehicleId)}::bigint[],
      ${spans.map(span => instantOfMs(span.fromMs))}::timestamptz[],
      ${spans.map(span => instantOfMs(span.toMs))}::timestamptz[]
    ) as s (vehicle_id, from_time, to_time)
    join trips t on t.device_id = ${deviceId} and t.start_time >= s.from_time and t.start_time < s.to_time
      and t.vehicle_id <> s.vehicle_id
    order by t.start_time, t.id`)
  if (wrong.length === 0) return []
  const first = await transaction.takeStamps(wrong.length)
  await transaction.rows(sql`
    update trips t set vehicle_id = u.vehicle_id, modified = u.modified
    from unnest(
      ${wrong.map(row => row.id)}::bigint[],
      ${wrong.map(row => row.to_id)}::bigint[],
      ${wrong.map((_, index) => stampAfter(first, index))}::timestamptz[]
    ) as u (id, vehicle_id, modified)
    where t.device_id = ${deviceId} and t.id = u.id`)
  return wrong.map(row => ({
    fromVehicleId: row.from_id,
    toVehicleId: row.to_id,
    startMs: instantMs(row.start_time),
  }))
}

interface WrongTrip {
  readonly id: number
  readonly from_id: number
  readonly to_id: number
  readonly start_time: string
}
