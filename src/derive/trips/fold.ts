import type { Sample } from '../../model/sample.ts'
import { derive, type Facts } from './derive.ts'
import { isDoubtful, isNextDay, releasedBy } from './doubtful-fixes.ts'
import { readingOf, silenceOf } from './reading.ts'
import { storeRoute } from './route.ts'
import { BUSY_LEAD_MS, CHECKPOINT_MS, DRIVING_CHECKPOINT_MS } from './rules.ts'
import {
  copyOfMeasured,
  copyOfProgress,
  type EndedTrip,
  type FoldState,
  type Measured,
  nothingKnown,
  type OpenTrip,
  type Progress,
  serialiseState,
  type VinRun,
} from './state.ts'
import { type DerivedTrip, endedTripOf, isProven, measuredForSure, openTripOf } from './trip.ts'

/** A state to begin again from: the one after all samples before `beforeMs`. */
export interface Checkpoint {
  readonly beforeMs: number
  /** From `serialiseState`: equal texts are equal states. */
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
  /** A checkpoint lies within a trip: its row must store the final part of the route, as
   * folding from there yields the rest. */
  readonly mustStoreRoute: boolean
}

/** Folds samples of one dongle: ascending, each instant once, none older than the newest before; a first one at its
 * very time replaces it. Pure: it does not matter how the samples were cut into runs. */
export function fold(before: FoldState | undefined, samples: readonly Sample[]): Folded {
  const progress = before ? copyOfProgress(before.progress) : nothingKnown()
  let pending = before?.pending ?? []
  let newest = before?.newest
  const trips: DerivedTrip[] = []
  const vinRuns = new Map<number, VinRun>()
  const placed: PlacedCheckpoint[] = []
  const emit = ({ ended, vinRun }: Facts) => {
    for (const trip of ended) trips.push(endedTripOf(trip))
    if (vinRun) vinRuns.set(vinRun.firstMs, vinRun)
  }
  // A run that the newest sample confirmed is emitted again when another one takes its place.
  if (progress.vinRun && newest?.timeMs === samples[0]?.timeMs) emit({ ended: [], vinRun: progress.vinRun })
  for (const sample of samples) {
    if (newest && newest.timeMs !== sample.timeMs) pending = stepOver(progress, pending, newest, emit, placed)
    newest = sample
  }

  const seen = copyOfProgress(progress)
  const last = newest && readingOf(newest)
  const startMs = progress.trip?.measured.startMs
  const lastKnownMs = (progress.trip ?? progress.undecided.at(-1))?.measured.startMs ?? -Infinity
  const isKnown = ({ measured }: EndedTrip) => measured.startMs <= lastKnownMs
  for (const reading of (last && releasedBy(seen, pending, last)) ?? pending.map(readingOf)) {
    const facts = derive(seen, reading)
    // A trip that began and ended with what is pending may prove to be none.
    emit({ ...facts, ended: facts.ended.filter(isKnown) })
    seen.undecided = seen.undecided.filter(isKnown)
  }
  if (last) emit(derive(seen, last))
  for (const trip of seen.undecided) if (trip.measured.isTrip) trips.push(endedTripOf(trip))
  const open = seen.trip && openTripOf(seen.trip, silenceOf(seen))
  if (open) trips.push(open)
  return {
    state: { progress, pending, newest },
    trips,
    openStartMs: open?.startMs ?? startMs,
    vinRuns: [...vinRuns.values()],
    ...checkpointsOf(placed),
  }
}

/** Processes a complete sample; changes `progress`. @param emit takes facts of it and of released samples @param placed
 * takes the checkpoints before and behind it @returns the samples that wait for the next fix */
function stepOver(
  progress: Progress,
  pending: readonly Sample[],
  sample: Sample,
  emit: (facts: Facts) => void,
  placed: PlacedCheckpoint[],
): readonly Sample[] {
  const reading = readingOf(sample)
  const released = releasedBy(progress, pending, reading)
  if (!released) return [...pending, sample]
  for (const each of released) emit(derive(progress, each))
  // The samples just released may have been decided by this sample.
  if (pending.length === 0 || isNextDay(pending, sample)) {
    const beforeMs = checkpointMsBefore(progress, sample.timeMs)
    if (beforeMs !== undefined) placed.push(placedAt(beforeMs, progress))
  }
  if (isDoubtful(progress, reading)) return [sample]
  const facts = derive(progress, reading)
  if (facts.ended.length > 0) placed.push(placedAt(sample.timeMs + 1, progress))
  emit(facts)
  return []
}

// Checkpoints.

/** A checkpoint, and whether it relies on the row of a trip for the route up to there. */
interface PlacedCheckpoint extends Checkpoint {
  readonly isInTrip: boolean
}

/** Without a newest sample, and with the final part of the route taken out, so that it does not depend on how the samples were cut into runs. */
function placedAt(beforeMs: number, progress: Progress): PlacedCheckpoint {
  const state = serialiseState({ progress: withRouteStored(progress), pending: [], newest: undefined })
  return { beforeMs, state, isInTrip: progress.trip !== undefined && measuredForSure(progress.trip).isTrip }
}

/** When a day or, within a trip, an hour begins between the samples folded so far and the next one. */
function checkpointMsBefore({ lastMs, trip }: Progress, nextMs: number): number | undefined {
  const lengthMs = trip ? DRIVING_CHECKPOINT_MS : CHECKPOINT_MS
  const beginMs = Math.floor(nextMs / lengthMs) * lengthMs
  return lastMs !== undefined && beginMs > lastMs ? beginMs : undefined
}

