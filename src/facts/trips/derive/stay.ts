import type { Position } from '../../../model/sample.ts'
import { isSeldom } from './cadence.ts'
import { distanceM, eastwardDegrees } from './earth.ts'
import {
  FASTEST_M_PER_MS,
  FIX_ERROR_M,
  LEAD_M,
  LONGEST_SILENCE_MS,
  MOTION_DISPLACEMENT_M,
  MOTION_KMH,
  SAME_MOMENT_MS,
  STANDSTILL_READING_MS,
  STAY_RADIUS_M,
  TOWN_M_PER_MS,
  UNMOVED_MS,
  UNSURE_DISPLACEMENT_M,
} from './rules.ts'

/**
 * The place around which the last fixes lie. A car that drives has another one every hundred metres. Changed in place by
 * each fix.
 */
export interface Stay {
  /** The middle of the fixes within the radius, for one fix alone may be off to the side; how many, and how far they scatter. */
  middle: Position
  count: number
  scatterM: number
  /** The first fix there, and when the car came, as far as fixes tell. */
  sinceMs: number
  arrivedMs: number
  /** The last fix there. */
  inside: Position
  insideMs: number
  /** The first fix outside since; undefined while the last fix is inside. */
  outside: Position | undefined
  outsideMs: number
  /**
   * The fix outside around which the last ones lie: the next place to stay, if they go on to. When it was, when the fix before
   * it was (0: the dongle reported as it does while parked, so the car had stood for nobody knows how long), and when the car
   * came there.
   */
  next: Position | undefined
  nextMs: number
  nextBeforeMs: number
  nextArrivedMs: number
  /** Where it crept here from, and when; undefined when it came in another way. */
  leftFrom: Position | undefined
  leftMs: number
}

/** The car left its place. */
export interface Departure {
  /** It drove: fixes 100 m apart, faster than 5 km/h. Else it crept on a little, as in a queue or into a parking space. */
  readonly isDrive: boolean
  /** Where it stood before, and the fix from which its motion is known. */
  readonly from: Position
  readonly fromMs: number
  readonly departedMs: number
  /** The middle of the place that it left. */
  readonly middle: Position
}

/** More do not make the middle better, and a slow drift is followed. */
const MOST_FIXES = 20
/** How much longer a way in town is than its straight line. */
const TOWN_DETOUR = 1.2

export function stayFrom(position: Position, timeMs: number, arrivedMs = timeMs): Stay {
  return {
    middle: position,
    count: 1,
    scatterM: 0,
    sinceMs: timeMs,
    arrivedMs,
    inside: position,
    insideMs: timeMs,
    outside: undefined,
    outsideMs: 0,
    next: undefined,
    nextMs: 0,
    nextBeforeMs: 0,
    nextArrivedMs: 0,
    leftFrom: undefined,
    leftMs: 0,
  }
}

/** Whether fixes say that the car stands: they have been here for a minute, and the last one is fresh. */
export function isUnmoved({ sinceMs, insideMs, outside }: Stay, timeMs: number): boolean {
  return !outside && insideMs - sinceMs >= UNMOVED_MS && timeMs - insideMs <= UNMOVED_MS
}

/** Parked dongles report more rarely: what lies so far apart may still be the last metres of a drive. */
const CREEPING_INTERVALS = 4.5
/** So far from its middle the next fixes may lie though the car did not move. */
function scatteredM({ count, scatterM }: Stay): number {
  if (count < SCATTER_COUNT) return STANDING_RADIUS_M
  return Math.max(STAY_RADIUS_M, Math.min(STANDING_RADIUS_M, LEAST_RADIUS_M + 2 * scatterM))
}

/** Whether fixes show for certain that the car has stood there. */
export function isParked({ count, outside }: Stay): boolean {
  return count >= SCATTER_COUNT && outside === undefined
}

/** With fewer fixes their scatter is unknown. */
const SCATTER_COUNT = 4
const LEAST_RADIUS_M = 25

/** While the car says that it stands, fixes this near are of that place: each may be off by a street's width. */
const STANDING_RADIUS_M = 80

