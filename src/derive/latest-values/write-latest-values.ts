import { upsertOf } from '../../db/bulk-rows.ts'
import type { LockedDevices } from '../../db/shards/locked-devices.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { latestColumns } from '../device-records.ts'

interface LatestUpdate extends ReturnType<typeof latestColumns> {
  readonly deviceId: DeviceId
  readonly vehicleId: number
  readonly modified: string
}

/** Makes or replaces rows of `latest_values`. */
export function writeLatestValues(locked: LockedDevices, latest: readonly LatestUpdate[]): Promise<unknown> {
  const transaction = locked.transactionFor(latest)
  const rows = latest.map(({ deviceId, vehicleId, types, times, numbers, texts, modified }) => ({
    device_id: deviceId,
    vehicle_id: vehicleId,
    types,
    times,
    numbers,
    texts,
    modified,
  }))
  return transaction.rows(upsertOf('latest_values', ['device_id', 'vehicle_id'], rows), {
    prepareAs: 'write-latest-values',
  })
}
