import { BATTERY_STATE, BATTERY_VOLTAGE, withBatteryState } from '../derive/battery-state.ts'
import type { LatestValue } from '../derive/latest-values.ts'
import { applyDtcLists } from '../store/dtcs/apply-lists.ts'
import { type Assignment, type DeviceRecord, readDeviceRecords } from '../store/fleet/device-records.ts'
import { type DeviceUpdate, stampsNeeded, writeDeviceUpdates } from '../store/fleet/device-updates.ts'
import { refreshDeviceIdentities, refreshFuelTypes } from '../store/fleet/identity.ts'
import { lockLanes } from '../store/fleet/lanes.ts'
import { registerDevices } from '../store/fleet/registration.ts'
import { refreshDays } from '../store/rollups/refresh-days.ts'
import { keepMisdated } from '../store/samples/misdated.ts'
import { readNewestWith } from '../store/samples/newest.ts'
import { insertSamples, readSamplesAt, replaceSamples, type SampleKey } from '../store/samples/sample-writer.ts'
import { stampAfter } from '../store/stamps.ts'
import type { Transaction } from '../store/transaction.ts'
import { writeFolds } from '../store/trips/write-folds.ts'
import { changedDtcLists } from './dtc-lists.ts'
import { identityChanges } from './identity-changes.ts'
import { type Plan, planBatch, type Receipt, type Submission } from './plan.ts'
import { type DeviceId, eventsOf } from './sample.ts'

/** What became of a submission. Refused: it holds devices that its sender may not report for; nothing of it was stored. */
export type Outcome =
  | ({ readonly kind: 'stored' } & Receipt)
  | { readonly kind: 'refused'; readonly deviceIds: ReadonlySet<DeviceId> }

export interface BatchOptions {
  readonly unknownDevices: 'accept' | 'reject'
  /** Where the unknown dongle of a sender without an account joins; undefined while there is no account at all. */
  readonly firstAccountId: number | undefined
}

/**
 * Stores what several senders sent, and everything derived from it, in one transaction. Sending anything twice
 * changes nothing.
 * @returns one outcome for each submission, in their order.
 */
export async function storeBatch(
  transaction: Transaction,
  submissions: readonly Submission[],
  options: BatchOptions,
): Promise<Outcome[]> {
  const deviceIds = [...new Set(submissions.flatMap(submission => [...deviceIdsOf(submission)]))]
  await lockLanes(transaction, deviceIds)
  const known = await readDeviceRecords(transaction, deviceIds)
  const { admitted, refused, records } = await admit(transaction, submissions, known, options)
  const existing = await readSamplesAt(transaction, keysToRead(admitted, records))
  const plan = planBatch(admitted, records, existing)
  await write(transaction, plan, records)
  await keepMisdated(
    transaction,
    admitted.flatMap(submission => submission.misdated ?? []),
  )
  await applyDtcLists(transaction, changedDtcLists({ ...plan, existing }, records))
  let next = 0
  return submissions.map(submission => {
    const deviceIdsRefused = refused.get(submission)
    if (deviceIdsRefused) return { kind: 'refused', deviceIds: deviceIdsRefused }
    return { kind: 'stored', ...(plan.receipts[next++] ?? { accepted: 0, duplicates: 0, conflicts: 0 }) }
  })
}

function deviceIdsOf({ samples, misdated = [] }: Submission): Set<DeviceId> {
  const deviceIds = new Set<DeviceId>()
  for (const { deviceId } of samples) deviceIds.add(deviceId)
  for (const { deviceId } of misdated) deviceIds.add(deviceId)
  return deviceIds
}

interface Admission {
  readonly admitted: readonly Submission[]
  readonly refused: ReadonlyMap<Submission, ReadonlySet<DeviceId>>
  readonly records: ReadonlyMap<DeviceId, DeviceRecord>
}

