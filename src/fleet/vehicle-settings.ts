import { makeOfVin } from '../catalogue/makes.ts'
import type { Database } from '../db/database.ts'
import { isUniqueViolation } from '../db/faults.ts'
import { type LockedDevices, lockDevices } from '../db/shards.ts'
import { listOf, type Statement, sql, verbatim } from '../db/sql.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import { afterRename, lockVins } from '../derive/assignments/vehicle-ids.ts'
import { markCars } from '../derive/due.ts'
import { refreshFuelTypes } from '../derive/identity/write-identity.ts'
import { badRequest, notFound } from '../model/errors.ts'
import type { DeviceId } from '../model/sample.ts'
import { vehicleIdOf } from './vehicles.ts'

/** Settings of a vehicle by an operator; absent ones stay as they are. */
export interface VehicleSettings {
  readonly vin?: string
  readonly numberPlate?: string
  /** Empty: by its VIN. */
  readonly make?: string
  readonly model?: string
  /** Empty: as the vehicle reports it. */
  readonly fuelType?: string
  readonly color?: string
  /** Which cars it belongs with: a site, a department. */
  readonly group?: string
  readonly alarmSystem?: boolean
  /** null resets the delete mark. */
  readonly deleteTimestamp?: string | null
}

interface VehicleRow {
  readonly vin: string | null
  readonly vin_by_operator: boolean
  readonly public_id: string
  readonly license_plate: string
  readonly make: string
  readonly make_by_operator: boolean
  readonly model: string
  readonly fuel_type_set: string
  readonly color: string
  readonly car_group: string
  readonly alarm_system: boolean | null
  readonly deleted: string | null
}

/** Changes settings of a vehicle, all or none. @param publicId its id, or a former one
 * @throws ClientError 404 when the account has no such vehicle, 400 when another one of it has the VIN */
export async function changeVehicleSettings(
  database: Database,
  accountId: number,
  publicId: string,
  settings: VehicleSettings,
): Promise<void> {
  await writeTransaction(database, transaction => changeSettingsWithin(transaction, accountId, publicId, settings))
}

export async function changeSettingsWithin(
  transaction: Transaction,
  accountId: number,
  publicId: string,
  settings: VehicleSettings,
): Promise<void> {
  const vehicleId = await vehicleIdOf(transaction, accountId, publicId)
  if (vehicleId === undefined) throw notFound(`The vehicle ${publicId}`)
  const vehicle = { accountId, vehicleId }
  const { vin } = settings
  const concerned = vin === undefined ? undefined : await lockConcerned(transaction, vehicle, vin)
  const [before] = await transaction.rows<VehicleRow>(sql`
    select vin, vin_by_operator, public_id, license_plate, make, make_by_operator, model, fuel_type_set, color, car_group,
      alarm_system, deleted
    from vehicles where id = ${vehicleId} for update`)
  if (!before) throw notFound(`The vehicle ${publicId}`)
  const changes = changesOf(before, settings)
  if (changes.length > 0) {
    const publicIdNow = await updateVehicle(transaction, vehicleId, changes)
    await afterRename(transaction, vehicle, { before: before.public_id, now: publicIdNow, isByOperator: true })
    if (settings.fuelType !== undefined) await refreshFuelTypes(transaction, [vehicleId])
  }
  if (concerned && !(before.vin_by_operator && before.vin === vin)) await takeOperatorsWord(concerned, vehicleId)
}

function changesOf(
  before: VehicleRow,
  { vin, numberPlate, make, model, fuelType, color, group, alarmSystem, deleteTimestamp }: VehicleSettings,
): Statement[] {
  const changes: Statement[] = []
  const isOwnMake = make === undefined ? before.make_by_operator : make !== ''
  const vinNow = vin ?? before.vin
  const makeNow = isOwnMake ? (make ?? before.make) : vinNow === null ? '' : makeOfVin(vinNow)
  if (vin !== undefined && vin !== before.vin) changes.push(sql`vin = ${vin}`)
  if ((make !== undefined || (vin !== undefined && vin !== before.vin)) && makeNow !== before.make)
    changes.push(sql`make = ${makeNow}`)
  if (isOwnMake !== before.make_by_operator) changes.push(sql`make_by_operator = ${isOwnMake}`)
  const texts = { model, fuel_type_set: fuelType, color, car_group: group, license_plate: numberPlate }
  for (const [column, text] of Object.entries(texts))
    if (text !== undefined && text !== before[column as keyof typeof texts])
      changes.push(sql`${verbatim(column)} = ${text}`)
  if (alarmSystem !== undefined && alarmSystem !== before.alarm_system)
    changes.push(sql`alarm_system = ${alarmSystem}`, sql`alarm_system_set = clock_timestamp()`)
  if (deleteTimestamp !== undefined && deleteTimestamp !== before.deleted)
    changes.push(sql`deleted = ${deleteTimestamp}::timestamptz`)
  return changes
}

async function updateVehicle(
  transaction: Transaction,
  vehicleId: number,
  changes: readonly Statement[],
): Promise<string> {
  const revision = sql`modified = ${await transaction.takeRevisions(1)}::timestamptz`
  try {
    const [row] = await transaction.rows<{ public_id: string }>(
      sql`update vehicles set ${listOf([...changes, revision])} where id = ${vehicleId} returning public_id`,
    )
    if (!row) throw new Error(`the locked vehicle ${vehicleId} is gone`)
    return row.public_id
  } catch (error) {
    if (isUniqueViolation(error)) throw badRequest('vin is the VIN of another vehicle of this account.')
    throw error
  }
}

/** An operator's VIN wins over what dongles read, and one reading of it is enough: look again where they were. */
async function takeOperatorsWord({ transaction, deviceIds }: LockedDevices, vehicleId: number): Promise<void> {
  await transaction.rows(sql`update vehicles set vin_by_operator = true where id = ${vehicleId}`)
  await markCars(transaction, deviceIds)
}

interface VehicleKey {
  readonly accountId: number
  readonly vehicleId: number
}

/** Locks the dongles that this VIN concerns and the VINs of the account: no trip being derived may miss the change. */
async function lockConcerned(transaction: Transaction, vehicle: VehicleKey, vin: string): Promise<LockedDevices> {
  await lockDevices(transaction, await readConcerned(transaction, vehicle, vin))
  await lockVins(transaction, [vehicle.accountId])
  // One that came in between is locked late: should that end in a deadlock, the transaction is tried again.
  return lockDevices(transaction, await readConcerned(transaction, vehicle, vin))
}

/** Devices that are or were in the vehicle, and those of its account that read the VIN that it has or gets. */
async function readConcerned(
  transaction: Transaction,
  { accountId, vehicleId }: VehicleKey,
  vin: string,
): Promise<DeviceId[]> {
  const rows = await transaction.rows<{ device_id: DeviceId }>(sql`
    select device_id from assignments where vehicle_id = ${vehicleId}
    union
    select r.device_id from vin_runs r
    where r.vin in (${vin}, (select vin from vehicles where id = ${vehicleId}))
      and exists (select from assignments a where a.device_id = r.device_id and a.account_id = ${accountId})`)
  return rows.map(row => row.device_id)
}
