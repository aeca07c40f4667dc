import type { Position } from '../../intake/sample.ts'
import { distanceM, eastwardDegrees } from './earth.ts'
import {
  FASTEST_M_PER_MS,
  LEAD_M,
  MOTION_DISPLACEMENT_M,
  MOTION_KMH,
  SAME_MOMENT_MS,
  STAY_RADIUS_M,
  TOWN_M_PER_MS,
  UNMOVED_MS,
} from './rules.ts'

/**
 * The place around which the last fixes lie. A car that drives has another one every hundred metres. Changed in place by
 * each fix.
 */
export interface Stay {
  /** The middle of the fixes within the radius: one fix alone may be off to the side. */
  middle: Position
  count: number
  /** The first fix there, and when the car came, as far as fixes tell. */
  sinceMs: number
  arrivedMs: number
  /** The last fix there. */
  inside: Position
  insideMs: number
  /** The first fix outside since; undefined while the last fix is inside. */
  outside: Position | undefined
  outsideMs: number
}

/** The car drove on: fixes 100 m apart, faster than 5 km/h. */
export interface Departure {
  /** Where it stood before, and the fix from which it is known that it drove. */
  readonly from: Position
  readonly fromMs: number
  readonly departedMs: number
}

/** More do not make the middle better, and a slow drift is followed. */
const MOST_FIXES = 20
/** How much longer a way in town is than its straight line. */
const TOWN_DETOUR = 1.2

export function stayFrom(position: Position, timeMs: number, arrivedMs = timeMs): Stay {
  return {
    middle: position,
    count: 1,
    sinceMs: timeMs,
    arrivedMs,
    inside: position,
    insideMs: timeMs,
    outside: undefined,
    outsideMs: 0,
  }
}

/** Whether fixes say that the car stands: they have been here for a minute, and the last one is fresh. */
export function isUnmoved({ sinceMs, insideMs, outside }: Stay, timeMs: number): boolean {
  return !outside && insideMs - sinceMs >= UNMOVED_MS && timeMs - insideMs <= UNMOVED_MS
}

/**
 * Goes on to the next fix that is believed.
 * @param before the fix before it, and when it was last reported
 * @returns how the car left, when this fix shows that it did
 */
export function goOnFrom(
  stay: Stay,
  position: Position,
  timeMs: number,
  before: { readonly position: Position; readonly lastMs: number },
): Departure | undefined {
  if (distanceM(stay.middle, position) <= STAY_RADIUS_M) {
    remain(stay, position, timeMs)
    return undefined
  }
  if (!stay.outside) {
    stay.outside = position
    stay.outsideMs = timeMs
  }
  const { inside, insideMs, outside, outsideMs } = stay
  const isDirect = isDrive(inside, insideMs, position, timeMs)
  if (isDirect || isDrive(outside, outsideMs, position, timeMs)) {
    const leadM = distanceM(inside, outside)
    Object.assign(stay, stayFrom(position, timeMs, arrivalMs(before, position, timeMs)))
    return {
      from: isDirect || leadM <= LEAD_M ? inside : outside,
      fromMs: isDirect ? insideMs : outsideMs,
      departedMs: departureMs(leadM, insideMs, outsideMs),
    }
  }
  // Too slow for a drive: it stands somewhere else now, or the fixes wander.
  if (timeMs - outsideMs >= UNMOVED_MS && distanceM(outside, position) <= STAY_RADIUS_M) {
    Object.assign(stay, stayFrom(outside, outsideMs))
    remain(stay, position, timeMs)
  }
  return undefined
}

function remain(stay: Stay, position: Position, timeMs: number): void {
  stay.count = Math.min(stay.count + 1, MOST_FIXES)
  const { middle } = stay
  stay.middle = {
    lon: middle.lon + eastwardDegrees(middle.lon, position.lon) / stay.count,
    lat: middle.lat + (position.lat - middle.lat) / stay.count,
  }
  stay.inside = position
  stay.insideMs = timeMs
  stay.outside = undefined
}

/** decisions.md: 100 m and more, faster than 5 km/h, not faster than 250. */
function isDrive(from: Position, fromMs: number, to: Position, toMs: number): boolean {
  const metres = distanceM(from, to)
  const mPerMs = metres / (toMs - fromMs)
  return metres >= MOTION_DISPLACEMENT_M && mPerMs > MOTION_KMH / 3600 && mPerMs <= FASTEST_M_PER_MS
}

/** When the car left so that it was that far at its first fix outside. */
export function departureMs(leadM: number, insideMs: number, outsideMs: number): number {
  const leadMs = (leadM * TOWN_DETOUR) / TOWN_M_PER_MS
  if (leadMs <= SAME_MOMENT_MS || outsideMs - insideMs <= SAME_MOMENT_MS) return outsideMs
  return Math.max(insideMs, Math.round(outsideMs - leadMs))
}

/** When the car came to where it is found, from the fix before. */
function arrivalMs(
  before: { readonly position: Position; readonly lastMs: number },
  position: Position,
  timeMs: number,
): number {
  if (timeMs - before.lastMs <= SAME_MOMENT_MS) return timeMs
  const wayMs = (distanceM(before.position, position) * TOWN_DETOUR) / TOWN_M_PER_MS
  return Math.min(timeMs, Math.round(before.lastMs + wayMs))
}
