import { type Assignment, assignmentAt, type DeviceRecord } from '../derive/device-records/device-records.ts'
import type { DeviceUpdate } from '../derive/device-records/device-updates.ts'
import { changedDtcLists } from '../derive/dtcs/dtc-lists.ts'
import type { ChangedSeries } from '../derive/dtcs/rows/apply-lists.ts'
import { foldDevice } from '../derive/fold-device.ts'
import type { FoldedItems } from '../derive/fold-part.ts'
import { lastPluggedIn } from '../derive/identity/derive/identity.ts'
import { BATTERY_STATE, withBatteryState } from '../derive/latest-values/derive/battery-state.ts'
import { type LatestValues, withSamples } from '../derive/latest-values/derive/latest-values.ts'
import type { DeviceFold } from '../derive/trips/rows/write-folds.ts'
import type { DeviceId, Sample } from '../model/sample.ts'
import type { TimeRange } from '../model/time-range.ts'
import { type ChangedSamples, DeviceChanges } from './device-changes.ts'

/** What one sender sent at once: stored and acknowledged as a whole or not at all. */
export interface Submission {
  readonly samples: readonly Sample[]
  /** Samples of dongles with impossible times (see `byClock`): stored separately, and nothing is derived from them. */
  readonly misdated?: readonly Sample[]
  /** The account of the key; undefined for a dongle, which has no key. */
  readonly accountId: number | undefined
  /** Submissions of others are queued behind it, as with a broker: so no quota delays it. */
  readonly cannotWait?: boolean
  /** The request, connection or topic it came with, as the log names it. */
  readonly sender?: string
}

/** Events, not samples: what a sender counts. */
export interface Receipt {
  readonly accepted: number
  readonly duplicates: number
  readonly conflicts: number
}

interface Plan extends Consequences {
  /** One for each submission, in their order. */
  readonly receipts: readonly Receipt[]
  /** Samples at new keys. */
  readonly inserts: readonly Sample[]
  /** Samples whose key exists, with their union. */
  readonly replacements: readonly Sample[]
}

/** The changes of a batch. */
export interface Consequences {
  readonly updates: readonly DeviceUpdate[]
  /** Results of folding samples in order. */
  readonly folds: readonly DeviceFold[]
  /** The items of other facts that need samples in order, by the names of the facts. */
  readonly items: readonly { readonly record: DeviceRecord; readonly items: ReadonlyMap<string, FoldedItems> }[]
  /** Lists of codes that may change codes. */
  readonly dtcLists: readonly ChangedSeries[]
  /** Latest battery states that a corrected voltage invalidated: the previous one must be looked up. */
  readonly lostBatteryStates: readonly {
    readonly deviceId: DeviceId
    readonly assignment: Assignment
    readonly beforeMs: number
  }[]
}

/**
 * Computes what a batch changes; a pure function.
 * @param records of every device in the submissions
 * @param existing every stored sample with a key of the submissions
 */
export function planBatch(
  submissions: readonly Submission[],
  records: ReadonlyMap<DeviceId, DeviceRecord>,
  existing: readonly Sample[],
): Plan {
  const changes = new Map<DeviceId, DeviceChanges>()
  const changesOf = (deviceId: DeviceId) => {
    const known = changes.get(deviceId)
    if (known) return known
    const made = new DeviceChanges()
    changes.set(deviceId, made)
    return made
  }
  for (const sample of existing) changesOf(sample.deviceId).addStored(sample)
  const receipts = submissions.map(({ samples }) => receiptFor(samples, changesOf))
  const devices = [...changes].map(([deviceId, ofDevice]) =>
    planChanges(required(records.get(deviceId)), ofDevice.changed()),
  )
  const inserts = devices.flatMap(device => device.inserts)
  const replacements = devices.flatMap(device => device.replacements)
  return {
    receipts,
    inserts,
    replacements,
    dtcLists: changedDtcLists({ inserts, replacements, existing }, records),
    lostBatteryStates: devices.flatMap(device => device.lostBatteryStates),
    ...together(devices),
  }
}

/**
 * Derives stored samples that were not derived yet.
 * @param samplesOf ascending by time for each of the devices, newer than its record. They are fetched
 *   device by device, because those of all at once would not fit into the CPU cache.
 * @param records of every device
 */
export function planStored(
  deviceIds: readonly DeviceId[],
  samplesOf: (deviceId: DeviceId) => readonly Sample[],
  records: ReadonlyMap<DeviceId, DeviceRecord>,
): Consequences {
  const devices: PlannedDevice[] = []
  const dtcLists: ChangedSeries[] = []
  for (const deviceId of deviceIds) {
    const inserts = samplesOf(deviceId)
    devices.push(planDevice(required(records.get(deviceId)), inserts))
    dtcLists.push(...changedDtcLists({ inserts, replacements: [], existing: [] }, records))
  }
  return { dtcLists, lostBatteryStates: [], ...together(devices) }
}

type PlannedDevice = ReturnType<typeof planDevice>

function together(devices: readonly Pick<PlannedDevice, 'update' | 'fold' | 'items'>[]) {
  return {
    updates: devices.flatMap(device => device.update ?? []),
    folds: devices.flatMap(device => device.fold ?? []),
    items: devices.flatMap(device => device.items ?? []),
  }
}

