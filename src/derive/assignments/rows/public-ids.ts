import { makeOfVin } from '../../../catalogue/makes.ts'
import { type Statement, sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { HeldVins } from './locked-vins.ts'

interface NewVehicle {
  readonly accountId: number
  /** undefined: its id is the `IMEI_…` of the device. */
  readonly vin: string | undefined
  readonly deviceId: DeviceId
}

/** Creates a vehicle for a VIN that a dongle read, or for a dongle without one. */
export async function createVehicle(held: HeldVins, { accountId, vin, deviceId }: NewVehicle): Promise<number> {
  const transaction = held.transactionFor(accountId)
  const [row] = await transaction.rows<{ id: number; public_id: string }>(sql`
    insert into vehicles (account_id, first_device_id, vin, make, modified)
    values (${accountId}, ${deviceId}, ${vin ?? null}, ${vin === undefined ? '' : makeOfVin(vin)},
      ${await transaction.takeRevisions(1)}::timestamptz)
    returning id, public_id`)
  if (!row) throw new Error('a new vehicle got no row')
  await forgetFormerId(transaction, accountId, row.public_id)
  return row.id
}

/**
 * Writes what follows from a new public id of a vehicle: the former id keeps working, and everything that
 * shows the id counts as changed (decisions.md, *Sync*).
 */
export async function afterRename(
  transaction: Transaction,
  vehicle: { readonly accountId: number; readonly vehicleId: number },
  ids: { readonly before: string; readonly now: string; readonly isByOperator: boolean },
): Promise<void> {
  const { before, now, isByOperator } = ids
  if (before === now) return
  await forgetFormerId(transaction, vehicle.accountId, now)
  await keepFormerId(transaction, vehicle, before, isByOperator)
  await reviseWhatShowsItsId(transaction, vehicle.vehicleId)
}

/**
 * Makes a former id lead to that vehicle; a client that syncs learns that the object with this id is deleted.
 * @param isByOperator an operator put another VIN in its place
 */
export async function keepFormerId(
  transaction: Transaction,
  { accountId, vehicleId }: { readonly accountId: number; readonly vehicleId: number },
  publicId: string,
  isByOperator: boolean,
): Promise<void> {
  await transaction.rows(sql`
    insert into former_vehicle_ids (account_id, public_id, vehicle_id, by_operator, deleted, modified)
    values (${accountId}, ${publicId}, ${vehicleId}, ${isByOperator}, clock_timestamp(),
      ${await transaction.takeRevisions(1)}::timestamptz)
    on conflict (account_id, public_id) do update set vehicle_id = excluded.vehicle_id,
      by_operator = excluded.by_operator, deleted = excluded.deleted, modified = excluded.modified`)
}

/** An id that is in use again is no longer a former id. */
export async function forgetFormerId(transaction: Transaction, accountId: number, publicId: string): Promise<void> {
  await transaction.rows(sql`
    delete from former_vehicle_ids where account_id = ${accountId} and public_id = ${publicId}`)
}

async function reviseWhatShowsItsId(transaction: Transaction, vehicleId: number): Promise<void> {
  const isInside = sql`item.id in (
    select device_id from assignments where vehicle_id = ${vehicleId} and to_time = 'infinity')`
  const isIts = sql`item.vehicle_id = ${vehicleId}`
  await revise(transaction, sql`devices`, isInside)
  await revise(transaction, sql`trips`, isIts)
  await revise(transaction, sql`dtcs`, isIts)
  await revise(transaction, sql`incidents`, isIts)
  const namesIt = sql`exists (
    select from rule_versions w where w.rule_id = item.id and ${vehicleId}::bigint = any(w.vehicle_ids))`
  await revise(transaction, sql`rules`, namesIt)
}

async function revise(transaction: Transaction, table: Statement, condition: Statement): Promise<void> {
  const [row] = await transaction.rows<{ count: number }>(sql`select count(*) from ${table} as item where ${condition}`)
  if (!row || row.count === 0) return
  const first = await transaction.takeRevisions(row.count)
  await transaction.rows(sql`
    update ${table} as item set modified = ${first}::timestamptz + numbered.offset_us * interval '1 microsecond'
    from (select id, row_number() over (order by id) - 1 as offset_us from ${table} as item where ${condition}) numbered
    where item.id = numbered.id and ${condition}`)
}
