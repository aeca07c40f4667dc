import { badRequest, notFound } from '../errors.ts'
import type { DeviceId } from '../intake/sample.ts'
import type { Database } from './database.ts'
import { lockLanes } from './fleet/lanes.ts'
import { listOf, type Statement, sql } from './sql.ts'
import { type Transaction, writeTransaction } from './transaction.ts'
import { vehicleIdOf } from './vehicle-ids.ts'

/** What an operator may set of a vehicle; what is absent stays as it is. */
export interface VehicleSettings {
  readonly vin?: string
  readonly numberPlate?: string
  readonly alarmSystem?: boolean
  /** null resets the delete mark. */
  readonly deleteTimestamp?: string | null
}

interface VehicleRow {
  readonly vin: string | null
  readonly public_id: string
  readonly license_plate: string
  readonly alarm_system: boolean | null
  readonly deleted: string | null
}

/**
 * Changes settings of a vehicle, all of them or none. What already is as wanted gets no new stamp.
 * @param publicId its id, or one that it had before its VIN was known.
 * @throws ClientError 404 when the account has no such vehicle, 400 when another one of it has the VIN.
 */
export async function changeVehicleSettings(
  database: Database,
  accountId: number,
  publicId: string,
  settings: VehicleSettings,
): Promise<void> {
  await writeTransaction(database, async transaction => {
    const vehicleId = await vehicleIdOf(transaction, accountId, publicId)
    if (vehicleId === undefined) throw notFound(`The vehicle ${publicId}`)
    // What a VIN changes in trips must not miss one that is being derived: the lanes come first, as for every writer.
    if (settings.vin !== undefined) await lockLanes(transaction, await readDeviceIds(transaction, vehicleId))
    const [before] = await transaction.rows<VehicleRow>(sql`
      select vin, public_id, license_plate, alarm_system, deleted from vehicles where id = ${vehicleId} for update`)
    if (!before) throw notFound(`The vehicle ${publicId}`)
    const changes = changesOf(before, settings)
    if (changes.length === 0) return
    const publicIdNow = await updateVehicle(transaction, vehicleId, changes)
    if (publicIdNow === before.public_id) return
    await keepFormerId(transaction, accountId, vehicleId, before.public_id, publicIdNow)
    await restampWhatShowsItsId(transaction, vehicleId)
  })
}

function changesOf(
  before: VehicleRow,
  { vin, numberPlate, alarmSystem, deleteTimestamp }: VehicleSettings,
): Statement[] {
  const changes: Statement[] = []
  if (vin !== undefined && vin !== before.vin) changes.push(sql`vin = ${vin}`)
  if (numberPlate !== undefined && numberPlate !== before.license_plate)
    changes.push(sql`license_plate = ${numberPlate}`)
  if (alarmSystem !== undefined && alarmSystem !== before.alarm_system)
    changes.push(sql`alarm_system = ${alarmSystem}`, sql`alarm_system_set = clock_timestamp()`)
  if (deleteTimestamp !== undefined && deleteTimestamp !== before.deleted)
    changes.push(sql`deleted = ${deleteTimestamp}::timestamptz`)
  return changes
}

/** @returns the public id of the vehicle afterwards. */
async function updateVehicle(
  transaction: Transaction,
  vehicleId: number,
  changes: readonly Statement[],
): Promise<string> {
  const stamp = sql`modified = ${await transaction.takeStamps(1)}::timestamptz`
  try {
    const [row] = await transaction.rows<{ public_id: string }>(
      sql`update vehicles set ${listOf([...changes, stamp])} where id = ${vehicleId} returning public_id`,
    )
    if (!row) throw new Error(`the locked vehicle ${vehicleId} is gone`)
    return row.public_id
  } catch (error) {
    // Only the index can tell, because the other vehicle may get its VIN at this moment.
    if (error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION)
      throw badRequest('vin is the VIN of another vehicle of this account.')
    throw error
  }
}

const UNIQUE_VIOLATION = '23505'

/** The id that the vehicle had keeps answering; the one it has now is nobody's former one any more. */
async function keepFormerId(
  transaction: Transaction,
  accountId: number,
  vehicleId: number,
  former: string,
  now: string,
): Promise<void> {
  await transaction.rows(sql`
    delete from former_vehicle_ids where account_id = ${accountId} and public_id = ${now}`)
  await transaction.rows(sql`
    insert into former_vehicle_ids (account_id, public_id, vehicle_id, deleted, modified)
    values (${accountId}, ${former}, ${vehicleId}, clock_timestamp(), ${await transaction.takeStamps(1)}::timestamptz)
    on conflict (account_id, public_id) do update set
      vehicle_id = excluded.vehicle_id, deleted = excluded.deleted, modified = excluded.modified`)
}

async function readDeviceIds(transaction: Transaction, vehicleId: number): Promise<DeviceId[]> {
  const rows = await transaction.rows<{ device_id: DeviceId }>(
    sql`select distinct device_id from assignments where vehicle_id = ${vehicleId}`,
  )
  return rows.map(row => row.device_id)
}

/** Everything that shows a vehicle's public id changes with it (decisions.md, *Sync*). */
async function restampWhatShowsItsId(transaction: Transaction, vehicleId: number): Promise<void> {
  const isInside = sql`item.id in (
    select device_id from assignments where vehicle_id = ${vehicleId} and to_time = 'infinity')`
  const isIts = sql`item.vehicle_id = ${vehicleId}`
  await restamp(transaction, sql`devices`, isInside)
  await restamp(transaction, sql`trips`, isIts)
  await restamp(transaction, sql`dtcs`, isIts)
}

async function restamp(transaction: Transaction, table: Statement, condition: Statement): Promise<void> {
  const [row] = await transaction.rows<{ count: number }>(sql`select count(*) from ${table} as item where ${condition}`)
  if (!row || row.count === 0) return
  const first = await transaction.takeStamps(row.count)
  await transaction.rows(sql`
    update ${table} as item set modified = ${first}::timestamptz + numbered.offset_us * interval '1 microsecond'
    from (select id, row_number() over (order by id) - 1 as offset_us from ${table} as item where ${condition}) numbered
    where item.id = numbered.id and ${condition}`)
}
