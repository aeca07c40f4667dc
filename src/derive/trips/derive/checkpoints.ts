import type { Checkpoint } from './fold.ts'
import { measuredForSure } from './open-trip.ts'
import { type Progress, withRouteStored } from './progress.ts'
import { CHECKPOINT_MS, DRIVING_CHECKPOINT_MS } from './rules.ts'
import { serialiseState } from './state-text.ts'

/** A checkpoint, and whether it relies on the row of a trip for the route up to there. */
export interface Placed {
  readonly checkpoint: Checkpoint
  readonly isInTrip: boolean
}

/**
 * The state for a checkpoint: without a newest sample, and with the final part of the route taken out, so that it does not depend on
 * how the samples were cut into runs.
 */
function placedAt(beforeMs: number, progress: Progress): Placed {
  const state = serialiseState({ progress: withRouteStored(progress), held: [], newest: undefined })
  const isInTrip = progress.trip !== undefined && measuredForSure(progress.trip).isTrip
  return { checkpoint: { beforeMs, state }, isInTrip }
}

/** The checkpoint between the samples folded so far and the next one: when a day or, within a trip, an hour begins. */
export function checkpointBefore(progress: Progress, nextMs: number): Placed | undefined {
  if (progress.lastMs === undefined) return undefined
  const lengthMs = progress.trip ? DRIVING_CHECKPOINT_MS : CHECKPOINT_MS
  const beginMs = Math.floor(nextMs / lengthMs) * lengthMs
  return beginMs > progress.lastMs ? placedAt(beginMs, progress) : undefined
}

/** The checkpoint after the sample that closed a trip. */
export function endCheckpoint(progress: Progress, timeMs: number): Placed {
  return placedAt(timeMs + 1, progress)
}
