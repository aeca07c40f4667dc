import { clientErrorOf } from '../../db/faults.ts'
import type { LockedDevice } from '../../db/shards/locked-devices.ts'
import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Sample } from '../../model/sample.ts'
import { readAssignments } from '../assignments/rows/assignment-rows.ts'
import { markOutOfOrder } from '../device-records/fold-states.ts'
import { FACTS } from '../facts.ts'

/**
 * Marks waiting samples of a device as out of order, because deriving them together failed: its
 * trips are refolded separately, and the rest is derived again as far as possible; what is
 * left is found by `tacho rebuild`.
 * @param samples ascending by time
 */
export async function leaveOutOfOrder(locked: LockedDevice, samples: readonly Sample[]): Promise<void> {
  const { transaction, deviceId } = locked
  const first = samples[0]
  const last = samples.at(-1)
  if (!first || !last) return
  await markOutOfOrder(locked, { fromMs: first.timeMs, toMs: last.timeMs })
  const assignments = (await readAssignments(transaction, deviceId))?.spans ?? []
  for (const { rebuild } of FACTS) if (rebuild) await tryApart(transaction, () => rebuild(locked, assignments))
}

/**
 * Runs work in a transaction that continues when the work fails because of a bug (savepoint).
 * @returns false when it failed; then nothing of it was done.
 * @throws transient errors: then the whole transaction is to be retried.
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
