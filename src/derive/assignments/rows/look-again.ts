import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { DeviceId } from '../../../model/sample.ts'

/**
 * A device was assigned to vehicles in which there are other devices. A transaction that is storing samples of those does not know
 * yet that their drives overlap those of another dongle (docs/adr/0017), so their current drives are refolded right afterwards.
 * Call it before the vehicles are reconciled: it waits for transactions that have written such a row, so that their changes are
 * visible; others continue after this commits.
 */
export async function lookAgainAtOthers(
  transaction: Transaction,
  deviceIds: readonly DeviceId[],
  vehicleIds: readonly number[],
): Promise<void> {
  await transaction.rows(sql`
    update device_states set dirty_from = least(dirty_from, last_time), dirty_to = greatest(dirty_to, last_time),
      dirty_since = coalesce(dirty_since, clock_timestamp())
    where fold is not null and device_id in (
      select device_id from assignments
      where vehicle_id = any(${vehicleIds}::bigint[]) and device_id <> all(${deviceIds}::bigint[]) and to_time = 'infinity')`)
}
