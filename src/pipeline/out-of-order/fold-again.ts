import { holdKeptSince } from '../../db/samples/kept-since.ts'
import { readStretch } from '../../db/samples/stretch.ts'
import type { Transaction } from '../../db/transaction.ts'
import { type Checkpoint, parseState } from '../../facts/trips/derive/fold.ts'
import { readCheckpointsAt } from '../../facts/trips/rows/checkpoints.ts'
import type { DeviceId } from '../../model/sample.ts'
import { foldStartBefore } from './fold-start.ts'
import { type FoldedAgain, Folding } from './folding.ts'

/**
 * Folds the samples of a device again, from the last checkpoint before a stretch that changed, until the state behind
 * it equals the stored one again (design, decision 6): from there on everything is as it was.
 * @param changed from the oldest to the newest instant that changed, infinite for everything
 * @param movesMs instants from which on it was in another car
 * @returns undefined when the device has no sample there, or when samples of that time are no longer all kept
 */
export async function foldAgain(
  transaction: Transaction,
  deviceId: DeviceId,
  changed: { readonly fromMs: number; readonly toMs: number },
  movesMs: readonly number[],
): Promise<FoldedAgain | undefined> {
  const keptSinceMs = await holdKeptSince(transaction)
  if (changed.toMs < keptSinceMs) return undefined
  const changedMs = Math.max(changed.fromMs, keptSinceMs)
  const start = await foldStartBefore(transaction, deviceId, changedMs, keptSinceMs)
  const folding = new Folding(start, movesMs)
  for await (const samples of readStretch(transaction, deviceId, start.fromMs)) {
    if (samples.length === 0) break
    const folded = folding.look(samples)
    const same = await firstAsBefore(transaction, deviceId, folded.checkpoints, changed.toMs)
    if (same) {
      folding.takeBefore(same.beforeMs, samples, folded)
      return folding.toSameState(same.beforeMs, parseState(same.state))
    }
    folding.take(folded)
  }
  return folding.toNewestSample()
}

/** The first checkpoint behind all changes that is stored with the same state. */
async function firstAsBefore(
  transaction: Transaction,
  deviceId: DeviceId,
  checkpoints: readonly Checkpoint[],
  changedToMs: number,
): Promise<Checkpoint | undefined> {
  const behind = checkpoints.filter(checkpoint => checkpoint.beforeMs > changedToMs)
  const stored = await readCheckpointsAt(
    transaction,
    deviceId,
    behind.map(checkpoint => checkpoint.beforeMs),
  )
  return behind.find(checkpoint => stored.get(checkpoint.beforeMs) === checkpoint.state)
}
