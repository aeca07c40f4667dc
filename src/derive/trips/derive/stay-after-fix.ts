import { distanceM } from '../../../model/earth.ts'
import type { Position } from '../../../model/sample.ts'
import { isSeldom } from './cadence.ts'
import { arrivalMs, type Departure, departureMs, departureOf, isDrive, nearM, rememberLeaving } from './departure.ts'
import {
  FASTEST_M_PER_MS,
  FIX_ERROR_M,
  LONGEST_SILENCE_MS,
  MISSED_INTERVALS,
  MOTION_DISPLACEMENT_M,
  MOTION_KMH,
  SAME_MOMENT_MS,
  STANDSTILL_READING_MS,
  STAY_RADIUS_M,
  TURNED_BACK_M_PER_MS,
  UNMOVED_MS,
} from './rules.ts'
import {
  learnFromReturn,
  moveTo,
  provenAtM,
  radiusM,
  remain,
  SCATTER_COUNT,
  STANDING_RADIUS_M,
  type Stay,
  scatteredM,
} from './stay.ts'

/** The fix before another one. */
interface FixBefore {
  readonly position: Position
  /** When it was first and last reported. */
  readonly firstMs: number
  readonly lastMs: number
  /** As far as is known, the car drove then. */
  readonly isDriving: boolean
  /** The dongle reported as often then as it does while the car drives. */
  readonly isBusy: boolean
}

/**
 * Updates the stay with the next believed fix.
 * @param saysStanding the car or the receiver reports with this fix that it stands
 * @param cadenceMs how often the dongle usually reports while the car drives
 * @returns how the car left, if this fix shows that it did
 */
export function goOnFrom(
  stay: Stay,
  position: Position,
  timeMs: number,
  before: FixBefore,
  saysStanding: boolean,
  cadenceMs: number | undefined,
): Departure | undefined {
  const offM = distanceM(stay.middle, position)
  const isUnsure = stay.count < SCATTER_COUNT && stay.outside === undefined
  if (offM <= (saysStanding ? STANDING_RADIUS_M : isUnsure ? reachM((timeMs - stay.insideMs) / 2) : radiusM(stay))) {
    learnFromReturn(stay)
    remain(stay, position, timeMs, offM)
    return undefined
  }
  if (timeMs - before.lastMs > LONGEST_SILENCE_MS) return startAfterSilence(stay, position, timeMs, cadenceMs)
  const hasJustLeft = stay.outside === undefined
  const sinceBeforeMs = timeMs - before.lastMs
  const isElsewhere = !stay.next || distanceM(stay.next, position) > reachM(timeMs - stay.nextMs)
  if (
    stay.outside &&
    isElsewhere &&
    !(stay.count >= SCATTER_COUNT && distanceM(stay.middle, stay.outside) >= provenAtM(stay)) &&
    hasParkedAt(before, sinceBeforeMs, distanceM(before.position, position), cadenceMs)
  ) {
    // What was outside only shows how far the fixes of the parked car scatter.
    stay.inside = before.position
    stay.insideMs = before.lastMs
    stay.outside = undefined
  }
  if (!stay.outside) {
    stay.outside = position
    stay.outsideMs = timeMs
  }
  const { inside, insideMs, outside, outsideMs } = stay
  // Jitter moves from one side of the place to the other, but not away from it.
  const isAway = offM >= provenAtM(stay)
  const insideM = isAway ? distanceFromInsideM(stay, position, offM) : 0
  const isOnward = isAway && !hasJustLeft && isDrive(distanceM(outside, position), timeMs - outsideMs)
  const isOutward = isAway && !hasJustLeft && isSteady(stay, outside, insideM, offM, position, timeMs)
  const isDirect = isAway && isDrive(insideM, timeMs - insideMs) && isWithinReach(stay, outside, outsideMs)
  if (isDirect || isOnward || isOutward) {
    const leadM = hasJustLeft ? insideM : distanceM(inside, outside)
    if (hasJustLeft && wasFrozen(stay, before, position, timeMs)) stay.insideMs = before.firstMs
    const departure = departureOf(stay, outside, leadM, isDirect || isOutward, isOnward, cadenceMs)
    moveTo(stay, position, timeMs, before.isDriving || before.isBusy ? arrivalMs(before, position, timeMs) : timeMs)
    return departure
  }
  if (!stay.next || isElsewhere) {
    if (stay.next && timeMs - outsideMs > WALKED_MS) {
      // Drift, or a few metres of motion, left the place minutes ago: later fixes show whether it drives now.
      stay.outside = stay.next
      stay.outsideMs = stay.nextMs
    }
    stay.next = position
    stay.nextMs = timeMs
    stay.nextBeforeMs = !before.isBusy && !before.isDriving && isSeldom(sinceBeforeMs, cadenceMs) ? 0 : before.lastMs
    // It is unknown for how much longer it had stayed at the place before.
    const stoodBefore = hasJustLeft && insideMs > stay.sinceMs && !before.isDriving
    stay.nextArrivedMs = stoodBefore ? timeMs : arrivalMs(before, position, timeMs)
    return undefined
  }
  if (timeMs - stay.nextMs < UNMOVED_MS) return undefined
  // Too slow for a drive: it stands a little farther away now, or the fixes drift.
  const isFar = distanceM(stay.middle, stay.next) > scatteredM(stay)
  const hasPassed = insideMs - stay.sinceMs < UNMOVED_MS
  const intervalMs = stay.nextMs - stay.nextBeforeMs
  const hasCrept = isSeldom(intervalMs, cadenceMs)
    ? isFar && intervalMs <= Math.max(STANDSTILL_READING_MS, CREEPING_INTERVALS * (cadenceMs ?? 0))
    : isFar || hasPassed
  // If it is no farther away, it is the same place, however its fixes scatter.
  const leadM = distanceM(inside, outside)
  const departure = { ...departureOf(stay, outside, leadM, true, false, cadenceMs), isDrive: false }
  // Fixes farther apart than usual may be of a car that still crept on: halfway is off by the least.
  const mayCreep =
    before.isDriving && !isSeldom(sinceBeforeMs, cadenceMs) && distanceM(stay.next, position) > STAY_RADIUS_M
  const onMs = mayCreep ? arrivalMs(before, position, timeMs) : stay.nextArrivedMs
  const cameMs = Math.round((stay.nextArrivedMs + onMs) / 2)
  moveTo(stay, stay.next, stay.nextMs, isFar || hasCrept ? cameMs : stay.arrivedMs)
  rememberLeaving(stay, departure)
  remain(stay, position, timeMs, distanceM(stay.middle, position))
  return hasCrept ? departure : undefined
}