/** Fixes of a receiver that hardly scatters show sooner that the car left. */
function radiusM({ count, scatterM }: Stay): number {
  return count < SCATTER_COUNT ? STAY_RADIUS_M : Math.min(STAY_RADIUS_M, LEAST_RADIUS_M + 2 * scatterM)
}

/** The fix before another one. */
export interface FixBefore {
  readonly position: Position
  /** When it was last reported. */
  readonly lastMs: number
  /** The car drove then, for all that is known. */
  readonly isDriving: boolean
  /** The dongle reported as often then as it does while the car drives. */
  readonly isBusy: boolean
}

/**
 * Goes on to the next fix that is believed.
 * @param saysStanding the car or the receiver tells with this fix that it stands
 * @param cadenceMs how often the dongle usually reports while the car drives
 * @returns how the car left, when this fix shows that it did
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
  if (offM <= (saysStanding ? STANDING_RADIUS_M : radiusM(stay))) {
    remain(stay, position, timeMs, offM)
    return undefined
  }
  if (timeMs - before.lastMs > LONGEST_SILENCE_MS) return beginAnew(stay, position, timeMs, cadenceMs)
  const hasJustLeft = stay.outside === undefined
  const sinceBeforeMs = timeMs - before.lastMs
  const isElsewhere = !stay.next || distanceM(stay.next, position) > STAY_RADIUS_M
  if (
    stay.outside &&
    isElsewhere &&
    hasParkedAt(before, sinceBeforeMs, distanceM(before.position, position), cadenceMs)
  ) {
    // What was outside is only how far the fixes of the parked car scatter.
    stay.inside = before.position
    stay.insideMs = before.lastMs
    stay.outside = undefined
  }
  if (!stay.outside) {
    stay.outside = position
    stay.outsideMs = timeMs
  }
  const { inside, insideMs, outside, outsideMs } = stay
  // Jitter leads from one side of the place to the other, but not away from it.
  const isAway = offM >= provenAtM(stay)
  const isOnward = isAway && isDrive(outside, outsideMs, position, timeMs)
  const isOutward = isAway && !hasJustLeft && isSteady(stay, outside, position, offM, timeMs)
  const isDirect = isAway && isDrive(inside, insideMs, position, timeMs) && isWithinReach(stay, outside, outsideMs)
  if (isDirect || isOnward || isOutward) {
    const departure = departureOf(stay, outside, isDirect || isOutward, isOnward, cadenceMs)
    moveTo(stay, position, timeMs, before.isDriving || before.isBusy ? arrivalMs(before, position, timeMs) : timeMs)
    return departure
  }
  if (!stay.next || isElsewhere) {
    if (stay.next && timeMs - outsideMs > WALKED_MS) {
      // Drift, or a few metres, led out of the place minutes ago: whether it drives now, later fixes tell.
      stay.outside = stay.next
      stay.outsideMs = stay.nextMs
    }
    stay.next = position
    stay.nextMs = timeMs
    stay.nextBeforeMs = !before.isBusy && isSeldom(sinceBeforeMs, cadenceMs) ? 0 : before.lastMs
    // It is unknown for how much longer it had stayed where it was before.
    const stoodBefore = hasJustLeft && insideMs > stay.sinceMs && !before.isDriving
    stay.nextArrivedMs = stoodBefore ? timeMs : arrivalMs(before, position, timeMs)
    return undefined
  }
  if (timeMs - stay.nextMs < UNMOVED_MS) return undefined
  // Too slow for a drive: it stands a little farther on now, or the fixes wander.
  const isFar = distanceM(stay.middle, stay.next) > scatteredM(stay)
  const hasPassed = insideMs - stay.sinceMs < UNMOVED_MS
  const intervalMs = stay.nextMs - stay.nextBeforeMs
  const hasCrept = isSeldom(intervalMs, cadenceMs)
    ? isFar && intervalMs <= Math.max(STANDSTILL_READING_MS, CREEPING_INTERVALS * (cadenceMs ?? 0))
    : isFar || hasPassed
  // What is no farther is the same place, however its fixes scatter.
  const departure = { ...departureOf(stay, outside, true, false, cadenceMs), isDrive: false }
  moveTo(stay, stay.next, stay.nextMs, isFar || hasCrept ? stay.nextArrivedMs : stay.arrivedMs)
  rememberLeaving(stay, departure)
  remain(stay, position, timeMs, distanceM(stay.middle, position))
  return hasCrept ? departure : undefined
}

/** Whether the car stood at a fix: the dongle was silent after it as it is while parked, or the next one is too near for a drive. */
function hasParkedAt(before: FixBefore, sinceMs: number, metres: number, cadenceMs: number | undefined): boolean {
  if (isSeldom(sinceMs, cadenceMs)) return !before.isBusy
  const isSlow = metres / sinceMs <= MOTION_KMH / 3600
  return (
    isSlow && !before.isDriving && cadenceMs !== undefined && sinceMs > MISSED_INTERVALS * cadenceMs + SAME_MOMENT_MS
  )
}

