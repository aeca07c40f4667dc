import type { DeviceId } from '../../model/sample.ts'
import { readStretch, type SampleSource } from '../../store/index.ts'
import type { OutOfOrderBasis } from '../device-records/fold-states.ts'
import { type Checkpoint } from '../trips/derive/fold.ts'
import { parseState } from '../trips/derive/state.ts'
import { readCheckpointsAt } from '../trips/rows/checkpoints.ts'
import { foldStartBefore } from './fold-start.ts'
import { type FoldedAgain, Folding } from './folding.ts'

/** The stretch has more samples than the caller allows. */
export class StretchTooLong extends Error {}

/**
 * Refolds the samples of a device, from the last checkpoint before a changed stretch, until the state after
 * it equals the stored one again (design, decision 6): from there on nothing changes.
 * @param changed from the oldest to the newest instant that changed, infinite for everything
 * @param mostSamples the limit of samples
 * @returns undefined when the device has no sample there, or when samples of that time have been dropped
 * @throws StretchTooLong when there are more
 */
export async function foldAgain(
  source: SampleSource,
  deviceId: DeviceId,
  changed: Omit<OutOfOrderBasis, 'mark'>,
  mostSamples = Number.POSITIVE_INFINITY,
): Promise<FoldedAgain | undefined> {
  const { fromMs, toMs, keptSinceMs, context } = changed
  if (toMs < keptSinceMs) return undefined
  const start = await foldStartBefore(source, deviceId, Math.max(fromMs, keptSinceMs), keptSinceMs)
  const folding = new Folding(start, context)
  let count = 0
  for await (const samples of readStretch(source, deviceId, start.fromMs)) {
    if (samples.length === 0) break
    count += samples.length
    if (count > mostSamples) throw new StretchTooLong()
    const folded = folding.look(samples)
    const same = await firstAsBefore(source, deviceId, folded.checkpoints, toMs)
    if (same) {
      folding.takeBefore(same.beforeMs, samples, folded)
      return folding.toSameState(same.beforeMs, parseState(same.state))
    }
    folding.take(folded)
  }
  return folding.toNewestSample()
}

/** The first checkpoint after all changes that is stored with the same state. */
async function firstAsBefore(
  source: SampleSource,
  deviceId: DeviceId,
  checkpoints: readonly Checkpoint[],
  changedToMs: number,
): Promise<Checkpoint | undefined> {
  const behind = checkpoints.filter(checkpoint => checkpoint.beforeMs > changedToMs)
  const stored = await readCheckpointsAt(
    source,
    deviceId,
    behind.map(checkpoint => checkpoint.beforeMs),
  )
  return behind.find(checkpoint => stored.get(checkpoint.beforeMs) === checkpoint.state)
}
