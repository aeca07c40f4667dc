import { revisionAfter } from '../db/revisions.ts'
import { writeBacklogSince } from '../db/shards/kept-shards.ts'
import type { LockedDevices, LockedShards } from '../db/shards/locked-devices.ts'
import { shardsOf } from '../db/shards/shards.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Backlog } from '../derive/backlog/backlog.ts'
import { sortQuick } from '../derive/backlog/sort-quick.ts'
import { deriveWaitingOf, takeShards } from '../derive/backlog/take-shards.ts'
import { revisionsOf, writeDerived } from '../derive/derive-stored.ts'
import {
  type Assignment,
  contextOf,
  type DeviceRecord,
  readDeviceRecords,
} from '../derive/device-records/device-records.ts'
import { type KnownRules, readRulesOf } from '../derive/rules/rule-books.ts'
import { keepClaims } from '../fleet/claims.ts'
import { registerDevices } from '../fleet/devices.ts'
import type { DeviceId, Sample } from '../model/sample.ts'
import { insertSamples, keepMisdated, readSamplesAt, replaceSamples, type SampleKey } from '../store/index.ts'
import { planBatch, type Receipt, type Submission } from './plan.ts'
import { allDeviceIds, type JoiningOptions, readHandedOutUnknown, sortOutRefused } from './refused-submissions.ts'

/** The outcome of a submission. Refused: it contains devices that its sender may not report for; nothing of it was stored. */
export type Outcome =
  | ({ readonly kind: 'stored' } & Receipt)
  | { readonly kind: 'refused'; readonly deviceIds: ReadonlySet<DeviceId> }

export interface BatchOptions extends JoiningOptions {
  /** What this process remembers of what it has stored. */
  readonly backlog: Backlog
  /** More is about to arrive: deriving new samples of dongles may wait for it. */
  readonly isBurst?: boolean
  /** For which submissions this holds; by default for all. */
  readonly mayWait?: (submission: Submission) => boolean
  /** The account of a dongle, if cached. */
  readonly ownerOf?: (deviceId: DeviceId) => number | undefined
}

/**
 * Stores submissions of several senders in one transaction, with everything derived from them; in a burst, deriving new
 * samples of dongles waits for a moment (docs/adr/0012). Sending anything twice changes nothing.
 * @returns one outcome for each submission, in their order.
 */
export async function storeBatch(
  transaction: Transaction,
  submissions: readonly Submission[],
  options: BatchOptions,
): Promise<Outcome[]> {
  const { backlog } = options
  const locked = await takeShards(transaction, shardsOf(allDeviceIds(submissions)), backlog, 'owner')
  const { quick, others } = options.isBurst
    ? sortQuick(submissions, backlog, options.mayWait)
    : { quick: [], others: submissions }
  const outcomes = await storeAndDerive(locked, others, options)
  for (const submission of quick) outcomes.set(submission, allNew(submission))
  await storeQuick(locked, quick, options)
  return submissions.map(submission => {
    const outcome = outcomes.get(submission)
    if (!outcome) throw new Error('a submission got no outcome')
    return outcome
  })
}

async function storeAndDerive(
  shards: LockedShards,
  submissions: readonly Submission[],
  options: BatchOptions,
): Promise<Map<Submission, Outcome>> {
  const outcomes = new Map<Submission, Outcome>()
  if (submissions.length === 0) return outcomes
  const locked = shards.devices([...allDeviceIds(submissions)])
  const { transaction } = locked
  await deriveWaitingOf(locked, options.backlog)
  const known = await readDeviceRecords(transaction, locked.deviceIds)
  const { admitted, refused, records } = await admit(locked, submissions, known, options)
  const existing = await readSamplesAt(transaction, keysToRead(admitted, records))
  const plan = planBatch(admitted, records, existing)
  const stored = await transaction.takeRevisions(1 + revisionsOf(plan))
  const ownerOf = ({ deviceId }: Sample) => records.get(deviceId)?.assignments.at(-1)?.accountId
  await insertSamples(locked, plan.inserts, stored, ownerOf)
  await replaceSamples(locked, plan.replacements, stored, ownerOf)
  await writeDerived(locked, plan, records, revisionAfter(stored, 1))
  await keepMisdated(
    transaction,
    admitted.flatMap(submission => submission.misdated ?? []),
  )
  transaction.whenEnded(end => {
    if (end !== 'committed') return
    // Data sent by a claimed dongle itself must always be checked.
    for (const { deviceId, extent } of plan.updates)
      if (!records.get(deviceId)?.isClaimed) options.backlog.remember(deviceId, extent.lastMs)
  })
  for (const [submission, ids] of refused) outcomes.set(submission, { kind: 'refused', deviceIds: ids })
  admitted.forEach((submission, index) => {
    outcomes.set(submission, { kind: 'stored', ...(plan.receipts[index] ?? NOTHING_STORED) })
  })
  return outcomes
}

