import { revised } from '../../db/bulk-rows.ts'
import type { LockedDevices } from '../../db/shards/locked-devices.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Sample } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { latestColumns } from '../device-records.ts'
import type { DerivedDevice } from '../fact.ts'
import { BATTERY_STATE, withBatteryState } from './derive/battery-state.ts'
import { type LatestValues, withSamples } from './derive/latest-values.ts'
import { findNewest } from './move-latest-values.ts'
import { writeLatestValues } from './write-latest-values.ts'

/** Writes the latest values that changed samples change. An out-of-order sample belongs to the car the dongle was in at its time. */
export async function followSamples(locked: LockedDevices, devices: readonly DerivedDevice[]): Promise<void> {
  const rows = []
  for (const device of devices) {
    const { record, samples, latest } = device
    if (samples.length === 0) continue
    for (const assignment of record.assignments) {
      const { vehicleId } = assignment
      const before = latest.get(vehicleId) ?? record.latestByVehicle.get(vehicleId) ?? NOTHING
      const inCar = within(samples, assignment)
      const after = await withoutLostState(locked.transaction, device, assignment, inCar, withSamples(before, inCar))
      if (after !== before) latest.set(vehicleId, after)
    }
    for (const [vehicleId, values] of latest)
      rows.push({ deviceId: record.deviceId, vehicleId, ...latestColumns(values) })
  }
  if (rows.length > 0) await writeLatestValues(locked, await revised(locked.transaction, rows))
}

const NOTHING: LatestValues = new Map()

/**
 * A battery state follows from a voltage, and a corrected one may have none: then the newest state before it counts, which may be in these
 * samples, too, as they are stored already.
 */
async function withoutLostState(
  transaction: Transaction,
  { record: { deviceId } }: DerivedDevice,
  { fromMs }: TimeRange,
  samples: readonly Sample[],
  values: LatestValues,
): Promise<LatestValues> {
  const stateMs = values.get(BATTERY_STATE.id)?.timeMs
  const [first] = samples
  if (stateMs === undefined || !first || stateMs < first.timeMs) return values
  const sample = samples.find(({ timeMs }) => timeMs === stateMs)
  if (!sample || withBatteryState(sample).types.includes(BATTERY_STATE.id)) return values
  const found = await findNewest(transaction, deviceId, { fromMs, toMs: stateMs }, new Set([BATTERY_STATE.id]))
  const left = new Map(values)
  left.delete(BATTERY_STATE.id)
  return new Map([...left, ...found])
}

/** The samples in a range, `toMs` exclusive. @param samples ascending by time; mostly all of them or none are in it */
function within(samples: readonly Sample[], { fromMs, toMs }: TimeRange): readonly Sample[] {
  const [first] = samples
  const last = samples.at(-1)
  if (!first || !last || last.timeMs < fromMs || first.timeMs >= toMs) return []
  if (fromMs <= first.timeMs && last.timeMs < toMs) return samples
  return samples.filter(({ timeMs }) => fromMs <= timeMs && timeMs < toMs)
}
