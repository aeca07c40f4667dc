import type { EventTypeId } from '../../catalogue/event-types.ts'
import { revised, upsertOf } from '../../db/bulk-rows.ts'
import { revisionAfter } from '../../db/revisions.ts'
import type { LockedDevice, LockedDevices } from '../../db/shards.ts'
import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { type DeviceId, eventsOf, type Sample } from '../../model/sample.ts'
import { isIn, type TimeRange } from '../../model/time-range.ts'
import { holdKeptSince, readNewestOfLayouts, readNewestWith } from '../../store/index.ts'

import { type Assignment, type LatestRow, latestColumns, latestValuesOf, reviseVehicles } from '../device-records.ts'
import type { DerivedDevice } from '../fact.ts'
import { BATTERY_STATE, BATTERY_VOLTAGE, withBatteryState } from './battery-state.ts'
import { type LatestValue, type LatestValues, newestIn, newestOf, withSamples } from './latest-values.ts'

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

/** A corrected voltage may have no battery state: then the newest state before it counts,
 * maybe of these (stored) samples. */
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

interface LatestUpdate extends ReturnType<typeof latestColumns> {
  readonly deviceId: DeviceId
  readonly vehicleId: number
  readonly modified: string
}

function writeLatestValues(locked: LockedDevices, latest: readonly LatestUpdate[]): Promise<unknown> {
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

/** Works the latest values out anew from all samples and writes differences. A value older than all kept samples stays,
 * where there is no newer one. @param assignments all of the device */
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

/** Works out the latest values in vehicles with other times than before. Known ones are not looked up: a dongle that
 * has just moved leaves them to the new vehicle. */
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
async function findNewest(
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
