import { METRES_PER_DEGREE_NORTH, metresPerDegreeEast } from '../../../model/earth.ts'
import type { Position } from '../../../model/sample.ts'
import { copyOfRoute } from './copies.ts'
import { encodedStep, fixedDegrees, pointsOf } from './polyline.ts'
import { narrow, openSector, reopen, type Sector } from './simplify.ts'

/**
 * The route of a trip as an encoded polyline that grows. Points are whole hundred thousandths of a degree. Changed in
 * place by each fix.
 */
export interface Route {
  /** How many characters are stored with the trip's row, a hash of them, and the final ones after them. */
  kept: number
  keptHash: number
  final: string
  isEmpty: boolean
  /** The last final point, and the newest one: the end of the line until another takes its place. */
  lat: number
  lon: number
  newestLat: number
  newestLon: number
  readonly sector: Sector
}

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
    sector: openSector(),
  }
}

/** Adds one more fix. */
export function addFix(route: Route, position: Position): void {
  addPoint(route, fixedDegrees(position.lat), fixedDegrees(position.lon))
}

const AROUND_THE_EARTH = 360e5

/** The same meridian, the short way from another: a line across the antimeridian goes on beyond 180 degrees. */
function nearestTurn(lon: number, from: number): number {
  return lon + Math.round((from - lon) / AROUND_THE_EARTH) * AROUND_THE_EARTH
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
      reopen(route.sector)
      isAlongTheLine(route, lat, lon)
    }
  }
  route.newestLat = lat
  route.newestLon = lon
}

/** Goes on with a route of which nothing is stored with a row yet. */
export function appendRoute(route: Route, next: Route): void {
  if (next.isEmpty) return
  for (const [lat, lon] of pointsOf(next.final)) addPoint(route, lat, lon)
  if (next.newestLat !== next.lat || next.newestLon !== next.lon) addPoint(route, next.newestLat, next.newestLon)
}

/** A point becomes final. */
function keep(route: Route, lat: number, lon: number): void {
  route.final += encodedStep(lat - route.lat, lon - route.lon)
  route.lat = lat
  route.lon = lon
}

/** Whether a line from the last final point to this one passes all points between; the sector is narrowed to those. */
function isAlongTheLine({ sector, lat: fromLat, lon: fromLon }: Route, lat: number, lon: number): boolean {
  const eastM = (lon - fromLon) * 1e-5 * metresPerDegreeEast(fromLat * 1e-5)
  return narrow(sector, eastM, (lat - fromLat) * 1e-5 * METRES_PER_DEGREE_NORTH)
}

/** What follows the stored characters, up to the newest fix. */
export function routeText(route: Route): string {
  const { lat, lon, newestLat, newestLon } = route
  if (lat === newestLat && lon === newestLon) return route.final
  return route.final + encodedStep(newestLat - lat, newestLon - lon)
}

/** The same route when its first `length` final characters are stored. */
export function withStored(route: Route, length: number): Route {
  const after = copyOfRoute(route)
  after.keptHash = hashedOn(route.keptHash, route.final.slice(0, length))
  after.kept += length
  after.final = route.final.slice(length)
  return after
}

/** The hash h*31+c of a text that goes on, in 32 bits: equal states must mean equal routes, stored part included. */
function hashedOn(hash: number, text: string): number {
  let result = hash
  for (let i = 0; i < text.length; i++) result = (Math.imul(result, 31) + text.charCodeAt(i)) | 0
  return result
}
