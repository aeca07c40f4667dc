import type { Sample } from '../../../model/sample.ts'
import { silenceOf } from './cadence.ts'
import { copyOfProgress } from './copies.ts'
import { derive } from './derive.ts'
import type { FoldState } from './fold.ts'
import { type LengthBasis, lengthBasisOf } from './length-basis.ts'
import { type LengthMeasures, lengthMeasuresOf } from './length-measures.ts'
import { type LengthRange, lengthRangeOf } from './length-range.ts'
import { type EndedTrip, measuredSoFar, type OpenTrip } from './open-trip.ts'
import { isDoubtful, releasedBy } from './outliers.ts'
import { nothingKnown, type Progress } from './progress.ts'
import { type Reading, readingOf } from './reading.ts'
import { endedTripOf, openTripOf } from './report.ts'
import { LONGEST_SILENCE_MS } from './rules.ts'
import { type Tally, tallyAfter, tallyFrom, tallyUntil } from './tally.ts'
import { type Testimony, testimonyOf } from './testimony.ts'
import type { DerivedTrip } from './trip.ts'

/** Where the samples of one trip are followed again, to keep what the fold forgets. Plain data of a fixed size. */
export interface Retrace {
  readonly startMs: number
  readonly progress: Progress
  /** Samples that wait for the next fix (outliers.ts). */
  readonly held: readonly Sample[]
  /** The trip as far as it was followed; undefined before it begins, and when it turned out to be none. */
  readonly trip: OpenTrip | EndedTrip | undefined
  /** What was said with the sample that opened it. */
  readonly testimony: Testimony
  /** Up to the last sample followed, up to where the trip ends as it is so far, and up to the last motion. */
  readonly seen: Tally
  readonly told: Tally
  readonly moved: Tally
  /** Nothing that comes later belongs to the trip. */
  readonly isOver: boolean
}

/** What there is to say about a trip besides what its row says. */
export interface TripAccount {
  readonly trip: DerivedTrip
  readonly testimony: Testimony
  readonly basis: LengthBasis
  readonly measures: LengthMeasures
  readonly range: LengthRange
  readonly tally: Tally
}

/**
 * @param state of a checkpoint at or before the start of the trip; undefined where the first sample comes next
 * @param startMs when the trip began
 */
export function retraceFrom(state: FoldState | undefined, startMs: number): Retrace {
  const tally = tallyFrom(startMs)
  const progress = state?.progress ?? nothingKnown()
  const tallies = { seen: tally, told: tally, moved: tally }
  return { startMs, progress, held: [], trip: undefined, testimony: new Map(), ...tallies, isOver: false }
}

/**
 * Follows one more sample, the next one in time. Pure.
 * @param step takes what is known after each sample that could be followed: this one, or those that waited for it, in the order of time
 */
export function retraced(before: Retrace, sample: Sample, step: (after: Retrace) => void = () => {}): Retrace {
  const reading = readingOf(sample)
  const released = releasedBy(before.progress, before.held, reading)
  if (!released) return { ...before, held: [...before.held, sample] }
  const after = followed({ ...before, held: [] }, released, step)
  return !after.isOver && isDoubtful(after.progress, reading)
    ? { ...after, held: [sample] }
    : followed(after, [reading], step)
}

/** Nothing follows: what waited is believed. @param step as for `retraced` */
export function retracedToEnd(before: Retrace, step: (after: Retrace) => void = () => {}): Retrace {
  return followed({ ...before, held: [] }, before.held.map(readingOf), step)
}

function followed(before: Retrace, readings: readonly Reading[], step: (after: Retrace) => void): Retrace {
  let after = before
  for (const reading of readings) {
    if (after.isOver) break
    after = follow(after, reading)
    step(after)
  }
  return after
}

function follow(before: Retrace, reading: Reading): Retrace {
  const { startMs, held } = before
  const { timeMs } = reading
  const progress = copyOfProgress(before.progress)
  const facts = derive(progress, reading)
  const open = progress.trip?.measured.startMs === startMs ? progress.trip : undefined
  const ended = facts.ended?.measured.startMs === startMs ? facts.ended : undefined
  // Where the start lies between two samples, the trip is known with a later one.
  const isGivenUp = before.trip !== undefined || timeMs >= startMs + LONGEST_SILENCE_MS
  const isOver = ended !== undefined || (!open && timeMs >= startMs && isGivenUp)
  const isPartOf = open !== undefined || ended?.measured.endMs === timeMs
  const trip = open ?? ended
  if (!trip || !isPartOf) return { ...before, progress, trip, isOver }
  const seen = tallyAfter(before.seen, before.progress, reading, open)
  const isEnd = measuredOf(trip).endMs === timeMs
  const hasMoved = open?.movedMs === timeMs
  const testimony = before.trip
    ? before.testimony
    : testimonyOf(reading, before.progress, progress, trip.measured.hasMoved)
  return {
    startMs,
    progress,
    held,
    trip,
    testimony,
    seen,
    told: isEnd ? seen : before.told,
    moved: hasMoved ? seen : before.moved,
    isOver,
  }
}

/** @returns undefined when no trip began there. */
export function accountOf(retrace: Retrace): TripAccount | undefined {
  const { trip, progress, testimony, told, moved } = retrace
  if (!trip) return undefined
  const measured = measuredOf(trip)
  const derived = 'closed' in trip ? endedTripOf(trip) : openTripOf(trip, silenceOf(progress))
  if (!derived) return undefined
  const { opened, closed, endMs } = derived
  const { cadenceMs, power } = progress
  // It turned out later that the car stood: after an hour with the ignition on, or once its fixes told when it came.
  const isShortened = told.lastMs > endMs
  const tally = tallyUntil(isShortened ? moved : told, endMs)
  return {
    trip: derived,
    testimony,
    basis: lengthBasisOf(measured),
    measures: lengthMeasuresOf(measured),
    range: lengthRangeOf(measured, { opened: opened.rule, closed: closed?.rule, cadenceMs }),
    tally: isShortened && power.isIgnitionDoubted ? { ...tally, isIgnitionDoubted: true } : tally,
  }
}

function measuredOf(trip: OpenTrip | EndedTrip) {
  return 'closed' in trip ? trip.measured : measuredSoFar(trip)
}
