import type { EventTypeId } from '../../catalogue/event-types.ts'
import { revised } from '../../db/bulk-rows.ts'
import type { LockedDevice } from '../../db/shards/locked-devices.ts'
import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import { isIn } from '../../model/time-range.ts'
import { holdKeptSince, readNewestOfLayouts } from '../../store/index.ts'
import { reviseVehicles } from '../device-records/revise-vehicles.ts'
import { type Assignment, type LatestRow, latestColumns, latestValuesOf } from '../device-records.ts'
import { BATTERY_STATE } from './derive/battery-state.ts'
import { type LatestValue, type LatestValues, withSamples } from './derive/latest-values.ts'
import { findNewest } from './move-latest-values.ts'
import { writeLatestValues } from './write-latest-values.ts'

/**
 * Works the latest values of a device out anew from all its samples and writes what differs from what was stored. A
 * value that is older than all samples that are kept stays, where there is no newer one.
 * @param assignments all of the device
 */
export async function rederiveLatestValues(locked: LockedDevice, assignments: readonly Assignment[]): Promise<void> {
  const { transaction, deviceId } = locked
  const keptSinceMs = await holdKeptSince(transaction)
  const rows = await transaction.rows<LatestRow>(sql`
    select device_id, vehicle_id, types, times, numbers, texts from latest_values where device_id = ${deviceId}`)
  const stored = new Map(rows.map(row => [row.vehicle_id, latestValuesOf(row)]))
  const vehicleIds = new Set([...stored.keys(), ...assignments.map(item => item.vehicleId)])
  const wrong: { vehicleId: number; values: LatestValues }[] = []
  for (const vehicleId of vehicleIds) {
    const spans = assignments.filter(item => item.vehicleId === vehicleId)
    const before: LatestValues = stored.get(vehicleId) ?? new Map()
    const kept = [...before].filter(([, { timeMs }]) => timeMs < keptSinceMs && spans.some(span => isIn(span, timeMs)))
    const values = new Map(kept)
    for (const span of spans)
      for (const [type, value] of await newestSince(transaction, deviceId, span, keptSinceMs)) {
        const other = values.get(type)
        if (!other || other.timeMs < value.timeMs) values.set(type, value)
      }
    if (!areSame(before, values)) wrong.push({ vehicleId, values })
  }
  if (wrong.length > 0) await replace(locked, wrong)
}

/** The newest values within a span: each is in the newest sample of one of the layouts. */
async function newestSince(
  transaction: Transaction,
  deviceId: DeviceId,
  { vehicleId, fromMs, toMs }: Assignment,
  keptSinceMs: number,
): Promise<LatestValues> {
  const span = { vehicleId, fromMs: Math.max(fromMs, keptSinceMs), toMs }
  const samples = await readNewestOfLayouts(transaction, { deviceId, fromMs: span.fromMs, toMs })
  const values = new Map<EventTypeId, LatestValue>(withSamples(new Map(), samples))
  // Not every voltage has a state, so the newest one may be in an older sample of its layout.
  for (const [type, value] of await findNewest(transaction, deviceId, span, new Set([BATTERY_STATE.id])))
    values.set(type, value)
  return values
}

function areSame(a: LatestValues, b: LatestValues): boolean {
  return JSON.stringify(latestColumns(a)) === JSON.stringify(latestColumns(b))
}

async function replace(
  locked: LockedDevice,
  wrong: readonly { readonly vehicleId: number; readonly values: LatestValues }[],
): Promise<void> {
  const { transaction, deviceId } = locked
  await transaction.rows(sql`
    delete from latest_values
    where device_id = ${deviceId} and vehicle_id = any(${wrong.map(item => item.vehicleId)}::bigint[])`)
  const left = wrong.filter(item => item.values.size > 0)
  const rows = left.map(({ vehicleId, values }) => ({ deviceId, vehicleId, ...latestColumns(values) }))
  if (rows.length > 0) await writeLatestValues(locked, await revised(transaction, rows))
  // A vehicle shows the greatest revision of its own and these: one that lost values would seem older than before.
  await reviseVehicles(
    transaction,
    wrong.map(item => item.vehicleId),
  )
}
