import { distanceM } from '../../model/earth.ts'
import type { Position, Sample } from '../../model/sample.ts'
import { isUsable } from './matched-place.ts'
import { countedBetween, countedSince, isTooFar } from './odometer.ts'
import { type Reading, readingOf, saysStanding } from './reading.ts'
import {
  CHECKPOINT_MS,
  DOUBTED_M_PER_MS,
  FASTEST_M_PER_MS,
  FIX_ERROR_M,
  FROZEN_FIX_MS,
  LIKELY_M_PER_MS,
  LONGEST_SILENCE_MS,
  TOWN_M_PER_MS,
  TURNED_BACK_M_PER_MS,
  UNSEEN_WAY_M,
  UNSURE_DISPLACEMENT_M,
} from './rules.ts'
import type { BelievedPlace, FixCluster, Progress } from './state.ts'
import { hasDrivenHere } from './trip.ts'

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
  const isOutlier = !isLate && tellsPlace && liesOff(progress, doubted, reading)
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
  const isUncounted = isTooFar(outM, countedSince(progress, before, doubted))
  // Hardly a car came to the next one from there either: it shows nothing, but the odometer may.
  const held = sinceHeld(progress, before)
  if (acrossM > LIKELY_M_PER_MS * (next.timeMs - held.lastMs) + FIX_ERROR_M) return isUncounted
  const { cluster } = progress
  const isBackWhereItStood = cluster !== undefined && hasStoodAt(cluster) && acrossM <= UNSURE_DISPLACEMENT_M
  const sharpness = Math.max(1, (THERE_AND_BACK * acrossM) / (outM + backM))
  const mPerMs = isBackWhereItStood ? TOWN_M_PER_MS : TURNED_BACK_M_PER_MS * sharpness
  if (outM + backM >= mPerMs * (next.timeMs - before.lastMs)) return true
  return (
    isUncounted && acrossM < outM + backM - UNSEEN_WAY_M && !isTooFar(acrossM, countedSince(progress, before, next))
  )
}

/** A fix leads off the way just after a false one, and no odometer can show it: then two fixes must agree. Where the
 * next one is hardly in reach, it may be that which is false. */
function isMistrusted(progress: Progress, place: BelievedPlace, doubted: FixReading, next: FixReading): boolean {
  const { rival } = place
  const hasLied =
    hasDrivenHere(progress) &&
    rival !== undefined &&
    rival.formerUntilMs === undefined &&
    rival.lastMs === progress.lastMs &&
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

/** A car turns the slower, the sharper: out and back so much longer than the way across is back where it was. */
const THERE_AND_BACK = 4
