import { sql } from '../../sql.ts'
import type { Transaction } from '../../transaction.ts'
import { type DeviceAssignments, heirOf, type VehicleSpan } from './assignment-rows.ts'

/**
 * A dongle turned out to be in a car that is known: what an operator set of the vehicle that stood for the dongle was
 * meant for that car, which takes what is not set there yet. So it does not matter which of two dongles of a car told
 * its VIN first. What the car has otherwise stays with the old vehicle, for the operator to decide.
 */
export async function inheritSettings(
  transaction: Transaction,
  before: DeviceAssignments,
  spans: readonly VehicleSpan[],
): Promise<void> {
  const placeholders = await transaction.rows<{ id: number }>(sql`
    select id from vehicles v
    where id = any(${before.spans.map(({ vehicleId }) => vehicleId)}::bigint[]) and vin is null
      and not exists (select from assignments a where a.vehicle_id = v.id)
    order by id for update`)
  for (const { id } of placeholders) {
    const heirId = heirOf(before, spans, id)
    await transaction.rows(sql`
      update vehicles heir set
        license_plate = case when heir.license_plate = '' then old.license_plate else heir.license_plate end,
        alarm_system_set = case when heir.alarm_system is null then old.alarm_system_set else heir.alarm_system_set end,
        alarm_system = coalesce(heir.alarm_system, old.alarm_system)
      from vehicles old where heir.id = ${heirId} and old.id = ${id}`)
    await transaction.rows(sql`
      update vehicles old set license_plate = '', alarm_system = null, alarm_system_set = null, deleted = null
      from vehicles heir
      where heir.id = ${heirId} and old.id = ${id} and old.license_plate in ('', heir.license_plate)
        and coalesce(old.alarm_system, heir.alarm_system) is not distinct from heir.alarm_system`)
  }
}
