import type { Database } from '../db/database.ts'
import { shardsOf } from '../db/shards/shards.ts'
import type { TransactionEnd } from '../db/transaction.ts'
import type { Backlog } from '../derive/backlog/backlog.ts'
import type { DeviceId } from '../model/sample.ts'
import { insertInOrder } from '../store/index.ts'
import type { Submission } from './plan.ts'
import { allDeviceIds } from './refused-submissions.ts'

/** From about so many samples on, COPY in a transaction is faster than a statement with arrays (docs/adr/0030). */
const MOST_SAMPLES = 300

interface Options {
  readonly backlog: Backlog
  /** The account of a dongle, if cached. */
  readonly ownerOf: (deviceId: DeviceId) => number | undefined
}

/**
 * Stores submissions that `sortQuick` calls quick, if they are few: in one statement, and what follows from them waits.
 * @returns false if they must be stored in a transaction instead; nothing is stored then, or it is not known whether
 */
export async function storeInOrder(
  database: Database,
  submissions: readonly Submission[],
  { backlog, ownerOf }: Options,
): Promise<boolean> {
  const samples = submissions.flatMap(submission => submission.samples)
  if (samples.length > MOST_SAMPLES) return false
  const shards = shardsOf(allDeviceIds(submissions))
  const callbacks: ((end: TransactionEnd) => void)[] = []
  if (!backlog.tryHold(shards, { whenEnded: callback => void callbacks.push(callback) })) return false
  let end: TransactionEnd = 'rolled back'
  try {
    const inserted = await insertInOrder(database, samples, {
      shards,
      leaseOwner: backlog.leaseOwner,
      ownerOf: ({ deviceId }) => ownerOf(deviceId),
    })
    if (inserted !== 'not now') end = inserted
    if (end === 'committed') for (const submission of submissions) backlog.add(submission.samples)
  } finally {
    for (const callback of callbacks) callback(end)
  }
  return end === 'committed'
}
