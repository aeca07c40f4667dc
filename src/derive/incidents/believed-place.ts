import { distanceM } from '../../model/earth.ts'
import type { Position } from '../../model/sample.ts'
import { isUsable } from '../trips/matched-place.ts'
import {
  AGREEING_FIXES,
  DATA_GAP_MS,
  EXCURSION_MS,
  FASTEST_M_PER_MS,
  FIX_ERROR_M,
  LIKELY_M_PER_MS,
  STAY_RADIUS_M,
  UNSEEN_WAY_M,
  UNSURE_DISPLACEMENT_M,
} from '../trips/rules.ts'

/** Fixes of another place that agree with each other, but not with the believed place. */
type RivalFixes = {
  readonly lon: number
  readonly lat: number
  readonly firstMs: number
  readonly lastMs: number
  /** Different fixes. */
  readonly count: number
}

/** The last fix believed. */
export type BelievedPlace = {
  readonly lon: number
  readonly lat: number
  readonly timeMs: number
  /** Different fixes in a row that agree, up to the number that makes it sure. */
  readonly count: number
  /** The car is parked there, whatever single fixes say. */
  readonly isParked: boolean
  readonly rival: RivalFixes | null
}

/** What is known of a car besides its fixes: it drives; it may, so that a fix elsewhere is no longer alone; the same of
 * one that stands; it is parked with this fix; or nothing but fixes could say that it is elsewhere. */
export type Stand = 'drives' | 'stirs' | 'woken' | 'parks' | 'parked'

/** So near to where it is parked, fixes are noise: less where somebody may be about to drive off. */
const NOISE_M: Readonly<Record<Stand, number>> = {
  drives: 0,
  stirs: STAY_RADIUS_M,
  woken: UNSURE_DISPLACEMENT_M,
  parks: 0,
  parked: UNSURE_DISPLACEMENT_M,
}

/** The place after a fix. One out of reach is believed once others agree: a few where the place was hardly known, else
 * ten minutes of them (a receiver led astray agrees with itself). So is one away from where the car is parked, or
 * when a few get farther away than fixes wander. Null as long as none was believed. */
export function placeAfter(
  before: BelievedPlace | null,
  fix: Position,
  timeMs: number,
  stand: Stand,
): BelievedPlace | null {
  const { lon, lat } = fix
  if (!isUsable(fix, before ?? undefined)) return before
  if (!before) return { lon, lat, timeMs, count: 1, isParked: stand === 'parks' || stand === 'parked', rival: null }
  const sinceMs = timeMs - before.timeMs
  const { rival, count } = before
  const movedM = distanceM(before, fix)
  const hasStayed = NOISE_M[stand] > STAY_RADIUS_M && movedM <= STAY_RADIUS_M
  if (before.isParked ? movedM <= NOISE_M[stand] : hasStayed)
    return { ...before, timeMs, count: Math.min(AGREEING_FIXES, count + 1), isParked: true, rival: null }
  const isInReach = movedM <= LIKELY_M_PER_MS * sinceMs + FIX_ERROR_M
  const isAlone = before.isParked && stand === 'parked'
  if (isInReach && !isAlone) {
    // After a while without fixes anything is possible, so the next fixes must be able to say otherwise.
    const isUnsure = sinceMs > DATA_GAP_MS && movedM > UNSEEN_WAY_M
    const isSame = before.lon === lon && before.lat === lat
    const agreeing = Math.min(AGREEING_FIXES, count + (isSame ? 0 : 1))
    return { lon, lat, timeMs, count: isUnsure ? 1 : agreeing, isParked: stand === 'parks', rival: null }
  }
  const rivalM = rival ? distanceM(rival, fix) : 0
  const isThere = rival && rivalM < movedM && rivalM <= FASTEST_M_PER_MS * (timeMs - rival.lastMs) + FIX_ERROR_M
  if (!isThere) return { ...before, rival: { lon, lat, firstMs: timeMs, lastMs: timeMs, count: 1 } }
  const isRepeated = rival.lon === lon && rival.lat === lat
  const after = { lon, lat, firstMs: rival.firstMs, lastMs: timeMs, count: rival.count + (isRepeated ? 0 : 1) }
  const isGone = isInReach && after.count >= AGREEING_FIXES && movedM >= UNSEEN_WAY_M
  const isAgreed = (count < AGREEING_FIXES && after.count > count) || isGone
  if (!isAgreed && timeMs - after.firstMs < EXCURSION_MS) return { ...before, rival: after }
  return { lon, lat, timeMs, count: Math.min(AGREEING_FIXES, after.count), isParked: false, rival: null }
}