/** How far two fixes of a standing car may be apart: no farther than they scatter, nor than somebody walks in the time between them. */
function reachM(sinceMs: number): number {
  return Math.max(STAY_RADIUS_M, Math.min(STANDING_RADIUS_M, (MOTION_KMH / 3600) * sinceMs))
}

/** Parked dongles report more rarely: fixes this many intervals apart may still be the last metres of a drive. */
const CREEPING_INTERVALS = 4.5

/** Whether the car stood at a fix: the dongle was then as silent as while parked, or the next fix is too near for a drive. */
function hasParkedAt(before: FixBefore, sinceMs: number, metres: number, cadenceMs: number | undefined): boolean {
  if (isSeldom(sinceMs, cadenceMs)) return !before.isBusy
  const isSlow = metres / sinceMs <= MOTION_KMH / 3600
  const unusualMs = cadenceMs === undefined ? WALKED_MS : MISSED_INTERVALS * cadenceMs + SAME_MOMENT_MS
  return isSlow && !before.isDriving && sinceMs > unusualMs
}

/** What happened in a long silence is unknown, except for a car that left a garage: its way from where it stood. */
function startAfterSilence(stay: Stay, position: Position, timeMs: number, cadenceMs: number | undefined): undefined {
  const { inside, insideMs } = stay
  const leadM = distanceM(inside, position)
  moveTo(stay, position, timeMs, timeMs)
  if (leadM > nearM(cadenceMs)) return
  stay.leftFrom = inside
  // It may also have stood here already: halfway is off by the least.
  stay.leftMs = Math.round((departureMs(leadM, insideMs, timeMs, cadenceMs) + timeMs) / 2)
}

/**
 * Whether the receiver repeated its fix to the last digit while the car drove on: from where it stood no car would have come so far in
 * the time since the last repetition.
 */
function wasFrozen(stay: Stay, { position, firstMs, lastMs }: FixBefore, next: Position, timeMs: number): boolean {
  if (lastMs === firstMs || firstMs > stay.sinceMs || stay.insideMs !== lastMs) return false
  return distanceM(position, next) >= TURNED_BACK_M_PER_MS * (timeMs - lastMs)
}

/** @param offM how far the position is from the middle, where a single fix inside is */
function distanceFromInsideM({ middle, inside }: Stay, position: Position, offM: number): number {
  return inside === middle ? offM : distanceM(inside, position)
}

/**
 * Whether a car drove straight out of a well-known place. The last fix inside may already lie at its edge, so that less than
 * 100 m remain from there to where the drive ended.
 * @param metres from the last fix inside to the position, which is `offM` from the middle
 */
function isSteady(
  { count, middle, insideMs }: Stay,
  outside: Position,
  metres: number,
  offM: number,
  position: Position,
  timeMs: number,
): boolean {
  const mPerMs = metres / (timeMs - insideMs)
  if (count < SCATTER_COUNT || metres < STAY_RADIUS_M) return false
  if (mPerMs <= MOTION_KMH / 3600 || mPerMs > FASTEST_M_PER_MS) return false
  return distanceM(middle, outside) + distanceM(outside, position) <= STRAIGHT * offM
}

/** Scattered fixes go to and fro: two of them hardly lie on one line from the middle. */
const STRAIGHT = 1.1

/** A car that needs at least this long for a hundred metres does not drive. */
const WALKED_MS = (MOTION_DISPLACEMENT_M / MOTION_KMH) * 3600

/** How far a car gets from standstill: with 3 m/s², 1.5 m times the square of the seconds. */
function isWithinReach({ inside, insideMs, sinceMs }: Stay, position: Position, timeMs: number): boolean {
  if (insideMs === sinceMs) return true
  const durationS = (timeMs - insideMs) / 1000
  return distanceM(inside, position) <= FIX_ERROR_M + 1.5 * durationS * durationS
}
