import { isFartherThan } from '../../../model/earth.ts'
import type { Position } from '../../../model/sample.ts'
import {
  AGREEING_FIXES,
  DATA_GAP_MS,
  EXCURSION_MS,
  FASTEST_M_PER_MS,
  FIX_ERROR_M,
  LIKELY_M_PER_MS,
  NULL_ISLAND_DEG,
  UNSEEN_WAY_M,
} from '../../trips/derive/rules.ts'

/** Fixes of another place that agree with each other, but not with the place believed. */
type Rival = {
  readonly lon: number
  readonly lat: number
  readonly firstMs: number
  readonly lastMs: number
  /** Different fixes. */
  readonly count: number
}

/** Where the dongle is: the last fix believed. */
export type Place = {
  readonly lon: number
  readonly lat: number
  readonly timeMs: number
  /** Different fixes in a row that agree, up to the number that makes it sure. */
  readonly count: number
  readonly rival: Rival | null
}

/** A place that is written over again and again. */
export class LivePlace implements Place {
  lon = Number.NaN
  lat = Number.NaN
  timeMs = Number.NaN
  count = 0
  rival: Rival | null = null

  /** @returns itself */
  write(lon: number, lat: number, timeMs: number, count: number, rival: Rival | null): this {
    this.lon = lon
    this.lat = lat
    this.timeMs = timeMs
    this.count = count
    this.rival = rival
    return this
  }

  /** @returns itself, with what another one says */
  copy({ lon, lat, timeMs, count, rival }: Place): this {
    return this.write(lon, lat, timeMs, count, rival)
  }
}

/**
 * The place after a fix. A fix to which no car can have driven is not believed, until others have agreed with it: a few where the place
 * before was hardly known, ten minutes of them where it was (a receiver that is led astray agrees with itself). 0/0 and its like never are.
 * Where the fix is not believed, the place is the same, but for a rival.
 * @param into is written over; not the place before
 * @returns this, or null as long as no fix was believed
 */
export function placeAfter(before: Place | null, fix: Position, timeMs: number, into: LivePlace): Place | null {
  const { lon, lat } = fix
  if (!isUsable(before, lon, lat)) return before && into.copy(before)
  if (!before) return into.write(lon, lat, timeMs, 1, null)
  const sinceMs = timeMs - before.timeMs
  const { rival } = before
  if (!isFartherThan(LIKELY_M_PER_MS * sinceMs + FIX_ERROR_M, before, fix)) {
    // After a while without fixes anything is possible, so the next fixes must be able to say otherwise.
    const isUnsure = sinceMs > DATA_GAP_MS && isFartherThan(UNSEEN_WAY_M, before, fix)
    const isSame = before.lon === lon && before.lat === lat
    const count = isUnsure ? 1 : Math.min(AGREEING_FIXES, before.count + (isSame ? 0 : 1))
    return into.write(lon, lat, timeMs, count, null)
  }
  const isThere = rival !== null && !isFartherThan(FASTEST_M_PER_MS * (timeMs - rival.lastMs) + FIX_ERROR_M, rival, fix)
  const { count } = before
  if (!isThere)
    return into.write(before.lon, before.lat, before.timeMs, count, {
      lon,
      lat,
      firstMs: timeMs,
      lastMs: timeMs,
      count: 1,
    })
  const isSame = rival.lon === lon && rival.lat === lat
  const after = { lon, lat, firstMs: rival.firstMs, lastMs: timeMs, count: rival.count + (isSame ? 0 : 1) }
  const isAgreed = count < AGREEING_FIXES && after.count > count
  if (!isAgreed && timeMs - after.firstMs < EXCURSION_MS)
    return into.write(before.lon, before.lat, before.timeMs, count, after)
  return into.write(lon, lat, timeMs, Math.min(AGREEING_FIXES, after.count), null)
}

/** Whether a receiver can mean it: 0 for one coordinate or both is what they say before they know. */
function isUsable(before: Place | null, lon: number, lat: number): boolean {
  if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180)) return false
  if (Math.abs(lat) <= NULL_ISLAND_DEG && Math.abs(lon) <= NULL_ISLAND_DEG) return false
  if (lat === 0) return before !== null && Math.abs(before.lat) <= NEAR_ZERO_DEG
  if (lon === 0) return before !== null && Math.abs(before.lon) <= NEAR_ZERO_DEG
  return true
}

const NEAR_ZERO_DEG = 0.05
