import { type LockedDevice, lockSharedVehicles } from '../db/shards.ts'
import { type Statement, sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { instantOfMs } from '../db/values.ts'
import {
  forgetFormerId,
  type HeldVins,
  keepFormerId,
  leaveDeletedTo,
  lockVins,
  readersOfSameVins,
  UNSET,
} from '../derive/assignments/vehicle-ids.ts'
import { reviseVehicles } from '../derive/device-records.ts'
import { markCars } from '../derive/due.ts'
import { emptyRows } from '../derive/empty-rows.ts'
import { FACTS } from '../derive/facts.ts'
import { leaveIncidentsTo } from '../derive/incidents/write-incidents.ts'
import type { DeviceId } from '../model/sample.ts'
import { eraseSamples } from '../store/index.ts'

export interface ErasureRequest {
  readonly deviceId: DeviceId
  /** The account it must belong to, now and always; any unless given. */
  readonly ownerId?: number
}

/** The outcome of an erasure; unknown when there is no such dongle, or not with that owner. */
export type ErasureOutcome =
  | {
      readonly kind: 'erased'
      readonly trips: number
      readonly cars: readonly string[]
      /** Every vehicle it was in: what follows from trips in these must be computed again. */
      readonly vehicleIds: readonly number[]
    }
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'unknown' }

/** Erases a dongle, all that followed from it, and cars in which no other ever was. Empty rows marked as deleted stay
 * for clients that sync (docs/adr/0023). The dongle is derived already. */
export async function eraseDevice(
  locked: LockedDevice,
  { ownerId }: Omit<ErasureRequest, 'deviceId'>,
): Promise<ErasureOutcome> {
  const { transaction, deviceId } = locked
  const stays = await transaction.rows<{ account_id: number; vehicle_id: number; is_now: boolean }>(sql`
    select account_id, vehicle_id, to_time = 'infinity' as is_now from assignments where device_id = ${deviceId}`)
  const isOwned = ownerId === undefined || stays.some(stay => stay.is_now && stay.account_id === ownerId)
  if (stays.length === 0 || !isOwned) return { kind: 'unknown' }
  if (ownerId !== undefined && stays.some(stay => stay.account_id !== ownerId))
    return { kind: 'refused', text: 'was not always in this account: the operator of the service deletes it' }
  const accountIds = [...new Set(stays.map(stay => stay.account_id))].sort((a, b) => a - b)
  const vehicleIds = [...new Set(stays.map(stay => stay.vehicle_id))].sort((a, b) => a - b)
  const shared = await sharedOf(transaction, deviceId, vehicleIds)
  await lockSharedVehicles(transaction, shared)
  const vins = await lockVins(transaction, accountIds)
  const addressIds = await addressesOf(transaction, deviceId)
  await markCars(transaction, await readersOfSameVins(transaction, [deviceId]))
  const trips = await emptyRows(locked, sql`trips`, EMPTY_TRIP)
  await emptyRows(locked, sql`dtcs`, EMPTY_CODE)
  for (const { erase } of FACTS) await erase?.(locked)
  await eraseSamples(locked, accountIds)
  for (const deletion of deletionsOf(deviceId)) await transaction.rows(deletion)
  await dropAddresses(transaction, addressIds)
  await transaction.rows(sql`
    update devices set manufacturer = '', hardware_type = '', hardware_version = '', hardware_set = '',
      firmware_version = '', is_online = false, is_plugged_in = null, is_claimed = false, networks = '{}',
      deleted = clock_timestamp(), modified = ${await transaction.takeRevisions(1)}::timestamptz
    where id = ${deviceId}`)
  const cars: string[] = []
  const unshared = stays.filter(stay => !shared.includes(stay.vehicle_id))
  for (const accountId of accountIds) {
    const ids = unshared.filter(stay => stay.account_id === accountId).map(stay => stay.vehicle_id)
    cars.push(...(await eraseCars(vins, { deviceId, accountId, vehicleIds: [...new Set(ids)] })))
  }
  await reviseVehicles(transaction, shared)
  return { kind: 'erased', trips, cars, vehicleIds }
}

