import type { LockedDevices } from '../db/shards/locked-devices.ts'
import type { Transaction } from '../db/transaction.ts'
import { type Consequences, planStored } from '../ingest/plan.ts'
import { type DeviceId, eventsOf, type Sample } from '../model/sample.ts'
import { readNewestWith } from '../store/index.ts'
import { type DerivedSoFar, type DeviceRecord, readDeviceRecords } from './device-records/device-records.ts'
import { type DeviceUpdate, revisionsNeeded, writeDeviceUpdates } from './device-records/device-updates.ts'
import { type PackedDerived, packedAfter } from './device-records/packed-derived.ts'
import type { FoldedRange } from './fact.ts'
import { FACTS } from './facts.ts'
import { BATTERY_STATE, BATTERY_VOLTAGE, withBatteryState } from './latest-values/derive/battery-state.ts'
import type { LatestValue } from './latest-values/derive/latest-values.ts'
import { writeFolds } from './trips/rows/write-folds.ts'

/**
 * Works out and writes what follows from samples that are stored already. They are newer than all from which anything was
 * derived, and ascend for each device.
 * @param derived what is known to be derived of some of the devices
 * @returns what is derived of them now
 */
export async function deriveStored(
  locked: LockedDevices,
  samplesOf: (deviceId: DeviceId) => readonly Sample[],
  derived?: ReadonlyMap<DeviceId, DerivedSoFar>,
): Promise<ReadonlyMap<DeviceId, PackedDerived>> {
  const { transaction, deviceIds } = locked
  if (deviceIds.length === 0) return new Map()
  const records = await readDeviceRecords(transaction, deviceIds, derived)
  const plan = planStored(deviceIds, samplesOf, records)
  const updates = await writeDerived(locked, plan, records, await transaction.takeRevisions(revisionsOf(plan)))
  const after = new Map<DeviceId, PackedDerived>()
  for (const update of updates) {
    const record = records.get(update.deviceId)
    if (record) after.set(update.deviceId, packedAfter(record, update))
  }
  return after
}

/** How many revisions `writeDerived` needs at most: a vehicle whose lost state is replaced may be one more that changes. */
export function revisionsOf({ updates, lostBatteryStates }: Consequences): number {
  return revisionsNeeded(updates) + lostBatteryStates.length
}

/**
 * Writes what a plan says of everything but the samples themselves, which are stored by now.
 * @param firstRevision of as many as `revisionsOf` says
 * @returns what was written of each device
 */
export async function writeDerived(
  locked: LockedDevices,
  plan: Consequences,
  records: ReadonlyMap<DeviceId, DeviceRecord>,
  firstRevision: string,
): Promise<readonly DeviceUpdate[]> {
  const { lostBatteryStates } = plan
  // Only with the samples stored, because the state before may be in the very samples of this batch.
  const withStates =
    lostBatteryStates.length > 0 ? await withEarlierStates(locked.transaction, plan, records) : plan.updates
  const folds = await writeFolds(locked, plan.folds)
  const updates = withStates.map(update => ({ ...update, fold: folds.get(update.deviceId) }))
  await writeDeviceUpdates(locked, updates, firstRevision)
  for (const { name, inOrder, follow } of FACTS) {
    await inOrder?.write(locked, stretchesOf(plan, name))
    await follow?.(locked, { records, updates, dtcLists: plan.dtcLists })
  }
  return updates
}

/** What a plan tells of a fact. */
function stretchesOf({ items }: Consequences, fact: string): FoldedRange[] {
  return items.flatMap(({ record, items: ofDevice }) => {
    const ofFact = ofDevice.get(fact)
    return ofFact ? [{ device: record, ...ofFact, toMs: Number.POSITIVE_INFINITY, goingOn: [] }] : []
  })
}

/** Puts the newest battery state before a lost one in its place (see `Consequences.lostBatteryStates`). */
async function withEarlierStates(
  transaction: Transaction,
  plan: Consequences,
  records: ReadonlyMap<DeviceId, DeviceRecord>,
): Promise<DeviceUpdate[]> {
  const updates = new Map(plan.updates.map(update => [update.deviceId, update]))
  for (const { deviceId, assignment, beforeMs } of plan.lostBatteryStates) {
    const earlier = await newestBatteryState(transaction, deviceId, assignment.fromMs, beforeMs)
    const update = updates.get(deviceId)
    if (!update) continue
    const { vehicleId } = assignment
    const values = new Map(
      update.latest.find(item => item.vehicleId === vehicleId)?.values ??
        records.get(deviceId)?.latestByVehicle.get(vehicleId),
    )
    values.delete(BATTERY_STATE.id)
    if (earlier) values.set(BATTERY_STATE.id, earlier)
    const others = update.latest.filter(item => item.vehicleId !== vehicleId)
    updates.set(deviceId, { ...update, latest: [...others, { vehicleId, values }] })
  }
  return [...updates.values()]
}

async function newestBatteryState(
  transaction: Transaction,
  deviceId: DeviceId,
  fromMs: number,
  beforeMs: number,
): Promise<LatestValue | undefined> {
  for await (const sample of readNewestWith(transaction, BATTERY_TYPES, { deviceId, fromMs, toMs: beforeMs })) {
    const value = eventsOf(withBatteryState(sample)).get(BATTERY_STATE.id)
    if (value !== undefined) return { timeMs: sample.timeMs, value }
  }
  return undefined
}

const BATTERY_TYPES = [BATTERY_STATE.id, BATTERY_VOLTAGE.id]
