import { revised, unnestOf } from '../../../db/bulk-rows.ts'
import type { LockedDevice } from '../../../db/shards/locked-devices.ts'
import { sql } from '../../../db/sql.ts'
import { unnestSpans } from '../../assignments/rows/assignment-rows.ts'
import type { Assignment } from '../../device-records.ts'

/**
 * A fault code belongs to the vehicle in which the device was when the code was first seen. It gets a new row in the right
 * vehicle, and the old row is retracted, as with trips.
 */
export async function moveDtcs(
  { transaction, deviceId }: LockedDevice,
  assignments: readonly Assignment[],
): Promise<void> {
  const wrong = await transaction.rows<{ id: number; account_id: number; vehicle_id: number }>(sql`
    select d.id, u.account_id, u.vehicle_id
    from ${unnestSpans(assignments)}
    join dtcs d on d.device_id = ${deviceId} and d.recorded >= u.from_time and d.recorded < u.to_time
      and d.vehicle_id <> u.vehicle_id and not d.is_retracted
    order by d.recorded, d.id`)
  if (wrong.length === 0) return
  await transaction.rows(sql`
    insert into dtcs (device_id, account_id, vehicle_id, ecu_type_id, code, encoded, encoding, dtc_type, frame_list,
      recorded, deleted, modified)
    select d.device_id, u.account_id, u.vehicle_id, d.ecu_type_id, d.code, d.encoded, d.encoding, d.dtc_type,
      d.frame_list, d.recorded, d.deleted, u.modified
    from ${unnestOf({ id: 'bigint', account_id: 'integer', vehicle_id: 'bigint', modified: 'timestamptz' }, await revised(transaction, wrong))}
    join dtcs d on d.device_id = ${deviceId} and d.id = u.id`)
  await transaction.rows(sql`
    update dtcs d set is_retracted = true, deleted = d.recorded, modified = u.modified
    from ${unnestOf({ id: 'bigint', modified: 'timestamptz' }, await revised(transaction, wrong))}
    where d.device_id = ${deviceId} and d.id = u.id`)
}
