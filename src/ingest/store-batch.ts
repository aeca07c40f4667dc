import { type LockedDevices, lockDevices, lockFreeDevices } from '../db/shards.ts'
import type { Connection } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { assignmentAt } from '../derive/device-records.ts'
import { markStored, type StoredDevice } from '../derive/due.ts'
import { isCovered, type KnownDevice, KnownDevices } from '../derive/known-devices.ts'
import { type HandedOut, keepClaims, readHandedOut } from '../fleet/claims.ts'
import { registerDevices } from '../fleet/devices.ts'
import type { DeviceId } from '../model/sample.ts'
import { append, keepMisdated } from '../store/index.ts'
import { allDeviceIds, deviceIdsOf, type Outcome, type Submission } from './submission.ts'

export interface JoiningOptions {
  readonly unknownDevices: 'accept' | 'reject'
  /** The account that unknown dongles without a key join; undefined while there is no account at all. */
  readonly firstAccountId: number | undefined
}

export interface StoredBatch {
  /** One for each submission, in order; undefined for one whose devices another transaction has locked. */
  readonly outcomes: readonly (Outcome | undefined)[]
  /** To be derived once this is committed. */
  readonly devices: readonly StoredDevice[]
}

/** Stores submissions of several senders in one transaction, and marks what is to be derived from them. Sending
 * anything twice changes nothing. @param isWaiting whether it waits for devices that others have locked */
export async function storeBatch(
  transaction: Transaction,
  submissions: readonly Submission[],
  joining: JoiningOptions,
  {
    knownDevices = new KnownDevices(),
    isWaiting = true,
  }: { readonly knownDevices?: KnownDevices; readonly isWaiting?: boolean } = {},
): Promise<StoredBatch> {
  const deviceIds = allDeviceIds(submissions)
  const locked = await (isWaiting ? lockDevices : lockFreeDevices)(transaction, deviceIds)
  const isAllLocked = locked.deviceIds.length === deviceIds.size
  const own = isAllLocked ? deviceIds : new Set(locked.deviceIds)
  const isFree = (submission: Submission) => isAllLocked || deviceIdsOf(submission).every(deviceId => own.has(deviceId))
  const free = submissions.filter(isFree)
  if (free.length === 0) return { outcomes: submissions.map(() => undefined), devices: [] }
  const known = await knownDevices.read(locked)
  const { admitted, refused } = await admit(locked, free, known, joining)
  const { receipts, changedOf } = await append(
    locked,
    admitted.map(submission => submission.samples),
    { extents: known, ownerOf: deviceId => accountOf(known.get(deviceId)) },
  )
  await keepMisdated(
    transaction,
    admitted.flatMap(submission => submission.misdated ?? []),
  )
  const stored = refused.size === 0 && isAllLocked ? deviceIds : allDeviceIds(admitted)
  const devices = Array.from(stored, deviceId => {
    const device = known.get(deviceId)
    const samples = changedOf(deviceId)
    const isLate = device !== undefined && samples[0] !== undefined && samples[0].timeMs < device.derivedMs
    return { deviceId, device, samples, isLate, isMarked: !isLate && isCovered(samples, device?.due) }
  })
  const versions = await markStored(
    locked,
    devices.filter(({ isMarked }) => !isMarked),
  )
  knownDevices.stored(locked, devices, versions)
  let next = 0
  const outcomes = submissions.map((submission): Outcome | undefined => {
    const refusedIds = refused.get(submission)
    if (refusedIds) return { kind: 'refused', deviceIds: refusedIds }
    const receipt = isFree(submission) ? receipts[next++] : undefined
    return receipt && { kind: 'stored', ...receipt }
  })
  return { outcomes, devices }
}

interface Admission {
  readonly admitted: readonly Submission[]
  readonly refused: ReadonlyMap<Submission, ReadonlySet<DeviceId>>
}

/** Refuses submissions for devices of other accounts, and registers unknown devices of the others: these are known then. */
async function admit(
  locked: LockedDevices,
  submissions: readonly Submission[],
  known: Map<DeviceId, KnownDevice>,
  options: JoiningOptions,
): Promise<Admission> {
  const { transaction } = locked
  const { refused, joining } = await findRefused(transaction, submissions, known, options)
  const joined = [...joining].map(([deviceId, joins]) => ({ deviceId, ...joins }))
  const assignments = await registerDevices(locked, joined)
  await keepClaims(
    transaction,
    joined.filter(({ isClaimed }) => isClaimed),
    'by key',
  )
  for (const { deviceId, isClaimed } of joined) {
    const assignment = assignments.get(deviceId)
    if (assignment) known.set(deviceId, { ...NOTHING_STORED_YET, assignments: [assignment], isClaimed })
  }
  return { admitted: submissions.filter(submission => !refused.has(submission)), refused }
}

