import { METRES_PER_DEGREE_NORTH, metresPerDegreeEast } from '../../model/earth.ts'
import type { Position } from '../../model/sample.ts'
import { ROUTE_PIECE_M, ROUTE_TOLERANCE_M } from './rules.ts'
import type { Route } from './state.ts'

// The route of a trip, simplified while it grows.

export function emptyRoute(): Route {
  return {
    kept: 0,
    keptHash: 0,
    final: '',
    isEmpty: true,
    lat: 0,
    lon: 0,
    newestLat: 0,
    newestLon: 0,
    sector: undefined,
    farthestM: 0,
  }
}

export function addFix(route: Route, position: Position): void {
  addPoint(route, fixedDegrees(position.lat), fixedDegrees(position.lon))
}

/** Goes on with a route of which nothing is stored with a row yet. */
export function appendRoute(route: Route, next: Route): void {
  if (next.isEmpty) return
  for (const [lat, lon] of pointsOf(next.final)) addPoint(route, lat, lon)
  if (next.newestLat !== next.lat || next.newestLon !== next.lon) addPoint(route, next.newestLat, next.newestLon)
}

/** The text after the stored characters, up to the newest fix. */
export function routeText(route: Route): string {
  const { lat, lon, newestLat, newestLon } = route
  if (lat === newestLat && lon === newestLon) return route.final
  return route.final + encodedStep(newestLat - lat, newestLon - lon)
}

/** The last position of a route that has one. */
export function newestOf({ newestLat, newestLon }: Route): Position {
  return { lon: newestLon / UNITS_PER_DEGREE, lat: newestLat / UNITS_PER_DEGREE }
}

/** The first `length` final characters are stored with the row. */
export function storeRoute(route: Route, length: number): void {
  route.keptHash = hashedOn(route.keptHash, route.final.slice(0, length))
  route.kept += length
  route.final = route.final.slice(length)
}

/** The hash h*31+c of a text that goes on, in 32 bits: equal states must mean equal routes, stored part included. */
function hashedOn(hash: number, text: string): number {
  let result = hash
  for (let i = 0; i < text.length; i++) result = (Math.imul(result, 31) + text.charCodeAt(i)) | 0
  return result
}

function addPoint(route: Route, lat: number, anyLon: number): void {
  const { newestLat, newestLon } = route
  const lon = route.isEmpty ? anyLon : nearestTurn(anyLon, newestLon)
  if (route.isEmpty) {
    route.isEmpty = false
    keep(route, lat, lon)
  } else {
    if (lat === newestLat && lon === newestLon) return
    if (!isAlongTheLine(route, lat, lon)) {
      keep(route, newestLat, newestLon)
      route.sector = undefined
      route.farthestM = 0
      isAlongTheLine(route, lat, lon)
    }
  }
  route.newestLat = lat
  route.newestLon = lon
}

const AROUND_THE_EARTH = 360e5

/** The same meridian, the short way from another: a line across the antimeridian goes on beyond 180 degrees. */
function nearestTurn(lon: number, from: number): number {
  return lon + Math.round((from - lon) / AROUND_THE_EARTH) * AROUND_THE_EARTH
}

/** A point becomes final. */
function keep(route: Route, lat: number, lon: number): void {
  route.final += encodedStep(lat - route.lat, lon - route.lon)
  route.lat = lat
  route.lon = lon
}

/** By how much a line may turn back on itself: a point dropped beyond the end of a piece is that far off along it. */
const BACKWARDS_M = 1.7
/** Points are rounded to the format's grid of 1e-5 degrees: at most 0.79 m off, at the equator. */
const ROUNDING_M = 0.79
/** Sideways, so that both together stay within the tolerance. */
const SIDEWAYS_M = Math.sqrt((ROUTE_TOLERANCE_M - ROUNDING_M) ** 2 - BACKWARDS_M ** 2)

/** Narrows the sector of directions that pass each dropped point near enough (Williams, "Extraction of straight lines",
 * 1978; Zhao and Saalfeld, 1997). @returns false, unchanged, when a line to this point passes one too far */
function isAlongTheLine(route: Route, lat: number, lon: number): boolean {
  const eastM = (lon - route.lon) * 1e-5 * metresPerDegreeEast(route.lat * 1e-5)
  const northM = (lat - route.lat) * 1e-5 * METRES_PER_DEGREE_NORTH
  const { sector, farthestM } = route
  const lengthM = Math.sqrt(eastM * eastM + northM * northM)
  if (lengthM < farthestM - BACKWARDS_M || (lengthM > ROUTE_PIECE_M && farthestM > 0)) return false
  if (lengthM <= SIDEWAYS_M) {
    // Points around the last final one lie near enough whatever the direction.
    if (sector) return false
  } else {
    const direction = Math.atan2(northM, eastM)
    const half = Math.asin(SIDEWAYS_M / lengthM)
    const difference = sector ? turned(direction - sector.middle) : 0
    if (sector && (difference < sector.low || difference > sector.high)) return false
    route.sector = sector
      ? {
          middle: sector.middle,
          low: Math.max(sector.low, difference - half),
          high: Math.min(sector.high, difference + half),
        }
      : { middle: direction, low: -half, high: half }
  }
  route.farthestM = Math.max(lengthM, farthestM)
  return true
}

function turned(angle: number): number {
  if (angle > Math.PI) return angle - 2 * Math.PI
  return angle <= -Math.PI ? angle + 2 * Math.PI : angle
}

// Google's encoded polyline format, precision 5 (https://developers.google.com/maps/documentation/utilities/polylinealgorithm).

const UNITS_PER_DEGREE = 1e5

/** Degrees as the whole number of hundred thousandths that the format has. */
export function fixedDegrees(degrees: number): number {
  const fixed = Math.round(degrees * UNITS_PER_DEGREE)
  return fixed === 0 ? 0 : fixed
}

/** One more point of a line, given as its difference from the one before; the first as its difference from 0,0. */
export function encodedStep(north: number, east: number): string {
  return encodedNumber(north) + encodedNumber(east)
}

function encodedNumber(value: number): string {
  let rest = value < 0 ? -2 * value - 1 : 2 * value
  let text = ''
  while (rest >= 32) {
    text += String.fromCharCode(63 + 32 + (rest % 32))
    rest = Math.floor(rest / 32)
  }
  return text + String.fromCharCode(63 + rest)
}

/** The points of a line in degrees. */
export function positionsOf(text: string): Position[] {
  return pointsOf(text).map(([lat, lon]) => ({ lon: lon / UNITS_PER_DEGREE, lat: lat / UNITS_PER_DEGREE }))
}

/** The points of a line: latitude and longitude in whole hundred thousandths of a degree. */
function pointsOf(text: string): (readonly [lat: number, lon: number])[] {
  const points: [number, number][] = []
  eachPoint(text, (lat, lon) => points.push([lat, lon]))
  return points
}

/** Reads the points of a line one by one, in the same form. */
export function eachPoint(text: string, take: (lat: number, lon: number) => void): void {
  let index = 0
  let lat = 0
  let lon = 0
  const next = () => {
    let result = 0
    let shift = 0
    let five: number
    do {
      five = text.charCodeAt(index++) - 63
      result |= (five & 31) << shift
      shift += 5
    } while (five >= 32)
    return result & 1 ? ~(result >> 1) : result >> 1
  }
  while (index < text.length) {
    lat += next()
    lon += next()
    take(lat, lon)
  }
}
