import type { Submission } from '../../ingest/plan.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { Backlog } from './backlog.ts'

/** Submissions, by how they are stored. */
interface Sorted {
  /** New samples of remembered dongles, all newer than what is stored: nothing must be read to store them. */
  readonly quick: readonly Submission[]
  readonly others: readonly Submission[]
}

/**
 * Selects submissions that can be stored now and derived later. Those sent with a key are derived at once, because such a
 * client may read at once what it sent.
 * @param backlog valid for these shards, because they were taken with it
 */
export function sortQuick(
  submissions: readonly Submission[],
  backlog: Backlog,
  mayWait: (submission: Submission) => boolean = () => true,
): Sorted {
  const lastMs = new Map<DeviceId, number>()
  const slow = new Set<DeviceId>()
  for (const submission of submissions)
    if (!mayWait(submission) || !isQuick(submission, backlog, lastMs)) markSlow(submission, slow)
  const quick: Submission[] = []
  const others: Submission[] = []
  for (const submission of submissions) {
    const [first] = submission.samples
    if (first && !slow.has(first.deviceId)) quick.push(submission)
    else others.push(submission)
  }
  return { quick, others }
}

/** Whether all of it is of one remembered device, and newer than its samples and those of the submissions before. */
function isQuick(
  { samples, misdated, accountId }: Submission,
  backlog: Backlog,
  lastMs: Map<DeviceId, number>,
): boolean {
  const [first] = samples
  if (accountId !== undefined || !first || (misdated && misdated.length > 0)) return false
  const { deviceId } = first
  let newestMs = lastMs.get(deviceId) ?? backlog.lastMsOf(deviceId)
  if (newestMs === undefined) return false
  for (const sample of samples) {
    if (sample.deviceId !== deviceId || sample.timeMs <= newestMs) return false
    newestMs = sample.timeMs
  }
  lastMs.set(deviceId, newestMs)
  return true
}

function markSlow({ samples, misdated = [] }: Submission, slow: Set<DeviceId>): void {
  for (const { deviceId } of samples) slow.add(deviceId)
  for (const { deviceId } of misdated) slow.add(deviceId)
}
