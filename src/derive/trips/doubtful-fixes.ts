import { distanceM } from '../../model/earth.ts'
import type { Position, Sample } from '../../model/sample.ts'
import { isUsable } from './matched-place.ts'
import { countedBetween, countedSince, isBeyondCount, isExact, isTooFar } from './odometer.ts'
import { drivenSince } from './path.ts'
import { type Reading, readingOf, saysStanding } from './reading.ts'
import {
  CHECKPOINT_MS,
  DOUBTED_M_PER_MS,
  FASTEST_M_PER_MS,
  FIX_ERROR_M,
  FROZEN_FIX_MS,
  LIKELY_M_PER_MS,
  LONGEST_SILENCE_MS,
  SHARPLY_TURNED_M_PER_MS,
  STANDSTILL_READING_MS,
  STOPPED_M_PER_MS,
  TOWN_M_PER_MS,
  TURNED_BACK_M_PER_MS,
  UNSEEN_WAY_M,
  UNSURE_DISPLACEMENT_M,
} from './rules.ts'
import type { BelievedPlace, FixCluster, Progress } from './state.ts'
import { isProven } from './trip.ts'

/** A single false fix may lie within reach; only the next fix, back again, shows that it was false. So a far fix waits
 * for the next one, with the few samples between. The order of samples alone decides. */

const NONE: readonly Reading[] = []

/** So many samples may wait for the next fix; then the first one is believed. */
const MOST_HELD = 16

/** The readings that can be folded after one more sample; undefined while they wait on.
 * @param progress before those that wait @param held oldest first, beginning with the fix that is doubted */
export function releasedBy(
  progress: Progress,
  pending: readonly Sample[],
  reading: Reading,
): readonly Reading[] | undefined {
  const [first] = pending
  if (!first) return NONE
  const doubted = readingOf(first)
  const isLate = isNextDay(pending, reading) || reading.timeMs - first.timeMs > LONGEST_SILENCE_MS
  const tellsPlace = reading.position !== undefined && isUsable(reading.position, progress.place?.position)
  if (!isLate && !tellsPlace && pending.length < MOST_HELD) return undefined
  const isOutlier = !isLate && tellsPlace ? liesOff(progress, doubted, reading) : isRefuted(progress, doubted)
  return [isOutlier ? { ...doubted, isOutlier } : doubted, ...pending.slice(1).map(readingOf)]
}

/** Nothing waits over midnight: there is a state that knows of nothing else than the samples before. */
export function isNextDay([first]: readonly Sample[], { timeMs }: { readonly timeMs: number }): boolean {
  return first !== undefined && Math.floor(first.timeMs / CHECKPOINT_MS) !== Math.floor(timeMs / CHECKPOINT_MS)
}

/** The fix of a reading has to wait for the next one: far off, and faster or farther than anything else shows. */
export function isDoubtful(progress: Progress, reading: Reading): boolean {
  const { position } = reading
  const { place } = progress
  if (!position || !place || (!place.rival && isClose(place.position, position)) || !isUsable(position, place.position))
    return false
  return isFarAndFast(progress, place, position, reading)
}

function isFarAndFast(progress: Progress, place: BelievedPlace, position: Position, reading: Reading): boolean {
  const others = fixesBefore(place)
  // Two that agree are no single one.
  if (others.some(before => distanceM(before.position, position) < UNSEEN_WAY_M)) return false
  return others.some(before => {
    const outM = distanceM(before.position, position)
    const mPerMs = outM / (reading.timeMs - before.lastMs)
    return mPerMs >= doubtedMPerMs(progress, reading) || isTooFar(outM, countedSince(progress, before, reading))
  })
}

/** A car that stood, or says that it stands, is not expected anywhere else. */
function doubtedMPerMs({ cluster }: Progress, reading: Reading): number {
  return (cluster !== undefined && hasStoodAt(cluster)) || saysStanding(reading) ? TOWN_M_PER_MS : DOUBTED_M_PER_MS
}

