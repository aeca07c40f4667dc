import type { Connection } from '../db/database.ts'
import { type Assignment, assignmentAt } from '../derive/device-records/device-records.ts'
import { type HandedOut, readHandedOut } from '../fleet/claims.ts'
import type { DeviceId } from '../model/sample.ts'
import type { Submission } from './plan.ts'

/** Whether an unknown device may join, and which account. */
export interface JoiningOptions {
  readonly unknownDevices: 'accept' | 'reject'
  /** The account that unknown dongles without a key join; undefined while there is no account at all. */
  readonly firstAccountId: number | undefined
}

/** What decides who may report for a device. */
interface Known {
  readonly assignments: readonly Assignment[]
  readonly isClaimed: boolean
}

/** An unknown device that joins. */
interface Joining {
  readonly accountId: number
  /** Only a key of the account claims it: data from the dongle itself is not stored for the account (docs/adr/0023). */
  readonly isClaimed: boolean
}

/** The accounts to which unknown devices were handed out; no query when all are known. */
export async function readHandedOutUnknown(
  connection: Connection,
  submissions: readonly Submission[],
  known: ReadonlyMap<DeviceId, unknown>,
): Promise<HandedOut> {
  const unknown = [...allDeviceIds(submissions)].filter(deviceId => !known.has(deviceId))
  return readHandedOut(connection, unknown)
}

/**
 * Finds submissions for devices that their senders may not report for.
 * @param known existing devices
 * @param handedOut the accounts to which the unknown ones were handed out
 * @returns these submissions with the devices, and the accounts that the unknown devices of all others join
 */
export function sortOutRefused(
  submissions: readonly Submission[],
  known: ReadonlyMap<DeviceId, Known>,
  { unknownDevices, firstAccountId }: JoiningOptions,
  handedOut: HandedOut,
): {
  readonly refused: ReadonlyMap<Submission, ReadonlySet<DeviceId>>
  readonly joining: ReadonlyMap<DeviceId, Joining>
} {
  const joining = new Map<DeviceId, Joining>()
  const refused = new Map<Submission, ReadonlySet<DeviceId>>()
  for (const submission of submissions) {
    const strange = strangeTimes(submission, known)
    const newcomers = new Map<DeviceId, Joining>()
    for (const deviceId of allDeviceIds([submission])) {
      if (known.has(deviceId)) continue
      const joins = unknownDevices === 'reject' ? undefined : joinsAs(deviceId, submission, firstAccountId, handedOut)
      const before = joining.get(deviceId)
      if (!joins || (before && before.accountId !== joins.accountId)) strange.add(deviceId)
      else if (!before) newcomers.set(deviceId, joins)
    }
    if (strange.size > 0) refused.set(submission, strange)
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

/**
 * The known devices that a submission may not report for. A key may report for the dongles that its account has now, for
 * the time since it has them: it must not add to the measurements of another account before, or probe for them.
 */
function strangeTimes(submission: Submission, known: ReadonlyMap<DeviceId, Known>): Set<DeviceId> {
  const strange = new Set<DeviceId>()
  const { accountId, samples } = submission
  if (accountId === undefined) {
    for (const deviceId of allDeviceIds([submission])) if (known.get(deviceId)?.isClaimed) strange.add(deviceId)
    return strange
  }
  /** Devices that the account has not always had: for these, each time is checked. */
  const since = new Map<DeviceId, Known>()
  for (const deviceId of allDeviceIds([submission])) {
    const device = known.get(deviceId)
    if (!device || isAlwaysOf(device, accountId)) continue
    if (device.assignments.some(item => item.accountId === accountId && item.toMs === Number.POSITIVE_INFINITY))
      since.set(deviceId, device)
    else strange.add(deviceId)
  }
  if (since.size === 0) return strange
  for (const { deviceId, timeMs } of samples) {
    const device = since.get(deviceId)
    if (device && assignmentAt(device, timeMs)?.accountId !== accountId) strange.add(deviceId)
  }
  return strange
}

function isAlwaysOf({ assignments }: Known, accountId: number): boolean {
  return assignments.length > 0 && assignments.every(item => item.accountId === accountId)
}

export function allDeviceIds(submissions: readonly Submission[]): Set<DeviceId> {
  const deviceIds = new Set<DeviceId>()
  for (const submission of submissions) addDeviceIds(submission, deviceIds)
  return deviceIds
}

function addDeviceIds({ samples, misdated }: Submission, deviceIds: Set<DeviceId>): void {
  let latest: DeviceId | undefined
  for (const { deviceId } of samples) {
    // A dongle sends only its own samples, and looking up each one costs noticeable time in a burst.
    if (deviceId !== latest) deviceIds.add(deviceId)
    latest = deviceId
  }
  if (misdated) for (const { deviceId } of misdated) deviceIds.add(deviceId)
}
