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

/**
 * What the fix of a reading is: 'moved' is the next one of a path, 'repeated' the very one before it, 'jumped' begins a
 * new path elsewhere.
 */
export type Fix = 'none' | 'refused' | 'repeated' | 'moved' | 'jumped'

function isUsable({ lat, lon }: Position): boolean {
  if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180)) return false
  return Math.abs(lat) > NULL_ISLAND_DEG || Math.abs(lon) > NULL_ISLAND_DEG
}

function isReachable(from: Position, to: Position, durationMs: number, sureM: number): boolean {
  const farthestM = FASTEST_M_PER_MS * durationMs + FIX_ERROR_M + sureM
  return distanceM(from, to) <= farthestM
}

/**
 * What the fix of a reading is. Jumps that no car can make are not believed, until several fixes in a row agree on the
 * new place.
 * @param blindM metres driven since the last fix, by the speed of the car.
 */
export function fixOf(before: Place | undefined, { position, timeMs }: Reading, blindM: number): Fix {
  if (!position || !isUsable(position)) return 'none'
  if (!before) return 'moved'
  if (isSame(before.position, position)) return 'repeated'
  const durationMs = Math.min(timeMs - before.firstMs, timeMs - before.lastMs + REPEATED_FIX_MS)
  if (isReachable(before.position, position, durationMs, 1.2 * blindM)) return 'moved'
  const suspects = suspectsAfter(before.suspects, position, timeMs)
  const isAgreed = suspects.count >= AGREEING_FIXES || suspects.lastMs - suspects.firstMs >= AGREEING_MS
  return isAgreed ? 'jumped' : 'refused'
}

/** Where the dongle is after a reading. @param fix what `fixOf` says of it */
export function placeAfter(before: Place | undefined, { position, timeMs }: Reading, fix: Fix): Place | undefined {
  if (!position || fix === 'none') return before
  if (before && fix === 'repeated')
    return { position: before.position, firstMs: before.firstMs, lastMs: timeMs, suspects: undefined }
  if (before && fix === 'refused') return { ...before, suspects: suspectsAfter(before.suspects, position, timeMs) }
  return { position, firstMs: timeMs, lastMs: timeMs, suspects: undefined }
}

function isSame(a: Position, b: Position): boolean {
  return a.lat === b.lat && a.lon === b.lon
}

function suspectsAfter(before: Suspects | undefined, position: Position, timeMs: number): Suspects {
  if (!before || !isReachable(before.position, position, timeMs - before.lastMs, 0))
    return { position, firstMs: timeMs, lastMs: timeMs, count: 1 }
  const isRepeated = isSame(before.position, position)
  return { position, firstMs: before.firstMs, lastMs: timeMs, count: before.count + (isRepeated ? 0 : 1) }
}