const NOTHING_STORED: Receipt = { accepted: 0, duplicates: 0, conflicts: 0 }

/** Stores samples without reading anything first, and remembers them until they are derived. */
async function storeQuick(
  locked: LockedShards,
  submissions: readonly Submission[],
  { backlog, ownerOf }: BatchOptions,
): Promise<void> {
  if (submissions.length === 0) return
  const { transaction } = locked
  const deviceIds = [...allDeviceIds(submissions)]
  const samples = submissions.flatMap(submission => submission.samples)
  const stored = await transaction.takeRevisions(1)
  await insertSamples(locked.devices(deviceIds), samples, stored, ({ deviceId }) => ownerOf?.(deviceId))
  const shards = shardsOf(deviceIds).filter(shard => !backlog.isWaiting(shard))
  await writeBacklogSince(locked, shards, stored)
  transaction.whenEnded(end => {
    if (end === 'committed') for (const submission of submissions) backlog.add(submission.samples)
  })
}

export function allNew({ samples }: Submission): Outcome {
  let accepted = 0
  for (const { types } of samples) accepted += types.length
  return { kind: 'stored', accepted, duplicates: 0, conflicts: 0 }
}

interface Admission {
  readonly admitted: readonly Submission[]
  readonly refused: ReadonlyMap<Submission, ReadonlySet<DeviceId>>
  readonly records: ReadonlyMap<DeviceId, DeviceRecord>
}

/** Registers unknown devices and refuses submissions for devices of other accounts. */
async function admit(
  locked: LockedDevices,
  submissions: readonly Submission[],
  known: ReadonlyMap<DeviceId, DeviceRecord>,
  options: JoiningOptions,
): Promise<Admission> {
  const { transaction } = locked
  const handedOut = await readHandedOutUnknown(transaction, submissions, known)
  const { refused, joining } = sortOutRefused(submissions, known, options, handedOut)
  const joined = [...joining].map(([deviceId, joins]) => ({ deviceId, ...joins }))
  const assignments = await registerDevices(locked, joined)
  await keepClaims(
    transaction,
    joined.filter(({ isClaimed }) => isClaimed),
    'by key',
  )
  const records = new Map(known)
  const rules = assignments.size > 0 ? await readRulesOf(transaction, [...assignments.keys()]) : undefined
  for (const [deviceId, assignment] of assignments)
    records.set(
      deviceId,
      newRecord(deviceId, assignment, {
        isClaimed: joining.get(deviceId)?.isClaimed ?? false,
        rules: rules?.get(deviceId),
      }),
    )
  return { admitted: submissions.filter(submission => !refused.has(submission)), refused, records }
}

function newRecord(
  deviceId: DeviceId,
  assignment: Assignment,
  { isClaimed, rules }: { readonly isClaimed: boolean; readonly rules: KnownRules | undefined },
): DeviceRecord {
  return {
    deviceId,
    isOnline: false,
    isPluggedIn: null,
    isClaimed,
    extent: undefined,
    assignments: [assignment],
    othersUntilMs: new Map(),
    ...contextOf([], rules),
    latestByVehicle: new Map(),
    fold: undefined,
    trip: undefined,
  }
}

/** Only keys within the extent of a device can exist: samples newer than its last one need no lookup. */
function keysToRead(submissions: readonly Submission[], records: ReadonlyMap<DeviceId, DeviceRecord>): SampleKey[] {
  const keys: SampleKey[] = []
  for (const { samples } of submissions)
    for (const { deviceId, timeMs } of samples) {
      const extent = records.get(deviceId)?.extent
      if (extent && timeMs >= extent.firstMs && timeMs <= extent.lastMs) keys.push({ deviceId, timeMs })
    }
  return keys
}
