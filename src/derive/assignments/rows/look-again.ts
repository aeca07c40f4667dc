import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { markToLookAgain, PRIORITY } from '../../due.ts'

/**
 * A device was assigned to vehicles in which there are other devices. A transaction that is deriving those does not know
 * yet that their drives overlap those of another dongle (docs/adr/0017), so their current drives are folded again right afterwards.
 */
export async function lookAgainAtOthers(
  transaction: Transaction,
  deviceIds: readonly DeviceId[],
  vehicleIds: readonly number[],
): Promise<void> {
  await markToLookAgain(
    transaction,
    sql`
      select s.device_id, s.last_time as from_time from device_states s
      where s.fold is not null and s.device_id in (
        select device_id from assignments
        where vehicle_id = any(${vehicleIds}::bigint[]) and device_id <> all(${deviceIds}::bigint[]) and to_time = 'infinity')`,
    PRIORITY.late,
  )
}