/** After so many intervals one report at least is missing. */
const MISSED_INTERVALS = 1.5

/** What a long silence hides is not known; but out of a garage, the way from where it stood is. */
function beginAnew(stay: Stay, position: Position, timeMs: number, cadenceMs: number | undefined): undefined {
  const { inside, insideMs } = stay
  const leadM = distanceM(inside, position)
  moveTo(stay, position, timeMs, timeMs)
  if (leadM > nearM(cadenceMs)) return
  stay.leftFrom = inside
  stay.leftMs = departureMs(leadM, insideMs, timeMs, cadenceMs)
}

/** From so far away it may have come since it stood, without having been seen. */
function nearM(cadenceMs: number | undefined): number {
  return Math.max(LEAD_M, (cadenceMs ?? 0) * 2 * TOWN_M_PER_MS)
}

function moveTo(stay: Stay, position: Position, timeMs: number, arrivedMs: number): void {
  stay.middle = position
  stay.count = 1
  stay.scatterM = 0
  stay.sinceMs = timeMs
  stay.arrivedMs = arrivedMs
  stay.inside = position
  stay.insideMs = timeMs
  comeInside(stay)
  stay.leftFrom = undefined
  stay.leftMs = 0
}

function comeInside(stay: Stay): void {
  stay.outside = undefined
  stay.outsideMs = 0
  stay.next = undefined
  stay.nextMs = 0
  stay.nextBeforeMs = 0
  stay.nextArrivedMs = 0
}

/** Where the car came from, in case it was only on its way: it may drive on from here at once. */
export function rememberLeaving(stay: Stay, { from, departedMs }: Departure): void {
  stay.leftFrom = from
  stay.leftMs = departedMs
}

/** How far from its middle a fix must lie so that the car surely left. */
export function provenAtM({ count, scatterM }: Stay): number {
  if (count < SCATTER_COUNT) return UNSURE_DISPLACEMENT_M
  return Math.max(MOTION_DISPLACEMENT_M, Math.min(UNSURE_DISPLACEMENT_M, LEAST_RADIUS_M + SCATTER_SHARE * scatterM))
}

/** The middle may be as far from the place as fixes scatter on average, and each fix several times as far. */
const SCATTER_SHARE = 5

/** When and from where a car left that is outside of its place, though nothing proves yet that it drives. */
export function outsetOf(stay: Stay, cadenceMs: number | undefined): Departure | undefined {
  const { outside, leftFrom, leftMs, arrivedMs } = stay
  if (outside) return departureOf(stay, outside, false, true, cadenceMs)
  return leftFrom && { isDrive: true, fromMs: arrivedMs, from: leftFrom, departedMs: leftMs, middle: leftFrom }
}

/**
 * @param isDirect the way from inside shows that it drove
 * @param isOnward the way from the first fix outside does
 */
