import { revised, unnestOf } from '../../../db/bulk-rows.ts'
import { type Statement, sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { instantMs } from '../../../db/values.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { Assignment } from '../../device-records.ts'
import { leaveIncidentsTo } from '../../incidents/write-incidents.ts'
import type { TouchedTrip } from '../../trips/rows/reconcile-vehicles.ts'
import { type DeviceAssignments, heirOf } from './assignment-rows.ts'
import { NOTHING_SET } from './operators-word.ts'
import { keepFormerId } from './public-ids.ts'

/**
 * Makes the `IMEI_…` of a device lead to its first vehicle, unless a vehicle has it as its id.
 * @param first its first assignment in the account
 */
export async function keepPlaceholderId(
  transaction: Transaction,
  deviceId: DeviceId,
  { accountId, vehicleId }: Assignment,
): Promise<void> {
  await transaction.rows(sql`
    update former_vehicle_ids set vehicle_id = ${vehicleId}
    where account_id = ${accountId} and public_id = ${`IMEI_${deviceId}`} and vehicle_id <> ${vehicleId}`)
}

interface UnusedVehicle {
  readonly id: number
  readonly account_id: number
  readonly public_id: string
}

/** Locks those of a device's former vehicles in which no dongle ever was, by what is known now, and for which no operator set anything. */
export function lockUnusedVehicles(transaction: Transaction, before: DeviceAssignments): Promise<UnusedVehicle[]> {
  return transaction.rows<UnusedVehicle>(sql`
    select id, account_id, public_id from vehicles v
    where id = any(${before.spans.map(({ vehicleId }) => vehicleId)}::bigint[])
      and not exists (select from assignments a where a.vehicle_id = v.id)
      and not exists (select from operator_moves m where m.vehicle_id = v.id) and ${NOTHING_SET}
    order by id for update`)
}

/** The days of statistics of these vehicles, which must be worked out again so that none is left. */
export async function readDaysOf(transaction: Transaction, unused: readonly UnusedVehicle[]): Promise<TouchedTrip[]> {
  if (unused.length === 0) return []
  const accountOf = new Map(unused.map(({ id, account_id }) => [id, account_id]))
  const days = await transaction.rows<{ vehicle_id: number; start: string }>(sql`
    select vehicle_id, day::timestamp at time zone 'UTC' as start
    from vehicle_days where vehicle_id = any(${unused.map(({ id }) => id)}::bigint[])`)
  return days.flatMap(({ vehicle_id: vehicleId, start }) => {
    const accountId = accountOf.get(vehicleId)
    return accountId === undefined ? [] : [{ accountId, vehicleId, timeMs: instantMs(start) }]
  })
}

/**
 * Removes vehicles from which everything has moved away. Their ids lead to the vehicle that took over; a
 * client that syncs learns that they are deleted.
 */
export async function retireVehicles(
  transaction: Transaction,
  before: DeviceAssignments,
  spans: readonly Assignment[],
  unused: readonly UnusedVehicle[],
): Promise<void> {
  for (const { id, public_id } of unused) {
    const heir = heirOf(before, spans, id)
    const heirId = heir.vehicleId
    await transaction.rows(sql`
      update former_vehicle_ids set vehicle_id = ${heirId} where vehicle_id = ${id}`)
    await leaveDeletedTo(transaction, sql`trips`, id, heirId)
    await leaveDeletedTo(transaction, sql`dtcs`, id, heirId)
    await leaveIncidentsTo(transaction, { accountId: heir.accountId, vehicleId: id, successorId: heirId })
    await transaction.rows(sql`delete from vehicles where id = ${id}`)
    await keepFormerId(transaction, heir, public_id, false)
  }
}

/** Moves the objects that stayed behind because they are marked as deleted: the vehicle's id leads to the heir now. */
export async function leaveDeletedTo(
  transaction: Transaction,
  table: Statement,
  vehicleId: number,
  heirId: number,
): Promise<void> {
  const rows = await transaction.rows<{ device_id: number; id: number }>(
    sql`select device_id, id from ${table} where vehicle_id = ${vehicleId} order by id`,
  )
  if (rows.length === 0) return
  await transaction.rows(sql`
    update ${table} as item set vehicle_id = ${heirId}, modified = u.modified
    from ${unnestOf({ device_id: 'bigint', id: 'bigint', modified: 'timestamptz' }, await revised(transaction, rows))}
    where item.device_id = u.device_id and item.id = u.id`)
}
