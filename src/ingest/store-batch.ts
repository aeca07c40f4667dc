import { type LockedDevices, lockDevices, lockFreeDevices } from '../db/shards.ts'
import { type Connection, sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { instantMs } from '../db/values.ts'
import { type Assignment, assignmentAt } from '../derive/device-records.ts'
import { FIRST_STORED, joinExtent, LAST_STORED, markDue, NOTHING_TO_FOLD, PRIORITY } from '../derive/due.ts'
import type { StoredDevice } from '../derive/engine.ts'
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
  /** One for each submission, in their order; undefined for one whose devices another transaction has locked. */
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
  isWaiting = true,
): Promise<StoredBatch> {
  const deviceIds = allDeviceIds(submissions)
  const locked = await (isWaiting ? lockDevices : lockFreeDevices)(transaction, deviceIds)
  const isAllLocked = locked.deviceIds.length === deviceIds.size
  const own = new Set(locked.deviceIds)
  const isFree = (submission: Submission) => deviceIdsOf(submission).every(deviceId => own.has(deviceId))
  const free = isAllLocked ? submissions : submissions.filter(isFree)
  if (free.length === 0) return { outcomes: submissions.map(() => undefined), devices: [] }
  const known = await readKnownDevices(transaction, locked.deviceIds)
  const { admitted, refused, accountOf } = await admit(locked, free, known, joining)
  const { receipts, changed } = await append(
    locked,
    admitted.map(submission => submission.samples),
    { extents: known, ownerOf: deviceId => accountOf.get(deviceId) },
  )
  await keepMisdated(
    transaction,
    admitted.flatMap(submission => submission.misdated ?? []),
  )
  const devices = [...allDeviceIds(admitted)].map(deviceId => {
    const samples = changed.get(deviceId) ?? []
    const { derivedMs, dueVersion } = known.get(deviceId) ?? NOT_KNOWN
    return { deviceId, samples, versionBefore: dueVersion, isLate: (samples[0]?.timeMs ?? derivedMs) < derivedMs }
  })
  const version = await markDue(
    transaction,
    devices.map(({ deviceId, samples, isLate }) => {
      const [first, last] = [samples[0], samples.at(-1)]
      return {
        deviceId,
        ...(first && last ? { fromMs: first.timeMs, toMs: last.timeMs, lastMs: last.timeMs } : NOTHING_TO_FOLD),
        isReceived: true,
        priority: isLate ? PRIORITY.late : PRIORITY.live,
      }
    }),
  )
  const outcomes = new Map<Submission, Outcome>()
  for (const [submission, ids] of refused) outcomes.set(submission, { kind: 'refused', deviceIds: ids })
  admitted.forEach((submission, index) => {
    outcomes.set(submission, { kind: 'stored', ...(receipts[index] ?? NOTHING_STORED) })
  })
  return {
    outcomes: submissions.map(submission => outcomes.get(submission)),
    devices: devices.map(device => ({ ...device, version })),
  }
}

const NOTHING_STORED = { accepted: 0, duplicates: 0, conflicts: 0 }
const NOT_KNOWN = { derivedMs: Number.NEGATIVE_INFINITY, dueVersion: undefined }

/** The facts of a device that storing its samples needs. */
interface KnownDevice {
  readonly assignments: readonly Assignment[]
  /** Only a key of its account claims it. */
  readonly isClaimed: boolean
  /** The extent of its samples, derived or not; empty while there are none. */
  readonly firstMs: number
  readonly lastMs: number
  /** The newest sample from which something was derived. */
  readonly derivedMs: number
  /** The version of what is due; undefined when nothing is. */
  readonly dueVersion: number | undefined
}

export async function readKnownDevices(
  connection: Connection,
  deviceIds: readonly DeviceId[],
): Promise<Map<DeviceId, KnownDevice>> {
  const rows = await connection.rows<KnownRow>(
    sql`
      select d.id, d.is_claimed, a.account_id, a.vehicle_id, a.from_time, a.to_time,
        ${FIRST_STORED} as first_time, ${LAST_STORED} as last_time, s.last_time as derived_time, q.version
      from devices d
        left join assignments a on a.device_id = d.id
        ${joinExtent(sql`d.id`)}
      where d.id = any(${deviceIds}::bigint[]) and d.deleted is null`,
    { prepareAs: 'known-devices' },
  )
  const known = new Map<DeviceId, KnownDevice & { readonly assignments: Assignment[] }>()
  for (const row of rows) {
    const device = known.get(row.id) ?? {
      assignments: [],
      isClaimed: row.is_claimed,
      firstMs: row.first_time === null ? Number.POSITIVE_INFINITY : instantMs(row.first_time),
      lastMs: row.last_time === null ? Number.NEGATIVE_INFINITY : instantMs(row.last_time),
      derivedMs: row.derived_time === null ? Number.NEGATIVE_INFINITY : instantMs(row.derived_time),
      dueVersion: row.version ?? undefined,
    }
    known.set(row.id, device)
    if (row.account_id !== null)
      device.assignments.push({
        accountId: row.account_id,
        vehicleId: row.vehicle_id,
        fromMs: instantMs(row.from_time),
        toMs: instantMs(row.to_time),
      })
  }
  return known
}

type KnownRow = {
  readonly id: DeviceId
  readonly is_claimed: boolean
  readonly first_time: string | null
  readonly last_time: string | null
  readonly derived_time: string | null
  readonly version: number | null
} & (
  | { readonly account_id: number; readonly vehicle_id: number; readonly from_time: string; readonly to_time: string }
  | { readonly account_id: null }
)

interface Admission {
  readonly admitted: readonly Submission[]
  readonly refused: ReadonlyMap<Submission, ReadonlySet<DeviceId>>
  /** The account that has a device now. */
  readonly accountOf: ReadonlyMap<DeviceId, number>
}

/** Registers unknown devices and refuses submissions for devices of other accounts. */
async function admit(
  locked: LockedDevices,
  submissions: readonly Submission[],
  known: ReadonlyMap<DeviceId, KnownDevice>,
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
  const accountOf = new Map<DeviceId, number>()
  for (const [deviceId, device] of known)
    for (const { accountId, toMs } of device.assignments)
      if (toMs === Number.POSITIVE_INFINITY) accountOf.set(deviceId, accountId)
  for (const [deviceId, { accountId }] of assignments) accountOf.set(deviceId, accountId)
  return { admitted: submissions.filter(submission => !refused.has(submission)), refused, accountOf }
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
  const unknown = [...allDeviceIds(submissions)].filter(deviceId => !known.has(deviceId))
  const handedOut = await readHandedOut(connection, unknown)
  const joining = new Map<DeviceId, Joining>()
  const refused = new Map<Submission, ReadonlySet<DeviceId>>()
  for (const submission of submissions) {
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