/** Lets unknown devices join and sorts out submissions for devices of other accounts. */
async function admit(
  transaction: Transaction,
  submissions: readonly Submission[],
  known: ReadonlyMap<DeviceId, DeviceRecord>,
  { unknownDevices, firstAccountId }: BatchOptions,
): Promise<Admission> {
  const joining = new Map<DeviceId, number>()
  const refused = new Map<Submission, ReadonlySet<DeviceId>>()
  const admitted: Submission[] = []
  for (const submission of submissions) {
    const accountId = submission.accountId ?? firstAccountId
    const strange = new Set<DeviceId>()
    const newcomers = new Set<DeviceId>()
    for (const deviceId of deviceIdsOf(submission)) {
      const record = known.get(deviceId)
      if (
        record
          ? !reportsFor(record, submission.accountId)
          : joining.has(deviceId) && joining.get(deviceId) !== accountId
      )
        strange.add(deviceId)
      else if (!record && !joining.has(deviceId)) {
        if (unknownDevices === 'reject' || accountId === undefined) strange.add(deviceId)
        else newcomers.add(deviceId)
      }
    }
    if (strange.size > 0) refused.set(submission, strange)
    else {
      admitted.push(submission)
      if (accountId !== undefined) for (const deviceId of newcomers) joining.set(deviceId, accountId)
    }
  }
  const assignments = await registerDevices(
    transaction,
    [...joining].map(([deviceId, accountId]) => ({ deviceId, accountId })),
  )
  const records = new Map(known)
  for (const [deviceId, assignment] of assignments) records.set(deviceId, newRecord(deviceId, assignment))
  return { admitted, refused, records }
}

function reportsFor(record: DeviceRecord, accountId: number | undefined): boolean {
  return (
    accountId === undefined ||
    record.assignments.some(item => item.accountId === accountId && item.toMs === Number.POSITIVE_INFINITY)
  )
}

function newRecord(deviceId: DeviceId, assignment: Assignment): DeviceRecord {
  return {
    deviceId,
    isOnline: false,
    isPluggedIn: null,
    extent: undefined,
    assignments: [assignment],
    movesMs: [],
    latestByVehicle: new Map(),
    fold: undefined,
    trip: undefined,
  }
}

/** Only keys within the extent of a device can exist: samples newer than its last need no look. */
function keysToRead(submissions: readonly Submission[], records: ReadonlyMap<DeviceId, DeviceRecord>): SampleKey[] {
  const keys: SampleKey[] = []
  for (const { samples } of submissions)
    for (const { deviceId, timeMs } of samples) {
      const extent = records.get(deviceId)?.extent
      if (extent && timeMs >= extent.firstMs && timeMs <= extent.lastMs) keys.push({ deviceId, timeMs })
    }
  return keys
}

async function write(
  transaction: Transaction,
  plan: Plan,
  records: ReadonlyMap<DeviceId, DeviceRecord>,
): Promise<void> {
  const { inserts, replacements, lostBatteryStates } = plan
  // A vehicle whose lost state is replaced may be one more that changes.
  const stored = await transaction.takeStamps(1 + stampsNeeded(plan.updates) + lostBatteryStates.length)
  await insertSamples(transaction, inserts, stored)
  await replaceSamples(transaction, replacements, stored)
  // Only now, because the state before may be in the very samples of this batch.
  const updates = lostBatteryStates.length > 0 ? await withEarlierStates(transaction, plan, records) : plan.updates
  const folds = await writeFolds(transaction, plan.folds)
  await writeDeviceUpdates(
    transaction,
    updates.map(update => ({ ...update, fold: folds.updates.get(update.deviceId) })),
    stampAfter(stored, 1),
  )
  const { deviceIds, vehicleIds } = identityChanges(updates, records)
  await refreshDeviceIdentities(transaction, deviceIds)
  await refreshFuelTypes(transaction, vehicleIds)
  await refreshDays(transaction, folds.touched)
}

/** Puts the newest battery state before a lost one in its place (see `Plan.lostBatteryStates`). */
async function withEarlierStates(
  transaction: Transaction,
  plan: Plan,
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
  for await (const sample of readNewestWith(transaction, BATTERY_TYPES, { deviceId, fromMs, beforeMs })) {
    const value = eventsOf(withBatteryState(sample)).get(BATTERY_STATE.id)
    if (value !== undefined) return { timeMs: sample.timeMs, value }
  }
  return undefined
}

const BATTERY_TYPES = [BATTERY_STATE.id, BATTERY_VOLTAGE.id]
