import { revised, updateOf } from '../../db/bulk-rows.ts'
import type { LockedDevices } from '../../db/shards.ts'
import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import { type LatestRow, latestValuesOf } from '../device-records.ts'
import type { DerivedDevice } from '../fact.ts'
import { deviceIdentity, FIRMWARE_VERSION, FUEL_TYPE, lastPluggedIn, vehicleFuelType } from './identity.ts'

/** Writes the status of devices, each with its own revision. */
export async function writeStatuses(
  transaction: Transaction,
  statuses: readonly { readonly id: DeviceId; readonly is_online: boolean; readonly is_plugged_in: boolean | null }[],
): Promise<void> {
  if (statuses.length === 0) return
  await transaction.rows(updateOf('devices', ['id'], await revised(transaction, statuses)), {
    prepareAs: 'write-device-statuses',
  })
}

/** Sets firmware and hardware from the latest values, which must be written already, with a revision each. */
export async function refreshDeviceIdentities({ transaction, deviceIds }: LockedDevices): Promise<void> {
  if (deviceIds.length === 0) return
  const devices = await transaction.rows<IdentityRow>(sql`
    select id, manufacturer, hardware_type, hardware_version, firmware_version, hardware_set
    from devices where id = any(${deviceIds}::bigint[]) order by id`)
  const latest = await transaction.rows<LatestRow>(sql`
    select device_id, vehicle_id, types, times, numbers, texts
    from latest_values where device_id = any(${deviceIds}::bigint[])`)
  const changed = devices.flatMap(row => {
    const itsLatest = latest.filter(item => item.device_id === row.id).map(latestValuesOf)
    const identity = deviceIdentity(itsLatest, row.hardware_set)
    const columns = {
      manufacturer: identity.manufacturer,
      hardware_type: identity.hardwareType,
      hardware_version: identity.hardwareVersion,
      firmware_version: identity.firmwareVersion,
    }
    const isSame = Object.entries(columns).every(([name, value]) => row[name as keyof typeof columns] === value)
    return isSame ? [] : [{ id: row.id, ...columns }]
  })
  if (changed.length === 0) return
  await transaction.rows(updateOf('devices', ['id'], await revised(transaction, changed)))
}

interface IdentityRow {
  readonly id: DeviceId
  readonly manufacturer: string
  readonly hardware_type: string
  readonly hardware_version: string
  readonly firmware_version: string
  readonly hardware_set: string
}

/** Sets fuel types from the latest values, which must be written already. Each change gets its own revision. */
export async function refreshFuelTypes(transaction: Transaction, vehicleIds: readonly number[]): Promise<void> {
  const found = await readFuelTypes(transaction, vehicleIds)
  // For a single dongle, its shard is locked. Several may report at once, so the vehicle's row is the lock.
  const doubtful = found
    .filter(({ reported, stored, dongleCount }) => reported !== stored || dongleCount > 1)
    .map(({ id }) => id)
  if (doubtful.length === 0) return
  await transaction.rows(sql`
    select id from vehicles where id = any(${doubtful}::bigint[]) order by id for no key update`)
  const changed = (await readFuelTypes(transaction, doubtful)).filter(({ reported, stored }) => reported !== stored)
  if (changed.length === 0) return
  const rows = changed.map(({ id, reported }) => ({ id, fuel_type: reported }))
  await transaction.rows(updateOf('vehicles', ['id'], await revised(transaction, rows)))
}

interface FuelType {
  readonly id: number
  /** From the latest values and the operator's entry. */
  readonly reported: string
  readonly stored: string
  readonly dongleCount: number
}

async function readFuelTypes(transaction: Transaction, vehicleIds: readonly number[]): Promise<FuelType[]> {
  if (vehicleIds.length === 0) return []
  const vehicles = await transaction.rows<{ id: number; fuel_type: string; fuel_type_set: string }>(sql`
    select id, fuel_type, fuel_type_set from vehicles where id = any(${vehicleIds}::bigint[]) order by id`)
  const latest = await transaction.rows<LatestRow>(sql`
    select device_id, vehicle_id, types, times, numbers, texts
    from latest_values where vehicle_id = any(${vehicleIds}::bigint[]) order by device_id`)
  return vehicles.map(({ id, fuel_type, fuel_type_set }) => {
    const itsLatest = latest.filter(item => item.vehicle_id === id).map(latestValuesOf)
    return { id, reported: vehicleFuelType(itsLatest, fuel_type_set), stored: fuel_type, dongleCount: itsLatest.length }
  })
}

/** Devices whose reported identity changed, and vehicles for which a fuel type was reported. */
interface IdentityChanges {
  readonly deviceIds: readonly DeviceId[]
  readonly vehicleIds: readonly number[]
}

export function identityChanges(devices: readonly DerivedDevice[]): IdentityChanges {
  const deviceIds: DeviceId[] = []
  const vehicleIds = new Set<number>()
  for (const { record, latest } of devices) {
    const before = record.latestByVehicle
    const changed = [...latest].map(([vehicleId, values]) => ({ vehicleId, values, old: before.get(vehicleId) }))
    if (changed.some(({ values, old }) => values.get(FIRMWARE_VERSION.id) !== old?.get(FIRMWARE_VERSION.id))) {
      const after = new Map([...before, ...latest])
      if (deviceIdentity(after.values()).firmwareVersion !== deviceIdentity(before.values()).firmwareVersion)
        deviceIds.push(record.deviceId)
    }
    for (const { vehicleId, values, old } of changed)
      if (values.get(FUEL_TYPE.id) !== old?.get(FUEL_TYPE.id)) vehicleIds.add(vehicleId)
  }
  return { deviceIds, vehicleIds: [...vehicleIds] }
}

/** Devices of which clients see another status, because something arrived. */
export function statusChanges(
  devices: readonly DerivedDevice[],
): { readonly id: DeviceId; readonly is_online: true; readonly is_plugged_in: boolean | null }[] {
  return devices.flatMap(({ record, latest, isReceived }) => {
    const isPluggedIn = lastPluggedIn(new Map([...record.latestByVehicle, ...latest]).values()) ?? record.isPluggedIn
    if (!isReceived || (record.isOnline && isPluggedIn === record.isPluggedIn)) return []
    return [{ id: record.deviceId, is_online: true, is_plugged_in: isPluggedIn }]
  })
}
