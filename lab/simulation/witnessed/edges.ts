import type { Position } from '../../../src/model/sample.ts'
import { type Dongle, tellsOdometerOnly } from '../dongle.ts'
import { metresBetween } from '../ground.ts'
import type { TrueTrip } from '../truth.ts'
import { MOTION_KMH, type Word } from './told-words.ts'
import { DISPLACEMENT_M, LONGEST_BRIDGE_MS, type Witness } from './witness.ts'

/** Where the motion of a drive may be found to begin and to end. */
interface Edges {
  readonly earliestStartMs: number
  readonly startMs: number
  readonly endMs: number
  readonly latestEndMs: number
  /** Some record shows the car under way, or two that are not far apart in time show that it was. */
  readonly isShown: boolean
}

/** The motion of the drives before and after it; undefined: there is none. */
interface Around {
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
}

/**
 * With a true record in each of its intervals a dongle tells near enough when the motion began and ended. Where records
 * between the last word of where the car stood and the first one that shows it under way are false or missing, it may
 * have begun anywhere between the two, and ended accordingly. An odometer alone tells both ends within one of its steps.
 * Records of the drive that a wrong clock puts right before it look like its start.
 */
export function edgesOf(trip: TrueTrip, around: Around, dongle: Dongle, witness: Witness): Edges {
  const { movesFromMs, movesUntilMs } = trip
  const { stepMs } = dongle.intervals
  const isCoarse = tellsOdometerOnly(dongle)
  const words = witness.words(around.fromMs ?? Number.NEGATIVE_INFINITY, around.toMs ?? Number.POSITIVE_INFINITY)
  const underWay = words.filter(({ timeMs }) => movesFromMs <= timeMs && timeMs <= movesUntilMs)
  const placeBefore = witness.words(Number.NEGATIVE_INFINITY, movesFromMs - 1).findLast(({ newFix }) => newFix)?.newFix
  const isAway = isAwayFrom(placeBefore ?? underWay.find(({ newFix }) => newFix)?.newFix)
  const away = underWay.filter(isAway)
  const firstMs = away[0]?.timeMs ?? movesUntilMs
  const lastMs =
    underWay.findLast((word, i) => word.showsMotion || hasMoved(word, underWay.slice(0, i)))?.timeMs ?? firstMs
  // That it stands, without a fix, does not tell that it has not left: it may wait at a light.
  const tellsPlace = ({ timeMs, newFix }: Word) => timeMs < movesFromMs || newFix !== undefined
  const stoodMs =
    words.findLast(word => word.timeMs < firstMs && tellsPlace(word))?.timeMs ?? around.fromMs ?? movesFromMs
  const standsMs = words.find(({ timeMs }) => timeMs > movesUntilMs)?.timeMs ?? movesUntilMs
  // A hundred metres in a queue, or up to a light around the corner, are no more than what the fixes of a parked car scatter.
  const isSlowStart = firstMs - movesFromMs > Math.max(stepMs, SLOW_START_MS)
  const isStartHidden = isSlowStart || firstMs - Math.max(stoodMs, movesFromMs) > stepMs
  const isEndHidden = movesUntilMs - lastMs > stepMs
  // The records before and after a drive that no record was made of do not tell when in the time between them it was over.
  const isUnheard = isStartHidden && underWay.length === 0 && standsMs - stoodMs <= LONGEST_BRIDGE_MS
  const hasOdometer = !dongle.silentAbout.has('MILEAGE')
  const isUnreported = away.length === 0 && standsMs - stoodMs > UNSEEN_INTERVALS * stepMs + SAME_MOMENT_MS
  // The last metres may complete a step of the odometer that only the parked car tells, and no fix says when.
  const after = words.filter(({ timeMs }) => timeMs > movesUntilMs)
  const stepped = (isCoarse ? after : after.slice(0, 1)).find(({ showsMotion, newFix }) => showsMotion && !newFix)
  const latestEndMs = Math.max(
    movesUntilMs,
    isEndHidden || isUnheard ? standsMs : movesUntilMs,
    stepped?.timeMs ?? movesUntilMs,
  )
  const knownEndMs = isEndHidden || isCoarse ? lastMs : movesUntilMs
  const knownStartMs = isStartHidden || isCoarse ? firstMs : movesFromMs
  const misdatedMs = witness.misdatedBefore(movesFromMs, movesUntilMs) ?? movesFromMs
  return {
    earliestStartMs: Math.min(movesFromMs, isStartHidden ? stoodMs : movesFromMs, misdatedMs),
    startMs: isUnheard && !hasOdometer ? standsMs : knownStartMs,
    endMs: isUnheard ? stoodMs : knownEndMs,
    // A longer silence is no part of a drive.
    latestEndMs: latestEndMs - movesUntilMs <= LONGEST_BRIDGE_MS ? latestEndMs : movesUntilMs,
    isShown: hasOdometer || !(isUnreported || isUnconfirmed(away, words)),
  }
}

/** A single fix shows that the car left, and no record of the next half hour agrees: it may be false. */
function isUnconfirmed([first, second]: readonly Word[], words: readonly Word[]): boolean {
  if (!first || second || first.showsMotion) return false
  return !words.some(({ timeMs }) => timeMs > first.timeMs && timeMs - first.timeMs <= LONGEST_BRIDGE_MS)
}

/** Whether a word shows that the car has left a place; of an unknown place no fix shows it. */
function isAwayFrom(place: Position | undefined): (word: Word) => boolean {
  return ({ showsMotion, newFix }) =>
    showsMotion || (place !== undefined && newFix !== undefined && metresBetween(newFix, place) >= DISPLACEMENT_M)
}

/**
 * ADR 0019: a dongle reports more often while the car drives. When it does not, a car that is elsewhere afterwards may
 * have been towed, or the dongle carried.
 */
const UNSEEN_INTERVALS = 2.5
const SAME_MOMENT_MS = 15_000

/** A car that is less than a hundred metres from where it stood by then can not be told from a parked one. */
const SLOW_START_MS = 60_000

/** Fixes nearer to each other in time are no better at telling motion; and who is slower than a hundred metres in this time walks. */
const APART_MS = 30_000
const WALKING_MS = 72_000

/** Whether a fix is far from one shortly before it, or from the last one that there is. */
function hasMoved({ timeMs, newFix }: Word, before: readonly Word[]): boolean {
  if (!newFix) return false
  const earlier = before.filter(word => word.newFix && timeMs - word.timeMs >= APART_MS)
  const compared = earlier.filter((word, i) => i === earlier.length - 1 || timeMs - word.timeMs < WALKING_MS)
  return compared.some(from => {
    const metres = from.newFix ? metresBetween(newFix, from.newFix) : 0
    return metres >= DISPLACEMENT_M && (metres / (timeMs - from.timeMs)) * 3600 > MOTION_KMH
  })
}
