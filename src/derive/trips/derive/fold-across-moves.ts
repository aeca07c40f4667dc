import type { Sample } from '../../../model/sample.ts'
import { type Folded, type FoldState, fold, lastCheckpoints } from './fold.ts'
import type { DerivedTrip } from './trip.ts'

/**
 * Folds samples of a dongle that an operator moved to other cars (docs/adr/0011). What it reported in one car says nothing
 * about the next one: a move ends the trip at the last sample before it, and the fold starts again. `before` and
 * `samples` are as for `fold`.
 * @param movesMs the instants from which it was in another car
 */
export function foldAcrossMoves(
  before: FoldState | undefined,
  samples: readonly Sample[],
  movesMs: readonly number[],
): Folded {
  if (movesMs.length === 0) return fold(before, samples)
  const [first, ...others] = partsOf(before, samples, movesMs)
  return others.reduce(
    (told, part) => {
      const last = lastCheckpoints(told.state)
      const next = fold(undefined, part)
      return {
        state: next.state,
        trips: [...told.trips.map(leftBehind), ...next.trips],
        openStartMs: next.openStartMs,
        vinRuns: [...told.vinRuns, ...next.vinRuns],
        checkpoints: [...told.checkpoints, ...last.checkpoints, ...next.checkpoints],
        mustStoreRoute: told.mustStoreRoute || last.mustStoreRoute || next.mustStoreRoute,
      }
    },
    fold(before, first),
  )
}

/**
 * The state to go on from with a sample: none when the dongle was moved since, because its car is another one.
 * @param nextMs the time of that sample
 */
export function stateAfterMoves(
  state: FoldState | undefined,
  nextMs: number,
  movesMs: readonly number[],
): FoldState | undefined {
  return isMovedBetween(lastMsOf(state), nextMs, movesMs) ? undefined : state
}

/** The samples in each car; the first part goes on from the state before and may be empty. */
function partsOf(
  before: FoldState | undefined,
  samples: readonly Sample[],
  movesMs: readonly number[],
): readonly [Sample[], ...Sample[][]] {
  const first: Sample[] = []
  const parts: [Sample[], ...Sample[][]] = [first]
  let part = first
  let lastMs = lastMsOf(before)
  for (const sample of samples) {
    if (isMovedBetween(lastMs, sample.timeMs, movesMs)) {
      part = []
      parts.push(part)
    }
    part.push(sample)
    lastMs = sample.timeMs
  }
  return parts
}

/** Whether an operator put the dongle into another car between two samples. */
export function isMovedBetween(lastMs: number | undefined, nextMs: number, movesMs: readonly number[]): boolean {
  return lastMs !== undefined && movesMs.some(atMs => lastMs < atMs && atMs <= nextMs)
}

function lastMsOf(state: FoldState | undefined): number | undefined {
  return state?.newest?.timeMs ?? state?.progress.lastMs
}

/** After a move, the dongle is in another car, so the trip does not continue. */
function leftBehind(trip: DerivedTrip): DerivedTrip {
  return trip.isRunning ? { ...trip, isRunning: false } : trip
}