function receiptFor(samples: readonly Sample[], changesOf: (deviceId: DeviceId) => DeviceChanges): Receipt {
  const receipt = { accepted: 0, duplicates: 0, conflicts: 0 }
  // The samples of a submission are mostly those of one device.
  let deviceId: DeviceId | undefined
  let ofDevice: DeviceChanges | undefined
  for (const sample of samples) {
    if (!ofDevice || sample.deviceId !== deviceId) {
      deviceId = sample.deviceId
      ofDevice = changesOf(deviceId)
    }
    const { accepted, duplicates, conflicts } = ofDevice.addReceived(sample)
    receipt.accepted += accepted
    receipt.duplicates += duplicates
    receipt.conflicts += conflicts
  }
  return receipt
}

function planChanges(record: DeviceRecord, { all, inserts, replacements }: ChangedSamples) {
  const { update, fold, items, latest } = planDevice(record, all)
  return {
    inserts,
    replacements: replacements.map(({ after }) => after),
    update,
    fold,
    items,
    lostBatteryStates: replacements.flatMap(({ before, after }) => {
      const assignment = assignmentAt(record, after.timeMs)
      if (!assignment || !hasState(before) || hasState(after)) return []
      const values = latest.get(assignment.vehicleId) ?? record.latestByVehicle.get(assignment.vehicleId)
      return values?.get(BATTERY_STATE.id)?.timeMs === after.timeMs
        ? [{ deviceId: record.deviceId, assignment, beforeMs: after.timeMs }]
        : []
    }),
  }
}

/** @param changed samples after the change, ascending by time */
function planDevice(record: DeviceRecord, changed: readonly Sample[]) {
  const { extent } = record
  const { inOrder, outOfOrder } = byOrder(record, changed)
  const latest = latestAfter(record, changed)
  const isPluggedIn = pluggedIn(record, latest)
  const firstChangedMs = changed[0]?.timeMs
  const lastChangedMs = changed.at(-1)?.timeMs
  const update: DeviceUpdate | undefined =
    extent || (firstChangedMs !== undefined && lastChangedMs !== undefined)
      ? {
          deviceId: record.deviceId,
          extent: {
            firstMs: Math.min(extent?.firstMs ?? Number.POSITIVE_INFINITY, firstChangedMs ?? Number.POSITIVE_INFINITY),
            lastMs: Math.max(extent?.lastMs ?? Number.NEGATIVE_INFINITY, lastChangedMs ?? Number.NEGATIVE_INFINITY),
          },
          outOfOrder: stretchOf(outOfOrder),
          fold: undefined,
          latest: [...latest].map(([vehicleId, values]) => ({ vehicleId, values })),
          status: record.isOnline && isPluggedIn === record.isPluggedIn ? undefined : { isPluggedIn },
        }
      : undefined
  const folded = inOrder.length > 0 ? foldDevice(record.fold, inOrder, record) : undefined
  const fold = folded && { record, folded }
  const items = folded && folded.items.size > 0 ? { record, items: folded.items } : undefined
  return { update, fold, items, latest }
}

/**
 * Samples that can be folded now, and those that must wait until the device is refolded. The newest instant is
 * not out of order: it may arrive in pieces. If nothing was folded yet, everything waits until the samples before it were.
 */
function byOrder({ extent, fold: before }: DeviceRecord, changed: readonly Sample[]) {
  if (!extent) return { inOrder: changed, outOfOrder: [] }
  if (!before) return { inOrder: [], outOfOrder: changed }
  const { lastMs } = extent
  return {
    inOrder: within(changed, { fromMs: lastMs, toMs: Number.POSITIVE_INFINITY }),
    outOfOrder: within(changed, { fromMs: Number.NEGATIVE_INFINITY, toMs: lastMs }),
  }
}

/** The samples in a range, `toMs` exclusive. @param samples ascending by time; mostly all of them or none are in it */
function within(samples: readonly Sample[], { fromMs, toMs }: TimeRange): readonly Sample[] {
  const [first] = samples
  const last = samples.at(-1)
  if (!first || !last || last.timeMs < fromMs || first.timeMs >= toMs) return []
  if (fromMs <= first.timeMs && last.timeMs < toMs) return samples
  return samples.filter(({ timeMs }) => fromMs <= timeMs && timeMs < toMs)
}

function stretchOf(outOfOrder: readonly Sample[]): DeviceUpdate['outOfOrder'] {
  const [first] = outOfOrder
  const last = outOfOrder.at(-1)
  return first && last ? { fromMs: first.timeMs, toMs: last.timeMs } : undefined
}

/** The latest values that changed, by vehicle: an out-of-order sample belongs to the car the dongle was in at its time. */
function latestAfter(record: DeviceRecord, changed: readonly Sample[]): Map<number, LatestValues> {
  const latest = new Map<number, LatestValues>()
  for (const assignment of record.assignments) {
    const { vehicleId } = assignment
    const before = latest.get(vehicleId) ?? record.latestByVehicle.get(vehicleId) ?? NOTHING
    const after = withSamples(before, within(changed, assignment))
    if (after !== before) latest.set(vehicleId, after)
  }
  return latest
}

const NOTHING: LatestValues = new Map()

function pluggedIn(record: DeviceRecord, changedLatest: ReadonlyMap<number, LatestValues>): boolean | null {
  return lastPluggedIn(new Map([...record.latestByVehicle, ...changedLatest]).values()) ?? record.isPluggedIn
}

function hasState(sample: Sample): boolean {
  return withBatteryState(sample).types.includes(BATTERY_STATE.id)
}

function required(record: DeviceRecord | undefined): DeviceRecord {
  if (!record) throw new Error('a batch was planned without the record of one of its devices')
  return record
}
