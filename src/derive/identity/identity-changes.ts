import type { DeviceId } from '../../model/sample.ts'
import type { DerivedDevice } from '../fact.ts'
import { deviceIdentity, FIRMWARE_VERSION, FUEL_TYPE, lastPluggedIn } from './derive/identity.ts'

/** Devices whose reported identity changed, and vehicles for which a fuel type was reported. */
interface IdentityChanges {
  readonly deviceIds: readonly DeviceId[]
  readonly vehicleIds: readonly number[]
}

/** Finds them in the latest values that changed. */
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
