import { ROUTE_PIECE_M, ROUTE_TOLERANCE_M } from './rules.ts'

/**
 * Simplification of a line point by point with constant memory: the sector of directions that pass every point dropped
 * since the last one kept near enough (Williams, "Extraction of straight lines", 1978; Zhao and Saalfeld,
 * "Linear-time sleeve-fitting polyline simplification", 1997). Angles in radians, lengths in metres. Changed in place by
 * each point.
 */
export interface Sector {
  /** Direction of the first point that narrowed it; `low` and `high` are differences from it. */
  middle: number
  low: number
  high: number
  /** Distance of the farthest point since the last kept one. */
  farthestM: number
}

/** By how much a line may turn back on itself: a point dropped beyond the end of a piece is that far off along it. */
const BACKWARDS_M = 1.7
/** Points are rounded to the format's grid of 1e-5 degrees: at most 0.79 m off, at the equator. */
const ROUNDING_M = 0.79
/** Sideways, so that both together stay within the tolerance. */
const SIDEWAYS_M = Math.sqrt((ROUTE_TOLERANCE_M - ROUNDING_M) ** 2 - BACKWARDS_M ** 2)

/** All directions. */
export function openSector(farthestM = 0): Sector {
  return { middle: 0, low: -Infinity, high: Infinity, farthestM }
}

export function isOpen(sector: Sector): boolean {
  return sector.low === -Infinity
}

/** The point before the next one is kept: the sector starts again there. */
export function reopen(sector: Sector): void {
  sector.middle = 0
  sector.low = -Infinity
  sector.high = Infinity
  sector.farthestM = 0
}

function turned(angle: number): number {
  if (angle > Math.PI) return angle - 2 * Math.PI
  return angle <= -Math.PI ? angle + 2 * Math.PI : angle
}

/**
 * Narrows the sector by one more point.
 * @param eastM @param northM the point, from the last one kept.
 * @returns false, and leaves the sector alone, when the line from the last one kept to it passes a point dropped since by
 *   too much, so the point before it must be kept.
 */
export function narrow(sector: Sector, eastM: number, northM: number): boolean {
  // Not Math.hypot, which takes ten times as long.
  const lengthM = Math.sqrt(eastM * eastM + northM * northM)
  if (lengthM < sector.farthestM - BACKWARDS_M || (lengthM > ROUTE_PIECE_M && sector.farthestM > 0)) return false
  if (lengthM <= SIDEWAYS_M) {
    // Points around the last one kept lie near enough whatever the direction.
    if (!isOpen(sector)) return false
  } else {
    const direction = Math.atan2(northM, eastM)
    const half = Math.asin(SIDEWAYS_M / lengthM)
    if (isOpen(sector)) {
      sector.middle = direction
      sector.low = -half
      sector.high = half
    } else {
      const difference = turned(direction - sector.middle)
      if (difference < sector.low || difference > sector.high) return false
      sector.low = Math.max(sector.low, difference - half)
      sector.high = Math.min(sector.high, difference + half)
    }
  }
  sector.farthestM = Math.max(lengthM, sector.farthestM)
  return true
}
