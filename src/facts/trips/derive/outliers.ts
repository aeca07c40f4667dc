import type { Position, Sample } from '../../../model/sample.ts'
import { distanceM } from './earth.ts'
import { isUsable, type Place } from './place.ts'
import type { Progress } from './progress.ts'
import { type Reading, readingOf } from './reading.ts'
import {
  CHECKPOINT_MS,
  COARSEST_STEP_M,
  FASTEST_M_PER_MS,
  FIX_ERROR_M,
  LONGEST_SILENCE_MS,
  STANDSTILL_READING_MS,
  TOWN_M_PER_MS,
  TURNED_BACK_M_PER_MS,
  UNSEEN_WAY_M,
} from './rules.ts'

/**
 * A single false fix may lie where a car could have got to; that it was false shows with the next fix only, when that is back. So
 * a fix that is far off waits for the next one, and so do the few samples between them. What is decided follows from
 * samples alone, in the order of time.
 */

/** So many samples may wait for the next fix; then the first one is believed. */
const MOST_HELD = 16

/**
 * What can be folded, now that one more sample is known, of those that waited before it.
 * @param progress after all samples before the ones that wait
 * @param held oldest first, the first one with the fix that is doubted
 * @returns undefined while they wait on
 */
export function releasedBy(
  progress: Progress,
  held: readonly Sample[],
  reading: Reading,
): readonly Reading[] | undefined {
  const [first, ...others] = held
  if (!first) return []
  const doubted = readingOf(first)
  const isLate = isNextDay(held, reading) || reading.timeMs - first.timeMs > LONGEST_SILENCE_MS
  const hasFix = reading.position !== undefined && isUsable(reading.position, progress.place)
  if (!isLate && !hasFix && held.length < MOST_HELD) return undefined
  const isOutlier = !isLate && hasFix && liesOff(progress, doubted, reading)
  return [isOutlier ? { ...doubted, isOutlier } : doubted, ...others.map(readingOf)]
}

/** Nothing waits over midnight: there is a state that knows of nothing else than the samples before. */
export function isNextDay([first]: readonly Sample[], { timeMs }: { readonly timeMs: number }): boolean {
  return first !== undefined && Math.floor(first.timeMs / CHECKPOINT_MS) !== Math.floor(timeMs / CHECKPOINT_MS)
}

/** Whether the fix of a reading has to wait for the next one: far off, and faster or farther than anything else tells. */
export function isDoubtful(progress: Progress, reading: Reading): boolean {
  const { position, timeMs } = reading
  const { place } = progress
  if (!position || !place || (!place.rival && isClose(place.position, position)) || !isUsable(position, place))
    return false
  const others = fixesBefore(place)
  // Two that agree are no single one.
  if (others.some(before => distanceM(before.position, position) < UNSEEN_WAY_M)) return false
  return others.some(before => {
    const outM = distanceM(before.position, position)
    const mPerMs = outM / (timeMs - before.lastMs)
    return mPerMs >= TURNED_BACK_M_PER_MS || isTooFar(outM, drivenSince(progress, before, reading))
  })
}

/** A cheap test for most of all fixes. */
function isClose(a: Position, b: Position): boolean {
  return Math.abs(a.lat - b.lat) < CLOSE_DEG && Math.abs(a.lon - b.lon) < CLOSE_DEG
}

/** North and east together it is less than UNSEEN_WAY_M, anywhere. */
const CLOSE_DEG = 0.003

/** A fix before the doubted one that may be the true one. */
interface CandidateFix {
  readonly position: Position
  readonly lastMs: number
}

/** The last one believed, and one that is not yet. */
function fixesBefore(place: Place): readonly CandidateFix[] {
  const { rival } = place
  return rival && rival.formerUntilMs === undefined ? [rival, place] : [place]
}

/** Whether a fix lies off the way from a fix before it to the one after it, in a way that no car went. */
function liesOff(progress: Progress, doubted: Reading, next: Reading): boolean {
  const { place } = progress
  const { position } = doubted
  return (
    place !== undefined &&
    position !== undefined &&
    fixesBefore(place).some(before => isOff(progress, before, { ...doubted, position }, next))
  )
}

function isOff(
  progress: Progress,
  before: CandidateFix,
  doubted: Reading & { readonly position: Position },
  next: Reading,
): boolean {
  if (!next.position) return false
  const outM = distanceM(before.position, doubted.position)
  const backM = distanceM(doubted.position, next.position)
  const acrossM = distanceM(before.position, next.position)
  if (outM < UNSEEN_WAY_M || backM < UNSEEN_WAY_M) return false
  const outMs = doubted.timeMs - before.lastMs
  const backMs = next.timeMs - doubted.timeMs
  // No car turns around that fast.
  const isTooFast = outM / outMs >= TURNED_BACK_M_PER_MS && backM / backMs >= TURNED_BACK_M_PER_MS
  if (isTooFast && outM + backM >= THERE_AND_BACK * acrossM) return true
  const isImpossible = outM > FASTEST_M_PER_MS * outMs + FIX_ERROR_M || backM > FASTEST_M_PER_MS * backMs + FIX_ERROR_M
  if (isImpossible && outM + backM >= A_WAY_AROUND * acrossM) return true
  const isUnknownToCar =
    backM > 2 * toldM(doubted, next) + UNSEEN_WAY_M ||
    isTooFar(outM, drivenSince(progress, before, doubted)) ||
    isTooFar(backM, drivenBetween(doubted, next))
  return (
    isUnknownToCar && acrossM < outM + backM - UNSEEN_WAY_M && !isTooFar(acrossM, drivenSince(progress, before, next))
  )
}

/** Out and back is so much longer than the way from the fix before to the one after. */
const THERE_AND_BACK = 4
const A_WAY_AROUND = 2

/** What the odometer counted between two readings, and how finely it does. */
interface Counted {
  readonly metres: number
  readonly stepM: number
}

function drivenSince({ odometer }: Progress, before: CandidateFix, { odometerKm }: Reading): Counted | undefined {
  return odometer && odometer.timeMs <= before.lastMs ? countedFrom(odometer.km, odometerKm) : undefined
}

function drivenBetween({ odometerKm: fromKm }: Reading, { odometerKm }: Reading): Counted | undefined {
  return fromKm === undefined ? undefined : countedFrom(fromKm, odometerKm)
}

/** How far the speeds at both ends of a short time lead; infinite where nothing tells. Between two lights it may have been one of town. */
function toldM(from: Reading, to: Reading): number {
  const durationMs = to.timeMs - from.timeMs
  if (from.speedKmh === undefined || to.speedKmh === undefined || durationMs > STANDSTILL_READING_MS)
    return Number.POSITIVE_INFINITY
  return Math.max(TOWN_M_PER_MS, Math.max(from.speedKmh, to.speedKmh) / 3600) * durationMs
}

/** One that went back was swapped. */
function countedFrom(fromKm: number, toKm: number | undefined): Counted | undefined {
  if (toKm === undefined || toKm < fromKm) return undefined
  const isWhole = Number.isInteger(fromKm) && Number.isInteger(toKm)
  return { metres: (toKm - fromKm) * 1000, stepM: isWhole ? COARSEST_STEP_M : UNSEEN_WAY_M }
}

/** Farther than the odometer can have meant, even if it counts miles. */
function isTooFar(metres: number, counted: Counted | undefined): boolean {
  return counted !== undefined && metres > 2 * counted.metres + counted.stepM
}
