import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { Assignment } from '../../device-records.ts'
import { refreshFuelTypes } from '../../identity/write-identity.ts'
import { type DeviceAssignments, heirOf } from './assignment-rows.ts'
import { HAS_ALL, TAKEN_OVER, UNSET } from './operators-word.ts'

/**
 * A dongle turned out to be in a known car. The settings that an operator made for the vehicle that stood for the dongle were
 * meant for that car, so it takes those that it lacks. So it does not matter which of two dongles in a car reported
 * its VIN first. Settings that the car has already are not replaced: they stay with the old vehicle, for the operator to decide.
 */
export async function inheritSettings(
  transaction: Transaction,
  before: DeviceAssignments,
  spans: readonly Assignment[],
): Promise<void> {
  const placeholders = await transaction.rows<{ id: number }>(sql`
    select id from vehicles v
    where id = any(${before.spans.map(({ vehicleId }) => vehicleId)}::bigint[]) and vin is null
      and not exists (select from assignments a where a.vehicle_id = v.id)
    order by id for update`)
  for (const { id } of placeholders) {
    const { vehicleId: heirId } = heirOf(before, spans, id)
    await transaction.rows(sql`
      update vehicles heir set ${TAKEN_OVER} from vehicles old where heir.id = ${heirId} and old.id = ${id}`)
    await transaction.rows(sql`
      update vehicles old set ${UNSET} from vehicles heir where heir.id = ${heirId} and old.id = ${id} and ${HAS_ALL}`)
    await refreshFuelTypes(transaction, [heirId])
  }
}