function hasStoodAt({ count, outside }: FixCluster): boolean {
  return count > 1 && outside === undefined
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
function fixesBefore(place: BelievedPlace): readonly CandidateFix[] {
  const { rival } = place
  return rival && rival.formerUntilMs === undefined ? [rival, place] : [place]
}

/** The odometer says that the car was not driven there, and no fix follows that could show it better. */
function isRefuted(progress: Progress, doubted: Reading): boolean {
  const { place } = progress
  if (!place || !hasFix(doubted)) return false
  return isTooFar(distanceM(place.position, doubted.position), countedSince(progress, place, doubted))
}

/** A fix lies off the way from a fix before it to the one after it, in a way that no car went. */
function liesOff(progress: Progress, doubted: Reading, next: Reading): boolean {
  const { place } = progress
  if (!place || !hasFix(doubted) || !hasFix(next)) return false
  return (
    fixesBefore(place).some(before => isOff(progress, before, doubted, next)) ||
    isMistrusted(progress, place, doubted, next)
  )
}

function hasFix(reading: Reading): reading is FixReading {
  return reading.position !== undefined
}

type FixReading = Reading & { readonly position: Position }

function isOff(progress: Progress, before: CandidateFix, doubted: FixReading, next: FixReading): boolean {
  const { outM, backM, acrossM } = wayOver(before, doubted, next)
  if (outM < UNSEEN_WAY_M || backM < UNSEEN_WAY_M) return false
  // No car came to the next one from there either: it shows nothing, but the odometer may.
  if (isOutOfReach(sinceHeld(progress, before), next)) return isTooFar(outM, countedSince(progress, before, doubted))
  const outMs = doubted.timeMs - before.lastMs
  const backMs = next.timeMs - doubted.timeMs
  if (hasTurnedTooFast(progress, { outM, backM, acrossM, outMs, backMs }, doubted)) return true
  const isImpossible = outM > FASTEST_M_PER_MS * outMs + FIX_ERROR_M || backM > FASTEST_M_PER_MS * backMs + FIX_ERROR_M
  if (isImpossible && outM + backM >= A_WAY_AROUND * acrossM) return true
  if (acrossM >= outM + backM - UNSEEN_WAY_M) return false
  const counted = countedSince(progress, before, next)
  if (isTooFar(outM, countedSince(progress, before, doubted))) return !isTooFar(acrossM, counted)
  const between = countedBetween(doubted, next)
  const isBackUnknown =
    backM > 2 * reportedWayM(doubted, next) + UNSEEN_WAY_M ||
    (isLongerThanReported(progress, before, outM, doubted) &&
      (isTooFar(backM, between) ||
        isBeyondMean(backM, doubted, next) ||
        (isExact(progress) && isBeyondCount(backM, between))))
  // Where only the way to the next one is too long, that may be the false one.
  return isBackUnknown && !isBeyondCount(acrossM, counted)
}

/** A fix leads off the way just after a false one, and no odometer can show it: then two fixes must agree. Where the
 * next one is hardly in reach, it may be that which is false. */
function isMistrusted(
  { lastMs, trip }: Progress,
  place: BelievedPlace,
  doubted: FixReading,
  next: FixReading,
): boolean {
  const { rival } = place
  const hasLied =
    trip !== undefined &&
    isProven(trip.measured.track) &&
    rival !== undefined &&
    rival.formerUntilMs === undefined &&
    rival.lastMs === lastMs &&
    isOutOfReach(rival, doubted) &&
    isOutOfReach(rival, next)
  if (!hasLied || countedBetween(doubted, next)) return false
  const { outM, backM, acrossM } = wayOver(place, doubted, next)
  return acrossM < outM + backM - UNSEEN_WAY_M && backM <= LIKELY_M_PER_MS * (next.timeMs - doubted.timeMs)
}

/** A receiver that repeats its last fix shows with the next one what was driven meanwhile. */
function sinceHeld({ place }: Progress, before: CandidateFix): CandidateFix {
  if (!place || before !== place) return before
  return { position: place.position, lastMs: Math.max(place.firstMs, place.lastMs - FROZEN_FIX_MS) }
}

/** No car came from there. */
function isOutOfReach(before: CandidateFix, { position, timeMs }: FixReading): boolean {
  return distanceM(before.position, position) > FASTEST_M_PER_MS * (timeMs - before.lastMs) + FIX_ERROR_M
}

/** The straight lines between three fixes. */
function wayOver(before: CandidateFix, doubted: FixReading, next: FixReading) {
  return {
    outM: distanceM(before.position, doubted.position),
    backM: distanceM(doubted.position, next.position),
    acrossM: distanceM(before.position, next.position),
  }
}

/** No car turns around that fast. One that stops there, or is back where it stood, comes to
 * a standstill and needs longer. */
function hasTurnedTooFast(
  { cluster }: Progress,
  {
    outM,
    backM,
    acrossM,
    outMs,
    backMs,
  }: ReturnType<typeof wayOver> & { readonly outMs: number; readonly backMs: number },
  doubted: FixReading,
): boolean {
  const wayM = outM + backM
  const mPerMs = wayM / (outMs + backMs)
  const isFastOut = outM >= TURNED_BACK_M_PER_MS * outMs
  // Where only the way to the next one is fast, that may be the false one.
  if (isFastOut && mPerMs >= SHARPLY_TURNED_M_PER_MS && wayM >= SHARP_TURN * acrossM) return true
  if (wayM < THERE_AND_BACK * acrossM) return false
  if (cluster && hasStoodAt(cluster) && acrossM <= UNSURE_DISPLACEMENT_M) return mPerMs >= TOWN_M_PER_MS
  return mPerMs >= (saysStanding(doubted) ? STOPPED_M_PER_MS : TURNED_BACK_M_PER_MS)
}

/** Out and back is so much longer than the way from the fix before to the one after. */
const THERE_AND_BACK = 4
const SHARP_TURN = 2.5
const A_WAY_AROUND = 2

/** How far the speeds at both ends of a short time lead; infinite without speeds. Between two lights it may have been one of town. */
function reportedWayM(from: Reading, to: Reading): number {
  const durationMs = to.timeMs - from.timeMs
  if (from.speedKmh === undefined || to.speedKmh === undefined || durationMs > STANDSTILL_READING_MS)
    return Number.POSITIVE_INFINITY
  return Math.max(TOWN_M_PER_MS, Math.max(from.speedKmh, to.speedKmh) / 3600) * durationMs
}

/** A wheel's speed is right to some percent. */
const EXACT = 1.15
/** Longer than a dongle that reports every five minutes is silent while it drives. */
const LONGEST_MEAN_MS = 6 * 60_000

/** Two fixes are farther apart than the car's own mean speed over the time between them leads. */
function isBeyondMean(metres: number, from: Reading, to: Reading): boolean {
  if (!from.isTrueMean || !to.isTrueMean || to.meanSpeedKmh === undefined) return false
  const durationMs = to.timeMs - from.timeMs
  return (
    durationMs <= LONGEST_MEAN_MS &&
    metres > EXACT * (to.meanSpeedKmh / 3600) * durationMs + 2 * FIX_ERROR_M + UNSURE_DISPLACEMENT_M
  )
}

/** A fix is farther away in a straight line than the car drove by odometer or speed, if only by little: no road is as short. */
function isLongerThanReported(progress: Progress, before: CandidateFix, metres: number, doubted: Reading): boolean {
  const { odometer, trip } = progress
  const counted = odometer && odometer.timeMs <= before.lastMs ? countedSince(progress, before, doubted) : undefined
  if (counted) return metres > NO_SHORTER * counted.metres
  if (!trip || !doubted.isTrueMean || doubted.meanSpeedKmh === undefined) return false
  const { speed, track } = trip.measured
  const sinceMs = speed.kmh === undefined ? 0 : doubted.timeMs - speed.timeMs
  return metres > NO_SHORTER * (drivenSince(speed, track.path.fixMark).metres + (doubted.meanSpeedKmh / 3600) * sinceMs)
}

const NO_SHORTER = 1.02
