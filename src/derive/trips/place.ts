import type { Position } from '../../intake/sample.ts'
import { distanceM } from './earth.ts'
import type { Reading } from './reading.ts'
import {
  AGREEING_FIXES,
  AGREEING_MS,
  FASTEST_M_PER_MS,
  FIX_ERROR_M,
  NULL_ISLAND_DEG,
  REPEATED_FIX_MS,
} from './rules.ts'

/** Fixes in a row that agree with each other but not with the place known. */
export interface Suspects {
  readonly position: Position
  readonly firstMs: number
  readonly lastMs: number
  /** Different ones. */
  readonly count: number
}

/** Where the dongle is: the last fix believed. */
export interface Place {
  readonly position: Position
  /** When the receiver first and last reported exactly this fix. */
  readonly firstMs: number
  readonly lastMs: number
  readonly suspects: Suspects | undefined
}

/** What became of the fix of a reading: 'moved' is the next one of a path, 'jumped' begins a new one elsewhere. */
export type Fix = 'none' | 'refused' | 'moved' | 'jumped'

function isUsable(lat: number, lon: number): boolean {
  if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180)) return false
  return Math.abs(lat) > NULL_ISLAND_DEG || Math.abs(lon) > NULL_ISLAND_DEG
}

function isReachable(from: Position, to: Position, durationMs: number, sureM: number): boolean {
  const farthestM = FASTEST_M_PER_MS * durationMs + FIX_ERROR_M + sureM
  return distanceM(from, to) <= farthestM
}

/**
 * Where the dongle is after a reading. Jumps that no car can make are not believed, until several fixes in a row agree
 * on the new place.
 * @param blindM metres driven since the last fix, by the speed of the car.
 */
export function placeAfter(
  before: Place | undefined,
  reading: Reading,
  blindM: number,
): { readonly place: Place | undefined; readonly fix: Fix } {
  const { lat, lon, timeMs } = reading
  if (lat === undefined || lon === undefined || !isUsable(lat, lon)) return { place: before, fix: 'none' }
  const position = { lon, lat }
  const fresh: Place = { position, firstMs: timeMs, lastMs: timeMs, suspects: undefined }
  if (!before) return { place: fresh, fix: 'moved' }
  if (before.position.lat === lat && before.position.lon === lon)
    return {
      place: { position: before.position, firstMs: before.firstMs, lastMs: timeMs, suspects: undefined },
      fix: 'moved',
    }
  const durationMs = Math.min(timeMs - before.firstMs, timeMs - before.lastMs + REPEATED_FIX_MS)
  if (isReachable(before.position, position, durationMs, 1.2 * blindM)) return { place: fresh, fix: 'moved' }
  const suspects = suspectsAfter(before.suspects, position, timeMs)
  const isAgreed = suspects.count >= AGREEING_FIXES || suspects.lastMs - suspects.firstMs >= AGREEING_MS
  return isAgreed ? { place: fresh, fix: 'jumped' } : { place: { ...before, suspects }, fix: 'refused' }
}

function suspectsAfter(before: Suspects | undefined, position: Position, timeMs: number): Suspects {
  if (!before || !isReachable(before.position, position, timeMs - before.lastMs, 0))
    return { position, firstMs: timeMs, lastMs: timeMs, count: 1 }
  const isRepeated = before.position.lat === position.lat && before.position.lon === position.lon
  return { position, firstMs: before.firstMs, lastMs: timeMs, count: before.count + (isRepeated ? 0 : 1) }
}
