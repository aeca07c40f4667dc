import { clientErrorOf } from '../../db/faults.ts'
import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { readAssignments } from '../../facts/assignments/rows/assignment-rows.ts'
import { markOutOfOrder } from '../../facts/device-records/fold-states.ts'
import { FACTS } from '../../facts/facts.ts'
import type { DeviceId, Sample } from '../../model/sample.ts'

/**
 * X * trips are folded again apart from everything else, and the rest is worked out anew as far as that is possible; what is
 * not is found by `tacho rebuild`. The caller holds the shard.
 * @param samples ascending by time
 */
export async function leaveOutOfOrder(
  transaction: Transaction,
  deviceId: DeviceId,
  samples: readonly Sample[],
): Promise<void> {
  const first = samples[0]
  const last = samples.at(-1)
  if (!first || !last) return
  await markOutOfOrder(transaction, deviceId, { fromMs: first.timeMs, toMs: last.timeMs })
  const assignments = (await readAssignments(transaction, deviceId))?.spans ?? []
  for (const { rebuild } of FACTS)
    if (rebuild) await tryApart(transaction, () => rebuild(transaction, { deviceId, assignments }))
}

/**
 * Does something within a transaction that goes on when it fails by a defect.
 * @returns false when it failed; then nothing of it was done.
 * @throws what passes by itself: then the whole transaction is to be tried again.
 */
export async function tryApart(transaction: Transaction, work: () => Promise<unknown>): Promise<boolean> {
  await transaction.rows(sql`savepoint apart`)
  try {
    await work()
    await transaction.rows(sql`release savepoint apart`)
    return true
  } catch (error) {
    if (clientErrorOf(error)) throw error
    await transaction.rows(sql`rollback to savepoint apart`)
    await transaction.rows(sql`release savepoint apart`)
    return false
  }
}
