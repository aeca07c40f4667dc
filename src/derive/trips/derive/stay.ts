import { distanceM, eastwardDegrees } from '../../../model/earth.ts'
import type { Position } from '../../../model/sample.ts'
import { MOTION_DISPLACEMENT_M, STAY_RADIUS_M, UNMOVED_MS, UNSURE_DISPLACEMENT_M } from './rules.ts'

/**
 * The place around which the last fixes lie. A driving car has a new one every hundred metres. Changed in place by each
 * fix.
 */
export interface Stay {
  /** The mean of the fixes within the radius, because a single fix may be off to the side; their number and their scatter. */
  middle: Position
  count: number
  scatterM: number
  /** When the first fix there was, and when the car arrived, as far as fixes show. */
  sinceMs: number
  arrivedMs: number
  /** The last fix there. */
  inside: Position
  insideMs: number
  /** The first fix outside since; undefined while the last fix is inside. */
  outside: Position | undefined
  outsideMs: number
  /**
   * The fix outside around which the last ones lie: the next stay, if more follow. When it was, when the fix before it was
   * (0: the dongle reported as it does while parked, and no trip was on, so it is unknown for how long the car had stood), and when the car
   * arrived there.
   */
  next: Position | undefined
  nextMs: number
  nextBeforeMs: number
  nextArrivedMs: number
  /** From where it crept here, and when; undefined if it came in another way. */
  leftFrom: Position | undefined
  leftMs: number
}

/** More would not make the mean better, and with this few it follows a slow drift. */
const MOST_FIXES = 20

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

/** Whether fixes show that the car stands: they have been here for a minute, and the last one is recent. */
export function isUnmoved({ sinceMs, insideMs, outside }: Stay, timeMs: number): boolean {
  return !outside && insideMs - sinceMs >= UNMOVED_MS && timeMs - insideMs <= UNMOVED_MS
}

/** How far from the middle the next fixes may lie although the car did not move. */
export function scatteredM({ count, scatterM }: Stay): number {
  if (count < SCATTER_COUNT) return STANDING_RADIUS_M
  return Math.max(STAY_RADIUS_M, Math.min(STANDING_RADIUS_M, LEAST_RADIUS_M + 2 * scatterM))
}

/** Whether fixes show for certain that the car has stood there. */
export function isParked({ count, outside }: Stay): boolean {
  return count >= SCATTER_COUNT && outside === undefined
}

/** With fewer fixes their scatter is unknown. */
export const SCATTER_COUNT = 4

const LEAST_RADIUS_M = 25

/** While the car reports that it stands, fixes this near belong to the place: each may be off by the width of a street. */
export const STANDING_RADIUS_M = 80

/** With a receiver whose fixes hardly scatter, a smaller distance shows that the car left. */
export function radiusM({ count, scatterM }: Stay): number {
  return count < SCATTER_COUNT ? STAY_RADIUS_M : Math.min(STAY_RADIUS_M, LEAST_RADIUS_M + 2 * scatterM)
}

/** The stay is another one from then on, with a single fix. */
export function moveTo(stay: Stay, position: Position, timeMs: number, arrivedMs: number): void {
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

/** No fix is outside any more. */
function comeInside(stay: Stay): void {
  stay.outside = undefined
  stay.outsideMs = 0
  stay.next = undefined
  stay.nextMs = 0
  stay.nextBeforeMs = 0
  stay.nextArrivedMs = 0
}

/** How far from the middle a fix must lie to prove that the car left. */
export function provenAtM({ count, scatterM }: Stay): number {
  if (count < SCATTER_COUNT) return UNSURE_DISPLACEMENT_M
  return Math.max(MOTION_DISPLACEMENT_M, Math.min(UNSURE_DISPLACEMENT_M, LEAST_RADIUS_M + SCATTER_SHARE * scatterM))
}

/** The mean may be as far off as fixes scatter on average, and a single fix several times as far. */
const SCATTER_SHARE = 5

/** One more fix inside. @param offM its distance from the middle */
export function remain(stay: Stay, position: Position, timeMs: number, offM: number): void {
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

/** Fixes that were outside and came back without a drive scatter: a receiver that was exact before may not be any more. */
export function learnFromReturn(stay: Stay): void {
  const { middle, outside, next } = stay
  if (!outside) return
  const outM = Math.max(distanceM(middle, outside), next ? distanceM(middle, next) : 0)
  if (outM > stay.scatterM) stay.scatterM += (Math.min(outM, UNSURE_DISPLACEMENT_M) - stay.scatterM) / SCATTER_COUNT
}