const NOTHING_STORED_YET = {
  firstMs: Number.POSITIVE_INFINITY,
  lastMs: Number.NEGATIVE_INFINITY,
  derivedMs: Number.NEGATIVE_INFINITY,
  due: undefined,
}

/** The account that has a device now. */
function accountOf(device: KnownDevice | undefined): number | undefined {
  return device?.assignments.find(({ toMs }) => toMs === Number.POSITIVE_INFINITY)?.accountId
}

/** An unknown device that joins. */
interface Joining {
  readonly accountId: number
  /** Only a key of the account claims it: data from the dongle itself is not stored for the account (docs/adr/0023). */
  readonly isClaimed: boolean
}

type Reporters = ReadonlyMap<DeviceId, Pick<KnownDevice, 'assignments' | 'isClaimed'>>

/** Finds submissions for devices that their senders may not report for.
 * @returns these with the devices, and the accounts that the unknown devices of all others join */
export async function findRefused(
  connection: Connection,
  submissions: readonly Submission[],
  known: Reporters,
  { unknownDevices, firstAccountId }: JoiningOptions,
): Promise<{
  readonly refused: ReadonlyMap<Submission, ReadonlySet<DeviceId>>
  readonly joining: ReadonlyMap<DeviceId, Joining>
}> {
  const others = submissions.filter(submission => !isOfKnownDongles(submission, known))
  const unknown = [...allDeviceIds(others)].filter(deviceId => !known.has(deviceId))
  const handedOut = await readHandedOut(connection, unknown)
  const joining = new Map<DeviceId, Joining>()
  const refused = new Map<Submission, ReadonlySet<DeviceId>>()
  for (const submission of others) {
    const deviceIds = deviceIdsOf(submission)
    const strange = strangeDevices(submission, deviceIds, known)
    const newcomers: [DeviceId, Joining][] = []
    for (const deviceId of deviceIds) {
      if (known.has(deviceId)) continue
      const joins = unknownDevices === 'reject' ? undefined : joinsAs(deviceId, submission, firstAccountId, handedOut)
      const before = joining.get(deviceId)
      if (!joins || (before && before.accountId !== joins.accountId)) strange.push(deviceId)
      else if (!before) newcomers.push([deviceId, joins])
    }
    if (strange.length > 0) refused.set(submission, new Set(strange))
    else for (const [deviceId, joins] of newcomers) joining.set(deviceId, joins)
  }
  return { refused, joining }
}

/** Nearly all that arrives: known dongles report for themselves, and no account claims them. */
function isOfKnownDongles(submission: Submission, known: Reporters): boolean {
  if (submission.accountId !== undefined) return false
  return deviceIdsOf(submission).every(deviceId => known.get(deviceId)?.isClaimed === false)
}

/** The account that an unknown device joins, sent with a key or by itself; undefined when it may not join. */
function joinsAs(
  deviceId: DeviceId,
  { accountId }: Submission,
  firstAccountId: number | undefined,
  { owners, isSoleAccount }: HandedOut,
): Joining | undefined {
  const owner = owners.get(deviceId)
  const joined = accountId ?? owner ?? firstAccountId
  if (joined === undefined || (owner !== undefined && owner !== joined)) return undefined
  // Unknown dongles that report by themselves join the first account anyway.
  const isByKeyAlone = accountId !== undefined && accountId !== firstAccountId && owner === undefined
  return { accountId: joined, isClaimed: isByKeyAlone && !isSoleAccount }
}

/** The known devices that a submission may not report for. A key may only report for the time since its account has a
 * dongle: it must not add to the measurements of another account before, or probe for them. */
function strangeDevices(
  { accountId, samples }: Submission,
  deviceIds: readonly DeviceId[],
  known: Reporters,
): DeviceId[] {
  if (accountId === undefined) return deviceIds.filter(deviceId => known.get(deviceId)?.isClaimed)
  const strange = new Set<DeviceId>()
  /** Devices that the account has not always had: for these, each time is checked. */
  const since = new Map<DeviceId, Pick<KnownDevice, 'assignments'>>()
  for (const deviceId of deviceIds) {
    const device = known.get(deviceId)
    if (!device || isAlwaysOf(device, accountId)) continue
    if (device.assignments.some(item => item.accountId === accountId && item.toMs === Number.POSITIVE_INFINITY))
      since.set(deviceId, device)
    else strange.add(deviceId)
  }
  if (since.size === 0) return [...strange]
  for (const { deviceId, timeMs } of samples) {
    const device = since.get(deviceId)
    if (device && assignmentAt(device, timeMs)?.accountId !== accountId) strange.add(deviceId)
  }
  return [...strange]
}

function isAlwaysOf({ assignments }: Pick<KnownDevice, 'assignments'>, accountId: number): boolean {
  return assignments.length > 0 && assignments.every(item => item.accountId === accountId)
}
