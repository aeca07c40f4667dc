import {
  type Checkpoint,
  earliestTripStartMs,
  type FoldState,
  parseState,
  tripStartMs,
  vinRunOf,
} from '../../derive/trips/fold.ts'
import { foldAcrossMoves } from '../../derive/trips/fold-across-moves.ts'
import type { DerivedTrip, VinRun } from '../../derive/trips/trip.ts'
import { holdKeptSince } from '../../store/samples/kept-since.ts'
import { readStretch } from '../../store/samples/stretch.ts'
import type { Transaction } from '../../store/transaction.ts'
import { readCheckpointsAt } from '../../store/trips/checkpoints.ts'
import type { DeviceId } from '../sample.ts'
import { foldStartBefore } from './fold-start.ts'

/** What the samples of a stretch of time tell now. */
export interface FoldedAgain {
  /** Where it began: everything that starts from here on was folded again. */
  readonly from: { readonly afterMs: number; readonly tripsMs: number; readonly runsMs: number }
  /** Where it ended: in a state that was reached there before too, or with the newest sample. */
  readonly end:
    | { readonly kind: 'as before'; readonly state: FoldState }
    | { readonly kind: 'newest sample'; readonly state: FoldState }
  /** What starts there or later was not folded again; infinite when all was. */
  readonly toMs: number
  /** The same for trips: one that a later sample tells of may have begun a little before. */
  readonly tripsToMs: number
  /** The start of the trip that is still going on there: its row is as it was. */
  readonly goingOnMs: number | undefined
  /** By start, without the one that is still going on. */
  readonly trips: readonly DerivedTrip[]
  /** By first reading. */
  readonly vinRuns: readonly VinRun[]
  readonly checkpoints: readonly Checkpoint[]
}

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
  const { fromMs: afterMs, state: base } = await foldStartBefore(transaction, deviceId, changedMs, keptSinceMs)
  const baseRun = base && vinRunOf(base)
  const trips = new Map<number, DerivedTrip>()
  const vinRuns = new Map<number, VinRun>(baseRun ? [[baseRun.firstMs, baseRun]] : [])
  const checkpoints: Checkpoint[] = []
  let state = base
  let same: Checkpoint | undefined
  let isEmpty = true
  for await (const samples of readStretch(transaction, deviceId, afterMs)) {
    if (samples.length === 0) break
    isEmpty = false
    let folded = foldAcrossMoves(state, samples, movesMs)
    same = await firstAsBefore(transaction, deviceId, folded.checkpoints, changed.toMs)
    const end = same?.beforeMs ?? Number.POSITIVE_INFINITY
    checkpoints.push(...folded.checkpoints.filter(checkpoint => checkpoint.beforeMs < end))
    if (same) {
      const { beforeMs } = same
      folded = foldAcrossMoves(
        state,
        samples.filter(sample => sample.timeMs < beforeMs),
        movesMs,
      )
    }
    for (const trip of folded.trips) trips.set(trip.startMs, trip)
    for (const run of folded.vinRuns) vinRuns.set(run.firstMs, run)
    state = folded.state
    if (same) break
  }
  if (!state || isEmpty) return undefined
  const end: FoldedAgain['end'] = same
    ? { kind: 'as before', state: parseState(same.state) }
    : { kind: 'newest sample', state }
  const goingOnMs = end.kind === 'as before' ? tripStartMs(end.state) : undefined
  return {
    from: {
      afterMs,
      tripsMs: Math.min(afterMs, (base && earliestTripStartMs(base)) ?? afterMs),
      runsMs: baseRun?.firstMs ?? afterMs,
    },
    end,
    toMs: same?.beforeMs ?? Number.POSITIVE_INFINITY,
    tripsToMs: same
      ? Math.min(same.beforeMs, earliestTripStartMs(parseState(same.state)) ?? same.beforeMs)
      : Number.POSITIVE_INFINITY,
    goingOnMs,
    trips: [...trips.values()].filter(trip => trip.startMs !== goingOnMs).sort((a, b) => a.startMs - b.startMs),
    vinRuns: [...vinRuns.values()].sort((a, b) => a.firstMs - b.firstMs),
    checkpoints,
  }
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
