import type { Sample } from '../../../model/sample.ts'
import type { PartStates } from '../../fold-part.ts'
import { silenceOf } from './cadence.ts'
import { checkpointBefore, endCheckpoint, type Placed } from './checkpoints.ts'
import { copyOfProgress } from './copies.ts'
import { derive, type Facts } from './derive.ts'
import { isDoubtful, isNextDay, releasedBy } from './outliers.ts'
import { earliestStartMs, nothingKnown, type Progress, withRouteStored } from './progress.ts'
import { readingOf } from './reading.ts'
import { endedTripOf, openTripOf } from './report.ts'
import type { DerivedTrip, VinRun } from './trip.ts'

export { parseState, serialiseState } from './state-text.ts'

const NOTHING_HELD: readonly Sample[] = []

/** Where the fold stands for one dongle. Plain data: what `serialiseState` writes, `parseState` reads back the same. */
export interface FoldState {
  /** After all samples but the newest and those that are held. */
  readonly progress: Progress
  /** Samples after those that wait for the next fix, oldest first (outliers.ts). The state of a checkpoint has none. */
  readonly held: readonly Sample[]
  /**
   * The newest sample: not folded yet, because its instant may still come in pieces. The state of a checkpoint has
   * none.
   */
  readonly newest: Sample | undefined
  /** What other facts know before the samples that wait (`foldDevice`); undefined while there is none. */
  readonly parts?: PartStates | undefined
}

/** A state to begin again from: the one after all samples before `beforeMs`. */
export interface Checkpoint {
  readonly beforeMs: number
  /** As `serialiseState` writes it: equal texts are equal states. */
  readonly state: string
}

/** What samples told. Trips and VIN runs are those that the samples made or changed, by their start. */
export interface Folded {
  readonly state: FoldState
  /** All trips from the one that the state before was in: ended ones and, last, the one it is in now. */
  readonly trips: readonly DerivedTrip[]
  /** The start of the one it is in now, or may be in: the newest sample alone may tell of it, so the state need not know. */
  readonly openStartMs: number | undefined
  readonly vinRuns: readonly VinRun[]
  /** Ascending, each instant once. */
  readonly checkpoints: readonly Checkpoint[]
  /**
   * One of the checkpoints lies within a trip: what is final of its route by then must be in the trip's row, because
   * the route of whoever begins there is told from there on only.
   */
  readonly mustStoreRoute: boolean
}

/**
 * Folds samples of one dongle. Pure: the result follows from all samples so far, however they were cut into runs.
 * @param before undefined before the first sample
 * @param samples ascending by time, each instant once, none older than the newest before; a first one at its very time
 *   takes its place.
 */
export function fold(before: FoldState | undefined, samples: readonly Sample[]): Folded {
  const progress = before ? copyOfProgress(before.progress) : nothingKnown()
  let held = before?.held ?? []
  let newest = before?.newest
  const trips: DerivedTrip[] = []
  const vinRuns = new Map<number, VinRun>()
  const checkpoints = new Map<number, string>()
  let mustStoreRoute = false

  const emit = ({ ended, vinRun }: Facts) => {
    if (ended) trips.push(endedTripOf(ended))
    if (vinRun) vinRuns.set(vinRun.firstMs, vinRun)
  }
  const keep = ({ checkpoint, isInTrip }: Placed) => {
    checkpoints.set(checkpoint.beforeMs, checkpoint.state)
    mustStoreRoute ||= isInTrip
  }
  // What the newest sample confirmed is emitted again when another one takes its place.
  if (progress.vinRun && newest?.timeMs === samples[0]?.timeMs) emit({ ended: undefined, vinRun: progress.vinRun })
  for (const sample of samples) {
    if (newest && newest.timeMs !== sample.timeMs) held = stepOver(progress, held, newest, emit, keep)
    newest = sample
  }

  const seen = copyOfProgress(progress)
  const last = newest && readingOf(newest)
  const startMs = progress.trip?.measured.startMs
  for (const reading of (last && releasedBy(seen, held, last)) ?? held.map(readingOf)) {
    const facts = derive(seen, reading)
    // A trip that began and ended with what is held may prove to be none.
    emit({ ...facts, ended: facts.ended?.measured.startMs === startMs ? facts.ended : undefined })
  }
  if (last) emit(derive(seen, last))
  const open = seen.trip && openTripOf(seen.trip, silenceOf(seen))
  if (open) trips.push(open)
  return {
    state: { progress, held, newest },
    trips,
    openStartMs: open?.startMs ?? progress.trip?.measured.startMs,
    vinRuns: [...vinRuns.values()],
    checkpoints: [...checkpoints].map(([beforeMs, state]) => ({ beforeMs, state })),
    mustStoreRoute,
  }
}

/**
 * Goes on by a sample that is complete.
 * @param progress changed in place
 * @param held what waits for the next fix
 * @param emit takes what follows from the sample, and from those that waited for it
 * @param keep takes the checkpoints before and behind it
 * @returns what waits from now on
 */
function stepOver(
  progress: Progress,
  held: readonly Sample[],
  sample: Sample,
  emit: (facts: Facts) => void,
  keep: (placed: Placed) => void,
): readonly Sample[] {
  const reading = readingOf(sample)
  const released = releasedBy(progress, held, reading)
  if (!released) return [...held, sample]
  for (const each of released) emit(derive(progress, each))
  // What was just released may have been decided by this very sample.
  if (held.length === 0 || isNextDay(held, sample)) {
    const before = checkpointBefore(progress, sample.timeMs)
    if (before) keep(before)
  }
  if (isDoubtful(progress, reading)) return [sample]
  const facts = derive(progress, reading)
  if (facts.ended) keep(endCheckpoint(progress, sample.timeMs))
  emit(facts)
  return NOTHING_HELD
}

/** The last checkpoints when nothing follows the newest sample any more. */
export function lastCheckpoints({ progress, held, newest }: FoldState): Pick<Folded, 'checkpoints' | 'mustStoreRoute'> {
  const placed: Placed[] = []
  if (newest)
    stepOver(
      copyOfProgress(progress),
      held,
      newest,
      () => {},
      item => placed.push(item),
    )
  return {
    checkpoints: placed.map(({ checkpoint }) => checkpoint),
    mustStoreRoute: placed.some(({ isInTrip }) => isInTrip),
  }
}

/**
 * The same state when what was told of the route of the trip it is in is stored in the trip's row: from now on only
 * what comes after is told.
 */
export function withStoredRoute(state: FoldState): FoldState {
  const progress = withRouteStored(state.progress)
  return progress === state.progress ? state : { ...state, progress }
}

/** The start of the trip that the dongle is in, or of what may become one. */
export function tripStartMs(state: FoldState): number | undefined {
  return state.progress.trip?.measured.startMs
}

/** Whatever trip the samples after a state tell of begins no earlier; undefined when it begins with one of them. */
export function earliestTripStartMs({ progress, held, newest }: FoldState): number | undefined {
  return earliestStartMs(progress, (held[0] ?? newest)?.timeMs)
}

/** The readings of a VIN that would go on with an equal one. */
export function vinRunOf(state: FoldState): VinRun | undefined {
  return state.progress.vinRun
}