function checkpointsOf(placed: readonly PlacedCheckpoint[]): Pick<Folded, 'checkpoints' | 'mustStoreRoute'> {
  const states = new Map(placed.map(({ beforeMs, state }) => [beforeMs, state]))
  return {
    checkpoints: [...states].map(([beforeMs, state]) => ({ beforeMs, state })),
    mustStoreRoute: placed.some(({ isInTrip }) => isInTrip),
  }
}

/** The last checkpoints if nothing follows the newest sample. */
function lastCheckpoints({ progress, pending, newest }: FoldState): Pick<Folded, 'checkpoints' | 'mustStoreRoute'> {
  const placed: PlacedCheckpoint[] = []
  if (newest) stepOver(copyOfProgress(progress), pending, newest, () => {}, placed)
  return checkpointsOf(placed)
}

/** The state after the route so far was stored in the trip's row: from now on only the rest of the route is returned. */
export function withStoredRoute(state: FoldState): FoldState {
  const progress = withRouteStored(state.progress)
  return progress === state.progress ? state : { ...state, progress }
}

function withRouteStored(progress: Progress): Progress {
  const { trip, undecided } = progress
  const open = trip && openWithRouteStored(trip)
  const ended = undecided.map(each => {
    const length = storableLength(each.measured)
    return length === 0 ? each : { ...each, measured: stored(each.measured, length) }
  })
  if (open === trip && ended.every((each, index) => each === undecided[index])) return progress
  return { ...copyOfProgress(progress), trip: open, undecided: ended }
}

function openWithRouteStored(trip: OpenTrip): OpenTrip {
  const { measured, pause, idle } = trip
  const length = Math.min(storableLength(measuredForSure(trip)), idle?.track.route.final.length ?? Infinity)
  if (length === 0) return trip
  return {
    ...trip,
    measured: stored(measured, length),
    pause: pause && { ...pause, measured: stored(pause.measured, length) },
    idle: idle && stored(idle, length),
  }
}

/** A drive that is no trip yet has no row to store anything in; a track that is not proven may give way to another one. */
function storableLength({ isTrip, track }: Readonly<Measured>): number {
  return isTrip && isProven(track) ? track.route.final.length : 0
}

function stored(measured: Readonly<Measured>, length: number): Measured {
  const copy = copyOfMeasured(measured)
  storeRoute(copy.track.route, length)
  return copy
}

// Answers from a state.

/** The start of the first trip that is not decided, else of the current one, or of what may become one. */
export function tripStartMs({ progress: { undecided, trip } }: FoldState): number | undefined {
  return (undecided[0] ?? trip)?.measured.startMs
}

/** The current VIN run, which an equal reading would continue. */
export function vinRunOf(state: FoldState): VinRun | undefined {
  return state.progress.vinRun
}

/** No trip from later samples begins earlier: the first that is not decided, or the one that is on; else, or while that
 * may prove to be none, where the car stood, or since the dongle reports as in a drive; undefined when nothing shows it. */
export function earliestTripStartMs({ progress, pending, newest }: FoldState): number | undefined {
  const { undecided, trip, cluster, odometer, busySinceMs, boundaryMs } = progress
  if (undecided[0]) return undecided[0].measured.startMs
  if (trip && measuredForSure(trip).isTrip) return trip.measured.startMs
  const nextMs = (pending[0] ?? newest)?.timeMs
  const known = [trip?.measured.startMs, cluster?.insideMs, cluster?.left?.timeMs, odometer?.timeMs, nextMs]
  const knownMs = known.filter(timeMs => timeMs !== undefined)
  if (knownMs.length === 0) return undefined
  const leftMs = Math.min(...knownMs)
  const wasOnItsWay = busySinceMs !== undefined && busySinceMs >= leftMs - BUSY_LEAD_MS
  return Math.max(boundaryMs + 1, wasOnItsWay ? Math.min(leftMs, busySinceMs) : leftMs)
}

// Moves to other cars.

/** Folds across moves by operators (docs/adr/0011), as `fold` does. Reports in one car show nothing about the next: a
 * move (`movesMs`) ends the trip at the last sample before it, and the fold starts again. */
export function foldAcrossMoves(
  before: FoldState | undefined,
  samples: readonly Sample[],
  movesMs: readonly number[],
): Folded {
  if (movesMs.length === 0) return fold(before, samples)
  const [first, ...others] = partsOf(before, samples, movesMs)
  return others.reduce(
    (folded, part) => {
      const last = lastCheckpoints(folded.state)
      const next = fold(undefined, part)
      return {
        state: next.state,
        trips: [...folded.trips.map(leftBehind), ...next.trips],
        openStartMs: next.openStartMs,
        vinRuns: [...folded.vinRuns, ...next.vinRuns],
        checkpoints: [...folded.checkpoints, ...last.checkpoints, ...next.checkpoints],
        mustStoreRoute: folded.mustStoreRoute || last.mustStoreRoute || next.mustStoreRoute,
      }
    },
    fold(before, first),
  )
}

/** The state to go on from with a sample at `nextMs`: none when the dongle was moved since,
 * as its car is another one. */
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

/** An operator put the dongle into another car between two samples. */
function isMovedBetween(lastMs: number | undefined, nextMs: number, movesMs: readonly number[]): boolean {
  return lastMs !== undefined && movesMs.some(atMs => lastMs < atMs && atMs <= nextMs)
}

function lastMsOf(state: FoldState | undefined): number | undefined {
  return state?.newest?.timeMs ?? state?.progress.lastMs
}

/** After a move, the dongle is in another car, so the trip does not continue. */
function leftBehind(trip: DerivedTrip): DerivedTrip {
  return trip.isRunning ? { ...trip, isRunning: false } : trip
}
