import type { DeviceId } from '../../model/sample.ts'
import type { DeviceRecord } from '../device-records/device-records.ts'
import type { DeviceUpdate } from '../device-records/device-updates.ts'
import type { LatestValues } from '../latest-values/derive/latest-values.ts'
import { deviceIdentity, FIRMWARE_VERSION, FUEL_TYPE } from './derive/identity.ts'

/** Devices whose reported identity changed, and vehicles for which a fuel type was reported. */
interface IdentityChanges {
  readonly deviceIds: readonly DeviceId[]
  readonly vehicleIds: readonly number[]
}

/** Finds them in the latest values that a batch changes. */
export function identityChanges(
  updates: readonly DeviceUpdate[],
  records: ReadonlyMap<DeviceId, DeviceRecord>,
): IdentityChanges {
  const deviceIds: DeviceId[] = []
  const vehicleIds = new Set<number>()
  for (const { deviceId, latest } of updates) {
    const before: ReadonlyMap<number, LatestValues> = records.get(deviceId)?.latestByVehicle ?? new Map()
    const changed = latest.map(({ vehicleId, values }) => ({ vehicleId, values, old: before.get(vehicleId) }))
    if (changed.some(({ values, old }) => values.get(FIRMWARE_VERSION.id) !== old?.get(FIRMWARE_VERSION.id))) {
      const after = new Map([...before, ...latest.map(({ vehicleId, values }) => [vehicleId, values] as const)])
      if (deviceIdentity(after.values()).firmwareVersion !== deviceIdentity(before.values()).firmwareVersion)
        deviceIds.push(deviceId)
    }
    for (const { vehicleId, values, old } of changed)
      if (values.get(FUEL_TYPE.id) !== old?.get(FUEL_TYPE.id)) vehicleIds.add(vehicleId)
  }
  return { deviceIds, vehicleIds: [...vehicleIds] }
}