function departureOf(
  stay: Stay,
  outside: Position,
  isDirect: boolean,
  isOnward: boolean,
  cadenceMs: number | undefined,
): Departure {
  const { inside, insideMs, outsideMs } = stay
  const leadM = distanceM(inside, outside)
  // A single fix does not show that the car was parked there: a phone wakes up when it moves.
  const hasStood = insideMs > stay.sinceMs
  const ownMs = hasStood || !isDirect ? departureMs(leadM, insideMs, outsideMs, cadenceMs) : insideMs
  const fromMs = isOnward ? outsideMs : insideMs
  const { leftFrom, leftMs, arrivedMs, middle } = stay
  // It had left before, and waited at a light.
  const lightMs = hasStood ? STANDSTILL_READING_MS : Math.max(STANDSTILL_READING_MS, cadenceMs ?? 0)
  if (leftFrom && ownMs - arrivedMs <= lightMs)
    return { isDrive: true, fromMs, from: leftFrom, departedMs: leftMs, middle: leftFrom }
  const isNear = leadM <= nearM(cadenceMs)
  return { isDrive: true, fromMs, from: isDirect || isNear ? inside : outside, departedMs: ownMs, middle }
}

function remain(stay: Stay, position: Position, timeMs: number, offM: number): void {
  stay.count = Math.min(stay.count + 1, MOST_FIXES)
  stay.scatterM += (offM - stay.scatterM) / stay.count
  const { middle } = stay
  stay.middle = {
    lon: middle.lon + eastwardDegrees(middle.lon, position.lon) / stay.count,
    lat: middle.lat + (position.lat - middle.lat) / stay.count,
  }
  stay.inside = position
  stay.insideMs = timeMs
  comeInside(stay)
}

/**
 * Whether a car drove straight out of a place that is known well: the last fix inside may lie at its edge already, so that less than
 * 100 m are left between that and where it came to its end.
 */
function isSteady(
  { count, middle, inside, insideMs }: Stay,
  outside: Position,
  position: Position,
  offM: number,
  timeMs: number,
): boolean {
  const metres = distanceM(inside, position)
  const mPerMs = metres / (timeMs - insideMs)
  if (count < SCATTER_COUNT || metres < STAY_RADIUS_M) return false
  if (mPerMs <= MOTION_KMH / 3600 || mPerMs > FASTEST_M_PER_MS) return false
  return distanceM(middle, outside) + distanceM(outside, position) <= STRAIGHT * offM
}

/** The fixes of a receiver that scatters lead to and fro: two of them hardly lie on one line from the middle. */
const STRAIGHT = 1.1

/** A car that needs at least this long for a hundred metres does not drive. */
const WALKED_MS = (MOTION_DISPLACEMENT_M / MOTION_KMH) * 3600

/** From standstill a car gets only so far: at 3 m/s², by half the square of the time. */
function isWithinReach({ inside, insideMs, sinceMs }: Stay, position: Position, timeMs: number): boolean {
  if (insideMs === sinceMs) return true
  const durationS = (timeMs - insideMs) / 1000
  return distanceM(inside, position) <= FIX_ERROR_M + 1.5 * durationS * durationS
}

/** decisions.md: 100 m and more, faster than 5 km/h, not faster than 250. */
function isDrive(from: Position, fromMs: number, to: Position, toMs: number): boolean {
  const metres = distanceM(from, to)
  const mPerMs = metres / (toMs - fromMs)
  return metres >= MOTION_DISPLACEMENT_M && mPerMs > MOTION_KMH / 3600 && mPerMs <= FASTEST_M_PER_MS
}

/**
 * When the car left so that it was that far when it was first seen elsewhere: not long before, if the dongle usually reports
 * more often.
 */
export function departureMs(leadM: number, insideMs: number, outsideMs: number, cadenceMs: number | undefined): number {
  const leadMs = Math.min((leadM * TOWN_DETOUR) / TOWN_M_PER_MS, cadenceMs ?? Number.POSITIVE_INFINITY)
  if (leadMs <= SAME_MOMENT_MS || outsideMs - insideMs <= SAME_MOMENT_MS) return outsideMs
  return Math.max(insideMs, Math.round(outsideMs - leadMs))
}

/** When the car came to where it is found, from the fix before. */
export function arrivalMs(
  before: { readonly position: Position; readonly lastMs: number },
  position: Position,
  timeMs: number,
): number {
  if (timeMs - before.lastMs <= SAME_MOMENT_MS) return timeMs
  const wayMs = (distanceM(before.position, position) * TOWN_DETOUR) / TOWN_M_PER_MS
  return Math.min(timeMs, Math.round(before.lastMs + wayMs))
}
