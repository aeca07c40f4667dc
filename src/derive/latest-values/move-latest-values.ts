import type { EventTypeId } from '../../catalogue/event-types.ts'
import { revisionAfter } from '../../db/revisions.ts'
import type { LockedDevice } from '../../db/shards/locked-devices.ts'
import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { type DeviceId, eventsOf } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { readNewestWith } from '../../store/index.ts'
import { newestIn, newestOf } from '../assignments/derive/newest-in.ts'
import { type Assignment, type LatestRow, latestColumns, latestValuesOf } from '../device-records.ts'
import { BATTERY_STATE, BATTERY_VOLTAGE, withBatteryState } from './derive/battery-state.ts'
import type { LatestValue, LatestValues } from './derive/latest-values.ts'
import { writeLatestValues } from './write-latest-values.ts'

/**
 * Works out the latest values of a device in vehicles in which it is at other times than before. What the known ones
 * tell is not looked up: a dongle that has just moved leaves its newest values to the new vehicle.
 */
export async function moveLatestValues(
  locked: LockedDevice,
  spans: readonly Assignment[],
  vehicleIds: readonly number[],
): Promise<void> {
  const { transaction, deviceId } = locked
  const rows = await transaction.rows<LatestRow>(sql`
    select device_id, vehicle_id, types, times, numbers, texts from latest_values where device_id = ${deviceId}`)
  const newest = newestOf(rows.map(latestValuesOf))
  await transaction.rows(sql`
    delete from latest_values where device_id = ${deviceId} and vehicle_id = any(${vehicleIds}::bigint[])`)
  const first = await transaction.takeRevisions(vehicleIds.length)
  const updates = []
  for (const [index, vehicleId] of vehicleIds.entries()) {
    const itsSpans = spans.filter(span => span.vehicleId === vehicleId)
    const values = await latestIn(transaction, deviceId, newest, itsSpans)
    if (values.size > 0)
      updates.push({ deviceId, vehicleId, ...latestColumns(values), modified: revisionAfter(first, index) })
  }
  if (updates.length > 0) await writeLatestValues(locked, updates)
}

/** @param newest the newest values of all times */
async function latestIn(
  transaction: Transaction,
  deviceId: DeviceId,
  newest: LatestValues,
  spans: readonly Assignment[],
): Promise<LatestValues> {
  const { known, unknown } = newestIn(newest, spans)
  const values = new Map(known)
  const wanted = new Set(unknown)
  for (const span of spans.toReversed())
    for (const [type, value] of await findNewest(transaction, deviceId, span, wanted)) {
      values.set(type, value)
      wanted.delete(type)
    }
  return values
}

const SAMPLES_A_LOOK = 100

/** The newest values of some types within a span. Looks again from time to time, for what is then still missing only. */
export async function findNewest(
  transaction: Transaction,
  deviceId: DeviceId,
  { fromMs, toMs }: TimeRange,
  wanted: ReadonlySet<EventTypeId>,
): Promise<Map<EventTypeId, LatestValue>> {
  const found = new Map<EventTypeId, LatestValue>()
  const missing = new Set(wanted)
  let beforeMs = toMs
  for (let seen = SAMPLES_A_LOOK; missing.size > 0 && seen === SAMPLES_A_LOOK; ) {
    seen = 0
    for await (const sample of readNewestWith(transaction, typesToRead(missing), {
      deviceId,
      fromMs,
      toMs: beforeMs,
    })) {
      for (const [type, value] of eventsOf(withBatteryState(sample)))
        if (missing.delete(type)) found.set(type, { timeMs: sample.timeMs, value })
      beforeMs = sample.timeMs
      if (missing.size === 0 || ++seen === SAMPLES_A_LOOK) break
    }
  }
  return found
}

/** A battery state may follow from a voltage. */
function typesToRead(types: ReadonlySet<EventTypeId>): EventTypeId[] {
  return types.has(BATTERY_STATE.id) ? [...types, BATTERY_VOLTAGE.id] : [...types]
}
