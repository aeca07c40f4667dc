import { hardwareOf } from '../../catalogue/hardware.ts'
import { makeOfVin } from '../../catalogue/makes/index.ts'
import { insertOf, revised, updateOf } from '../../db/bulk-rows.ts'
import { revisionAfter } from '../../db/revisions.ts'
import type { LockedDevices } from '../../db/shards/locked-devices.ts'
import { type Statement, sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { writeMoves } from '../../derive/assignments/rows/moves.ts'
import { reviseVehicles } from '../../derive/device-records/revise-vehicles.ts'
import { hardwareEntered } from '../../derive/identity/derive/identity.ts'
import type { DeviceId } from '../../model/sample.ts'
import { changeSettingsWithin } from '../vehicle-settings.ts'
import type { CarColumns } from './device-entry.ts'
import type { CarChange, HardwareChange, NewDongle } from './plan-entries.ts'

/** Makes dongles, with a car for each that has none. The caller has locked the VINs of the accounts. */
export async function addDongles(locked: LockedDevices, added: readonly NewDongle[]): Promise<void> {
  if (added.length === 0) return
  const { transaction } = locked.devices(added.map(({ entry }) => entry.deviceId))
  const dongles = added.map(({ entry }) => ({
    id: entry.deviceId,
    ...hardwareColumns(entry.hardware ?? ''),
    hardware_set: entry.hardware ?? '',
  }))
  await transaction.rows(
    insertOf(
      'devices',
      await revised(transaction, dongles),
      sql`on conflict (id) do update set manufacturer = excluded.manufacturer, hardware_type = excluded.hardware_type,
        hardware_version = excluded.hardware_version, hardware_set = excluded.hardware_set, deleted = null,
        created = clock_timestamp(), modified = excluded.modified`,
    ),
  )
  const made = await addCars(
    transaction,
    added.filter(({ vehicleId }) => vehicleId === undefined),
  )
  const joined = added.flatMap(({ entry: { deviceId }, accountId, vehicleId }) =>
    vehicleId === undefined ? [] : [{ deviceId, accountId, vehicleId }],
  )
  const placed = [...made, ...joined].map(({ deviceId, accountId, vehicleId }) => ({
    device_id: deviceId,
    account_id: accountId,
    vehicle_id: vehicleId,
  }))
  await transaction.rows(insertOf('assignments', placed))
  await reviseVehicles(
    transaction,
    joined.map(({ vehicleId }) => vehicleId),
  )
  // Stored as an operator's entry, so that a car whose VIN the dongle never reads stays its car.
  await writeMoves(
    locked,
    joined.map(item => ({ ...item, atMs: Number.NEGATIVE_INFINITY, isNewVehicle: false })),
  )
}

async function addCars(
  transaction: Transaction,
  added: readonly NewDongle[],
): Promise<{ deviceId: DeviceId; accountId: number; vehicleId: number }[]> {
  if (added.length === 0) return []
  const cars = added.map(({ accountId, entry }) => ({
    account_id: accountId,
    first_device_id: entry.deviceId,
    vin: entry.vin ?? null,
    vin_by_operator: entry.vin !== undefined,
    make: entry.make ?? (entry.vin === undefined ? '' : makeOfVin(entry.vin)),
    make_by_operator: entry.make !== undefined,
    model: entry.model ?? '',
    vehicle: entry.vehicle ?? '',
    fuel_type: entry.fuelType ?? '',
    fuel_type_set: entry.fuelType ?? '',
    kba: entry.kba ?? '',
    license_plate: entry.plate ?? '',
    tecdoc_make_id: entry.tecdocMakeId ?? 0,
    tecdoc_model_id: entry.tecdocModelId ?? 0,
    tecdoc_vehicle_id: entry.tecdocVehicleId ?? 0,
  }))
  // On conflict: the car of a dongle that was deleted, and comes again.
  const inserted = insertOf(
    'vehicles',
    await revised(transaction, cars),
    sql`on conflict (account_id, public_id) do update set make = excluded.make,
        make_by_operator = excluded.make_by_operator, model = excluded.model, vehicle = excluded.vehicle,
        fuel_type = excluded.fuel_type, fuel_type_set = excluded.fuel_type_set, kba = excluded.kba,
        license_plate = excluded.license_plate, tecdoc_make_id = excluded.tecdoc_make_id,
        tecdoc_model_id = excluded.tecdoc_model_id, tecdoc_vehicle_id = excluded.tecdoc_vehicle_id,
        deleted = null, modified = excluded.modified
      returning id, first_device_id, account_id, public_id`,
  )
  const rows = await transaction.rows<{ id: number; first_device_id: DeviceId; account_id: number }>(sql`
    with made as (${inserted}), forgotten as (
      -- An id that a vehicle has now is nobody's former one any more.
      delete from former_vehicle_ids f using made
      where f.account_id = made.account_id and f.public_id = made.public_id
    )
    select id, first_device_id, account_id from made`)
  return rows.map(row => ({ deviceId: row.first_device_id, accountId: row.account_id, vehicleId: row.id }))
}

/** Sets what differs of cars; each gets a revision of its own. */
export async function changeCars(transaction: Transaction, cars: readonly CarChange[]): Promise<void> {
  const changed = cars.filter(({ columns }) => Object.keys(columns).length > 0)
  if (changed.length > 0) await updateColumns(transaction, changed)
  for (const { accountId, publicId, vin } of cars)
    if (vin !== undefined) await changeSettingsWithin(transaction, accountId, publicId, { vin })
}

async function updateColumns(transaction: Transaction, changed: readonly CarChange[]): Promise<void> {
  const first = await transaction.takeRevisions(changed.length)
  const textsOf = (name: keyof CarColumns): Statement => sql`${changed.map(({ columns }) => columns[name] ?? null)}`
  await transaction.rows(sql`
    update vehicles v set
      license_plate = coalesce(u.license_plate, v.license_plate),
      make = coalesce(u.make, v.make), make_by_operator = v.make_by_operator or u.make is not null,
      model = coalesce(u.model, v.model), vehicle = coalesce(u.vehicle, v.vehicle), kba = coalesce(u.kba, v.kba),
      fuel_type = coalesce(u.fuel_type, v.fuel_type), fuel_type_set = coalesce(u.fuel_type, v.fuel_type_set),
      tecdoc_make_id = coalesce(u.tecdoc_make_id, v.tecdoc_make_id),
      tecdoc_model_id = coalesce(u.tecdoc_model_id, v.tecdoc_model_id),
      tecdoc_vehicle_id = coalesce(u.tecdoc_vehicle_id, v.tecdoc_vehicle_id),
      modified = u.modified
    from unnest(
      ${changed.map(({ vehicleId }) => vehicleId)}::bigint[],
      ${textsOf('license_plate')}::text[], ${textsOf('make')}::text[], ${textsOf('model')}::text[],
      ${textsOf('vehicle')}::text[], ${textsOf('kba')}::text[], ${textsOf('fuel_type_set')}::text[],
      ${textsOf('tecdoc_make_id')}::integer[], ${textsOf('tecdoc_model_id')}::integer[],
      ${textsOf('tecdoc_vehicle_id')}::integer[],
      ${changed.map((_, index) => revisionAfter(first, index))}::timestamptz[]
    ) as u (id, license_plate, make, model, vehicle, kba, fuel_type, tecdoc_make_id, tecdoc_model_id, tecdoc_vehicle_id,
      modified)
    where v.id = u.id`)
}

/** Sets the models of dongles; one that names its own goes on to show that. */
export async function changeHardware(locked: LockedDevices, changes: readonly HardwareChange[]): Promise<void> {
  if (changes.length === 0) return
  const { transaction } = locked.devices(changes.map(({ device }) => device.id))
  const entered = changes.map(({ device, hardware }) => ({ id: device.id, hardware_set: hardware }))
  await transaction.rows(updateOf('devices', ['id'], entered))
  const shown = changes.filter(({ device }) => hardwareOf(device.firmware_version).hardwareType === '')
  if (shown.length === 0) return
  const rows = shown.map(({ device, hardware }) => ({ id: device.id, ...hardwareColumns(hardware) }))
  await transaction.rows(updateOf('devices', ['id'], await revised(transaction, rows)))
}

function hardwareColumns(entered: string) {
  const { manufacturer, hardwareType, hardwareVersion } = hardwareEntered(entered)
  return { manufacturer, hardware_type: hardwareType, hardware_version: hardwareVersion }
}