/** Statements that delete everything stored by device, except samples, trips and codes. */
function deletionsOf(deviceId: DeviceId): Statement[] {
  return [
    sql`delete from misdated_samples where device_id = ${deviceId}`,
    sql`delete from latest_values where device_id = ${deviceId}`,
    sql`delete from fold_checkpoints where device_id = ${deviceId}`,
    sql`delete from device_states where device_id = ${deviceId}`,
    sql`delete from due where device_id = ${deviceId}`,
    sql`delete from vin_runs where device_id = ${deviceId}`,
    sql`delete from operator_moves where device_id = ${deviceId}`,
    sql`delete from assignments where device_id = ${deviceId}`,
    sql`delete from rejected_frames where device_id = ${deviceId}`,
    sql`delete from claims where device_id = ${deviceId}`,
  ]
}

/** The time of the deletion replaces all other times. */
const EMPTY_TRIP = sql`
  start_time = clock.now, end_time = clock.now, is_open = false, distance_m = 0, duration_s = 0,
  start_address_id = null, end_address_id = null, meters = '{}', polyline = '', fix_count = 0, superseded_by = null,
  deleted = clock.now`

const EMPTY_CODE = sql`
  code = '', encoded = '', frame_list = null, is_retracted = true, recorded = clock.now, deleted = clock.now`

/** Those of the vehicles in which other dongles are, were, or were put. */
async function sharedOf(
  transaction: Transaction,
  deviceId: DeviceId,
  vehicleIds: readonly number[],
): Promise<number[]> {
  const rows = await transaction.rows<{ vehicle_id: number }>(sql`
    select vehicle_id from assignments where vehicle_id = any(${vehicleIds}::bigint[]) and device_id <> ${deviceId}
    union
    select vehicle_id from operator_moves where vehicle_id = any(${vehicleIds}::bigint[]) and device_id <> ${deviceId}
    order by 1`)
  return rows.map(row => row.vehicle_id)
}

async function addressesOf(transaction: Transaction, deviceId: DeviceId): Promise<number[]> {
  const rows = await transaction.rows<{ id: number }>(sql`
    select start_address_id as id from trips where device_id = ${deviceId} and start_address_id is not null
    union
    select end_address_id from trips where device_id = ${deviceId} and end_address_id is not null
    union
    select start_address_id from incidents where device_id = ${deviceId} and start_address_id is not null
    union
    select end_address_id from incidents where device_id = ${deviceId} and end_address_id is not null order by 1`)
  return rows.map(row => row.id)
}

/** Trips often end at a home: an address that nothing else uses is deleted, too. */
async function dropAddresses(transaction: Transaction, addressIds: readonly number[]): Promise<void> {
  if (addressIds.length === 0) return
  await transaction.rows(sql`
    delete from addresses a where a.id = any(${addressIds}::bigint[])
      and not exists (select from trips t where t.start_address_id = a.id)
      and not exists (select from trips t where t.end_address_id = a.id)
      and not exists (select from incidents i where i.start_address_id = a.id)
      and not exists (select from incidents i where i.end_address_id = a.id)`)
}

interface CarsOfOneDongle {
  readonly deviceId: DeviceId
  readonly accountId: number
  readonly vehicleIds: readonly number[]
}

interface Car {
  readonly id: number
  readonly public_id: string
}

/** Erases the cars of a dongle but for one row, `IMEI_…`, marked as deleted, to which ids and empty trips lead.
 * @returns the public ids that the cars had */
async function eraseCars(
  held: HeldVins,
  { deviceId, accountId, vehicleIds }: CarsOfOneDongle,
): Promise<readonly string[]> {
  const transaction = held.transactionFor(accountId)
  const cars = await transaction.rows<Car>(sql`
    select id, public_id from vehicles where id = any(${vehicleIds}::bigint[]) order by id`)
  const placeholderId = `IMEI_${deviceId}`
  const [placeholder] = await transaction.rows<Car>(sql`
    select id, public_id from vehicles where account_id = ${accountId} and public_id = ${placeholderId}`)
  // Another dongle may be in the car that has the id of this one.
  const rest = placeholder ?? cars[0]
  if (!rest) return []
  for (const car of cars) if (car.id !== rest.id) await putInto(transaction, car, { accountId, vehicleId: rest.id })
  if (cars.some(car => car.id === rest.id)) await emptyCar(transaction, rest, { deviceId, accountId })
  return cars.map(car => car.public_id)
}

