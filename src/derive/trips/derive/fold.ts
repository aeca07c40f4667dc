import type { Sample } from '../../../model/sample.ts'
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

/** The state of the fold of one dongle. Plain data: `parseState` reads back exactly what `serialiseState` writes. */
export interface FoldState {
  /** After all samples but the newest and those that are held. */
  readonly progress: Progress
  /** Samples that wait for the next fix, oldest first (outliers.ts). The state of a checkpoint has none. */
  readonly held: readonly Sample[]
  /**
   * The newest sample: not folded yet, because its instant may still come in pieces. The state of a checkpoint has
   * none.
   */
  readonly newest: Sample | undefined
  /**
   * The states of other facts, before the waiting samples (`foldDevice`), as JSON; undefined if there are none. Many small objects for each
   * dongle of a batch, until all of it is written, would keep the garbage collector busy.
   */
  readonly parts?: string | undefined
}

/** A state to begin again from: the one after all samples before `beforeMs`. */
export interface Checkpoint {
  readonly beforeMs: number
  /** As `serialiseState` writes it: equal texts are equal states. */
  readonly state: string
}

/** The result of folding samples. Trips and VIN runs are those that the samples created or changed, by their start. */
export interface Folded {
  readonly state: FoldState
  /** All trips from the current trip of the state before: ended ones and, last, the current one. */
  readonly trips: readonly DerivedTrip[]
  /** The start of the current trip, or of what may become one. The newest sample alone may show it, so the state need not contain it. */
  readonly openStartMs: number | undefined
  readonly vinRuns: readonly VinRun[]
  /** Ascending, each instant once. */
  readonly checkpoints: readonly Checkpoint[]
  /**
   * One of the checkpoints lies within a trip. The final part of its route must then be stored in the trip's row, because folding
   * from there yields only the rest of the route.
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
 * Processes a complete sample.
 * @param progress changed in place
 * @param held the samples that wait for the next fix
 * @param emit takes what follows from the sample, and from those that waited for it
 * @param keep takes the checkpoints before and behind it
 * @returns the samples that wait from now on
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
  // The samples just released may have been decided by this sample.
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

/** The last checkpoints if nothing follows the newest sample. */
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
 * The state after the route so far was stored in the trip's row: from now on only the rest of the route is returned.
 */
export function withStoredRoute(state: FoldState): FoldState {
  const progress = withRouteStored(state.progress)
  return progress === state.progress ? state : { ...state, progress }
}

/** The start of the current trip, or of what may become one. */
export function tripStartMs(state: FoldState): number | undefined {
  return state.progress.trip?.measured.startMs
}

/** No trip from the samples after a state begins earlier; undefined if it begins with one of them. */
export function earliestTripStartMs({ progress, held, newest }: FoldState): number | undefined {
  return earliestStartMs(progress, (held[0] ?? newest)?.timeMs)
}

/** The current VIN run, which an equal reading would continue. */
export function vinRunOf(state: FoldState): VinRun | undefined {
  return state.progress.vinRun
}
