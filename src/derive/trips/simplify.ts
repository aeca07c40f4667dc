import { ROUTE_PIECE_M, ROUTE_TOLERANCE_M } from './rules.ts'

/**
 * Simplification of a line point by point with constant memory: the sector of directions that pass every point dropped
 * since the last one kept near enough (Williams, "Extraction of straight lines", 1978; Zhao and Saalfeld,
 * "Linear-time sleeve-fitting polyline simplification", 1997). Angles in radians, lengths in metres.
 */
export interface Sector {
  /** Direction of the first point that narrowed it; `low` and `high` are differences from it. */
  readonly middle: number
  readonly low: number
  readonly high: number
  /** Distance of the farthest point since the last kept one. */
  readonly farthestM: number
}

/** By how much a line may turn back on itself: a point dropped beyond the end of a piece is that far off along it. */
const BACKWARDS_M = 1.7
/** Points are rounded to the format's grid of 1e-5 degrees: at most 0.79 m off, at the equator. */
const ROUNDING_M = 0.79
/** Sideways, so that both together stay within the tolerance. */
const SIDEWAYS_M = Math.sqrt((ROUTE_TOLERANCE_M - ROUNDING_M) ** 2 - BACKWARDS_M ** 2)

export const OPEN_SECTOR: Sector = { middle: 0, low: -Infinity, high: Infinity, farthestM: 0 }

function turned(angle: number): number {
  if (angle > Math.PI) return angle - 2 * Math.PI
  return angle <= -Math.PI ? angle + 2 * Math.PI : angle
}

/**
 * @param eastM @param northM the next point, from the last one kept.
 * @returns the sector with it, or undefined when the line from the last one kept to it passes a point dropped since by
 *   too much, so the point before it must be kept.
 */
export function sectorWith(sector: Sector, eastM: number, northM: number): Sector | undefined {
  const lengthM = Math.hypot(eastM, northM)
  if (lengthM < sector.farthestM - BACKWARDS_M || (lengthM > ROUTE_PIECE_M && sector.farthestM > 0)) return undefined
  const farthestM = Math.max(lengthM, sector.farthestM)
  const isOpen = sector.low === -Infinity
  // Points around the last one kept lie near enough whatever the direction.
  if (lengthM <= SIDEWAYS_M) return isOpen ? { ...sector, farthestM } : undefined
  const direction = Math.atan2(northM, eastM)
  const half = Math.asin(SIDEWAYS_M / lengthM)
  if (isOpen) return { middle: direction, low: -half, high: half, farthestM }
  const difference = turned(direction - sector.middle)
  if (difference < sector.low || difference > sector.high) return undefined
  return {
    middle: sector.middle,
    low: Math.max(sector.low, difference - half),
    high: Math.min(sector.high, difference + half),
    farthestM,
  }
}
