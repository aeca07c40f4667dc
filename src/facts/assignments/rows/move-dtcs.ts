import { revisionAfter } from '../../../db/revisions.ts'
import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { instantOfMs } from '../../../db/values.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { VehicleSpan } from './assignment-rows.ts'

/**
 * A fault code belongs to the vehicle in which the device was when it was first seen. In the right one it gets a new
 * row, and the old one is taken back, as with trips.
 */
export async function moveDtcs(
  transaction: Transaction,
  deviceId: DeviceId,
  spans: readonly VehicleSpan[],
): Promise<void> {
  const wrong = await transaction.rows<{ id: number; account_id: number; vehicle_id: number }>(sql`
    select d.id, s.account_id, s.vehicle_id
    from unnest(
      ${spans.map(span => span.accountId)}::integer[],
      ${spans.map(span => span.vehicleId)}::bigint[],
      ${spans.map(span => instantOfMs(span.fromMs))}::timestamptz[],
      ${spans.map(span => instantOfMs(span.toMs))}::timestamptz[]
    ) as s (account_id, vehicle_id, from_time, to_time)
    join dtcs d on d.device_id = ${deviceId} and d.recorded >= s.from_time and d.recorded < s.to_time
      and d.vehicle_id <> s.vehicle_id and not d.is_retracted
    order by d.recorded, d.id`)
  if (wrong.length === 0) return
  const first = await transaction.takeRevisions(2 * wrong.length)
  const ids = wrong.map(row => row.id)
  await transaction.rows(sql`
    insert into dtcs (device_id, account_id, vehicle_id, ecu_type_id, code, encoded, encoding, dtc_type, frame_list,
      recorded, deleted, modified)
    select d.device_id, u.account_id, u.vehicle_id, d.ecu_type_id, d.code, d.encoded, d.encoding, d.dtc_type,
      d.frame_list, d.recorded, d.deleted, u.modified
    from unnest(
      ${ids}::bigint[],
      ${wrong.map(row => row.account_id)}::integer[],
      ${wrong.map(row => row.vehicle_id)}::bigint[],
      ${wrong.map((_, index) => revisionAfter(first, index))}::timestamptz[]
    ) as u (id, account_id, vehicle_id, modified)
    join dtcs d on d.device_id = ${deviceId} and d.id = u.id`)
  await transaction.rows(sql`
    update dtcs d set is_retracted = true, deleted = d.recorded, modified = u.modified
    from unnest(
      ${ids}::bigint[],
      ${wrong.map((_, index) => revisionAfter(first, wrong.length + index))}::timestamptz[]
    ) as u (id, modified)
    where d.device_id = ${deviceId} and d.id = u.id`)
}
