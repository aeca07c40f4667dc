import { distanceM } from '../../model/earth.ts'
import type { Position } from '../../model/sample.ts'
import {
  AGREEING_FIXES,
  DATA_GAP_MS,
  EXCURSION_MS,
  FASTEST_M_PER_MS,
  FIX_ERROR_M,
  LIKELY_M_PER_MS,
  NULL_ISLAND_DEG,
  UNSEEN_WAY_M,
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
  readonly rival: RivalFixes | null
}

/** The place after a fix. One out of reach is believed once others agree: a few where the place was hardly known, else
 * ten minutes of them (a receiver led astray agrees with itself). Null as long as none was believed. */
export function placeAfter(before: BelievedPlace | null, fix: Position, timeMs: number): BelievedPlace | null {
  const { lon, lat } = fix
  if (!isUsable(before, lon, lat)) return before
  if (!before) return { lon, lat, timeMs, count: 1, rival: null }
  const sinceMs = timeMs - before.timeMs
  const { rival, count } = before
  const movedM = distanceM(before, fix)
  if (movedM <= LIKELY_M_PER_MS * sinceMs + FIX_ERROR_M) {
    // After a while without fixes anything is possible, so the next fixes must be able to say otherwise.
    const isUnsure = sinceMs > DATA_GAP_MS && movedM > UNSEEN_WAY_M
    const isSame = before.lon === lon && before.lat === lat
    return { lon, lat, timeMs, count: isUnsure ? 1 : Math.min(AGREEING_FIXES, count + (isSame ? 0 : 1)), rival: null }
  }
  const isThere = rival && distanceM(rival, fix) <= FASTEST_M_PER_MS * (timeMs - rival.lastMs) + FIX_ERROR_M
  if (!isThere) return { ...before, rival: { lon, lat, firstMs: timeMs, lastMs: timeMs, count: 1 } }
  const isSame = rival.lon === lon && rival.lat === lat
  const after = { lon, lat, firstMs: rival.firstMs, lastMs: timeMs, count: rival.count + (isSame ? 0 : 1) }
  const isAgreed = count < AGREEING_FIXES && after.count > count
  if (!isAgreed && timeMs - after.firstMs < EXCURSION_MS) return { ...before, rival: after }
  return { lon, lat, timeMs, count: Math.min(AGREEING_FIXES, after.count), rival: null }
}

/** Receivers say 0 for one coordinate or both before they know. */
function isUsable(before: BelievedPlace | null, lon: number, lat: number): boolean {
  if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180)) return false
  if (Math.abs(lat) <= NULL_ISLAND_DEG && Math.abs(lon) <= NULL_ISLAND_DEG) return false
  if (lat === 0) return before !== null && Math.abs(before.lat) <= NEAR_ZERO_DEG
  if (lon === 0) return before !== null && Math.abs(before.lon) <= NEAR_ZERO_DEG
  return true
}

const NEAR_ZERO_DEG = 0.05