async function putInto(
  transaction: Transaction,
  car: Car,
  rest: { readonly accountId: number; readonly vehicleId: number },
): Promise<void> {
  await transaction.rows(sql`update former_vehicle_ids set vehicle_id = ${rest.vehicleId} where vehicle_id = ${car.id}`)
  await leaveDeletedTo(transaction, sql`trips`, car.id, rest.vehicleId)
  await leaveDeletedTo(transaction, sql`dtcs`, car.id, rest.vehicleId)
  await leaveIncidentsTo(transaction, { accountId: rest.accountId, vehicleId: car.id, successorId: rest.vehicleId })
  await transaction.rows(sql`delete from vehicles where id = ${car.id}`)
  await keepFormerId(transaction, rest, car.public_id, false)
}

async function emptyCar(
  transaction: Transaction,
  car: Car,
  { deviceId, accountId }: Omit<CarsOfOneDongle, 'vehicleIds'>,
): Promise<void> {
  await forgetFormerId(transaction, accountId, `IMEI_${deviceId}`)
  await transaction.rows(sql`
    update vehicles set ${UNSET} where id = ${car.id}`)
  await transaction.rows(sql`
    update vehicles set first_device_id = ${deviceId}, vin = null, vin_by_operator = false, fuel_type = '',
      deleted = clock_timestamp(), modified = ${await transaction.takeRevisions(1)}::timestamptz
    where id = ${car.id}`)
  if (car.public_id !== `IMEI_${deviceId}`)
    await keepFormerId(transaction, { accountId, vehicleId: car.id }, car.public_id, false)
}

const MOST_AT_ONCE = 1000

/** Sweeps rows that were deleted before an instant: trips, codes and incidents, then cars and dongles to which nothing
 * leads any more. @returns how many; 0 when nothing is left */
export async function sweepTombstones(transaction: Transaction, beforeMs: number): Promise<number> {
  const before = sql`${instantOfMs(beforeMs)}::timestamptz`
  const swept = async (statement: Statement) => (await transaction.rows(statement)).length
  const some = sql`limit ${MOST_AT_ONCE} for update skip locked`
  const trips = await swept(sql`
    delete from trips where (device_id, id) in (
      select device_id, id from trips where deleted < ${before} and start_time = deleted ${some})
    returning id`)
  const codes = await swept(sql`
    delete from dtcs where (device_id, id) in (
      select device_id, id from dtcs where deleted < ${before} and code = '' ${some})
    returning id`)
  const incidents = await swept(sql`
    delete from incidents where (device_id, id) in (
      select device_id, id from incidents where deleted < ${before} and is_erased ${some})
    returning id`)
  // A car that an operator marked as deleted has, or had, a dongle in it.
  const cars = await transaction.rows<{ id: number }>(sql`
    select id from vehicles v where deleted < ${before}
      and not exists (select from assignments where vehicle_id = v.id)
      and not exists (select from operator_moves where vehicle_id = v.id)
      and not exists (select from latest_values where vehicle_id = v.id)
      and not exists (select from trips where vehicle_id = v.id)
      and not exists (select from dtcs where vehicle_id = v.id)
      and not exists (select from incidents where vehicle_id = v.id) ${some}`)
  const carIds = sql`${cars.map(({ id }) => id)}::bigint[]`
  const ids = await swept(sql`delete from former_vehicle_ids where vehicle_id = any(${carIds}) returning 1`)
  await transaction.rows(sql`delete from vehicles where id = any(${carIds})`)
  const dongles = await swept(sql`
    delete from devices where id in (
      select id from devices d where deleted < ${before}
        and not exists (select from vehicles where first_device_id = d.id)
        and not exists (select from trips where device_id = d.id)
        and not exists (select from dtcs where device_id = d.id)
        and not exists (select from incidents where device_id = d.id) ${some})
    returning id`)
  return trips + codes + incidents + cars.length + ids + dongles
}
