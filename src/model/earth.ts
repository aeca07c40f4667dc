import type { Position } from './sample.ts'

const RADIUS_M = 6_371_008.8
const RADIANS = Math.PI / 180
const METRES_PER_DEGREE = RADIUS_M * RADIANS

/** @returns metres per degree of longitude at a latitude, on the sphere of mean radius (IUGG). */
export function metresPerDegreeEast(lat: number): number {
  return METRES_PER_DEGREE * Math.cos(lat * RADIANS)
}

export const METRES_PER_DEGREE_NORTH = METRES_PER_DEGREE

/** @returns degrees from one longitude to another, the short way around: from -180 to 180. */
export function eastwardDegrees(from: number, to: number): number {
  const degrees = to - from
  if (degrees > 180) return degrees - 360
  return degrees < -180 ? degrees + 360 : degrees
}

/** The error of a receiver that sees satellites in the best places, two times of three: HDOP is how many times as large it is. */
export const METRES_PER_HDOP = 5
/** So many times its stated error a fix is hardly ever off: once in some thousand. */
export const MOST_ERRORS = 3
/** Worse fixes are estimated from cells of a mobile network: over trips the errors would add up to kilometres. */
export const COARSEST_FIX_M = 200

/** Beyond it, and near the poles, the flat approximation is off by more than 0.1 %. */
const FLAT_DEGREES = 1
const FLAT_LATITUDE = 80

/** Great-circle distance in metres on the sphere of mean radius, to 0.1 %. */
export function distanceM(a: Position, b: Position): number {
  const north = b.lat - a.lat
  const east = eastwardDegrees(a.lon, b.lon)
  const middle = (a.lat + b.lat) / 2
  if (Math.abs(north) < FLAT_DEGREES && Math.abs(east) < FLAT_DEGREES && Math.abs(middle) < FLAT_LATITUDE) {
    const x = east * Math.cos(middle * RADIANS)
    return METRES_PER_DEGREE * Math.sqrt(x * x + north * north)
  }
  return haversineM(north, east, a.lat, b.lat)
}

function haversineM(north: number, east: number, fromLat: number, toLat: number): number {
  const sinNorth = Math.sin((north * RADIANS) / 2)
  const sinEast = Math.sin((east * RADIANS) / 2)
  const h = sinNorth * sinNorth + Math.cos(fromLat * RADIANS) * Math.cos(toLat * RADIANS) * sinEast * sinEast
  return 2 * RADIUS_M * Math.asin(Math.sqrt(Math.min(1, h)))
}
