import type { Position } from '../../intake/sample.ts'
import { METRES_PER_DEGREE_NORTH, metresPerDegreeEast } from './earth.ts'
import { encodedStep, fixedDegrees } from './polyline.ts'
import { OPEN_SECTOR, type Sector, sectorWith } from './simplify.ts'

/** The route of a trip as an encoded polyline that grows. Points are whole hundred thousandths of a degree. */
export interface Route {
  /** How many characters are stored with the trip's row, a hash of them, and the final ones after them. */
  readonly kept: number
  readonly keptHash: number
  readonly final: string
  readonly isEmpty: boolean
  /** The last final point, and the newest one: the end of the line until another takes its place. */
  readonly lat: number
  readonly lon: number
  readonly newestLat: number
  readonly newestLon: number
  readonly sector: Sector
}

export const EMPTY_ROUTE: Route = {
  kept: 0,
  keptHash: 0,
  final: '',
  isEmpty: true,
  lat: 0,
  lon: 0,
  newestLat: 0,
  newestLon: 0,
  sector: OPEN_SECTOR,
}

/** The sector from a point to another, both in hundred thousandths of a degree. */
function sectorTo(sector: Sector, fromLat: number, fromLon: number, lat: number, lon: number): Sector | undefined {
  const eastM = (lon - fromLon) * 1e-5 * metresPerDegreeEast(fromLat * 1e-5)
  return sectorWith(sector, eastM, (lat - fromLat) * 1e-5 * METRES_PER_DEGREE_NORTH)
}

/** The route with one more fix. */
export function routeAfter(route: Route, position: Position): Route {
  const lat = fixedDegrees(position.lat)
  const lon = fixedDegrees(position.lon)
  if (route.isEmpty)
    return {
      ...EMPTY_ROUTE,
      final: encodedStep(lat, lon),
      isEmpty: false,
      lat,
      lon,
      newestLat: lat,
      newestLon: lon,
    }
  const { newestLat, newestLon } = route
  if (lat === newestLat && lon === newestLon) return route
  const sector = sectorTo(route.sector, route.lat, route.lon, lat, lon)
  if (sector)
    return {
      kept: route.kept,
      keptHash: route.keptHash,
      final: route.final,
      isEmpty: false,
      lat: route.lat,
      lon: route.lon,
      newestLat: lat,
      newestLon: lon,
      sector,
    }
  return {
    ...route,
    final: route.final + encodedStep(newestLat - route.lat, newestLon - route.lon),
    lat: newestLat,
    lon: newestLon,
    newestLat: lat,
    newestLon: lon,
    sector: sectorTo(OPEN_SECTOR, newestLat, newestLon, lat, lon) ?? OPEN_SECTOR,
  }
}

/** What follows the stored characters, up to the newest fix. */
export function routeText(route: Route): string {
  const { lat, lon, newestLat, newestLon } = route
  if (lat === newestLat && lon === newestLon) return route.final
  return route.final + encodedStep(newestLat - lat, newestLon - lon)
}

/** The same route when its first `length` final characters are stored. */
export function withStored(route: Route, length: number): Route {
  if (length === 0) return route
  const stored = route.final.slice(0, length)
  const keptHash = hashedOn(route.keptHash, stored)
  return { ...route, kept: route.kept + length, keptHash, final: route.final.slice(length) }
}

/** The hash h*31+c of a text that goes on, in 32 bits: equal states must mean equal routes, stored part included. */
function hashedOn(hash: number, text: string): number {
  let result = hash
  for (let i = 0; i < text.length; i++) result = (Math.imul(result, 31) + text.charCodeAt(i)) | 0
  return result
}
