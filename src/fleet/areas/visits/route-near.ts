import { eachPoint } from '../../../facts/trips/derive/polyline.ts'
import { type MeasuredShape, widened } from '../../../model/areas/measured-shape.ts'
import { distanceM } from '../../../model/earth.ts'

/** A shape, and how far from it a route may pass to matter. */
export interface Vicinity {
  readonly shape: MeasuredShape
  readonly withinM: number
  /** Whole hundred thousandths of a degree, as in routes. `east` is beyond 180 degrees where it crosses the antimeridian. */
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

const UNITS = 1e5
const TURN = 360 * UNITS

export function vicinityOf(shape: MeasuredShape, withinM: number): Vicinity {
  const { west, south, east, north } = widened(shape.bounds, withinM)
  return { shape, withinM, west: west * UNITS, south: south * UNITS, east: east * UNITS, north: north * UNITS }
}

/** A point of a route in whole hundred thousandths of a degree. */
export interface RoutePoint {
  readonly lat: number
  readonly lon: number
}

export function routeDistanceM(from: RoutePoint, to: RoutePoint): number {
  return distanceM(degrees(from), degrees(to))
}

export function isNear({ shape, withinM }: Vicinity, { lat, lon }: RoutePoint): boolean {
  return shape.signedDistanceM(lon / UNITS, lat / UNITS) <= withinM
}

/** What of a route matters to visits: its ends, and whether it passes near one of some shapes. */
interface RouteLook {
  readonly first: RoutePoint
  readonly last: RoutePoint
  readonly passes: boolean
}

/** @returns undefined for a route without points. */
export function lookAtRoute(polyline: string, vicinities: readonly Vicinity[]): RouteLook | undefined {
  let first: RoutePoint | undefined
  let [lastLat, lastLon] = [0, 0]
  let passes = false
  eachPoint(polyline, (lat, lon) => {
    if (!first) {
      first = { lat, lon }
      ;[lastLat, lastLon] = [lat, lon]
    }
    if (!passes) passes = vicinities.some(vicinity => segmentPasses(vicinity, lastLat, lastLon, lat, lon))
    lastLat = lat
    lastLon = lon
    return true
  })
  return first && { first, last: { lat: lastLat, lon: lastLon }, passes }
}

function segmentPasses(vicinity: Vicinity, fromLat: number, fromLon: number, toLat: number, toLon: number): boolean {
  const { west, south, east, north } = vicinity
  if ((fromLat < south && toLat < south) || (fromLat > north && toLat > north)) return false
  // A segment across the antimeridian is long in these numbers; it is halved until it is near or not.
  const least = Math.min(fromLon, toLon)
  const most = Math.max(fromLon, toLon)
  if ((most < west || least > east) && (most + TURN < west || least + TURN > east)) return false
  return halvesPass(vicinity, { lat: fromLat, lon: fromLon }, { lat: toLat, lon: toLon })
}

/** A route of 5 m tolerance need not be looked at more closely. */
const SHORT_M = 10

/** No point of a segment is nearer to the shape than its middle, less half of its length. */
function halvesPass(vicinity: Vicinity, from: RoutePoint, to: RoutePoint): boolean {
  const lengthM = routeDistanceM(from, to)
  const middle = { lat: (from.lat + to.lat) / 2, lon: middleLongitude(from.lon, to.lon) }
  const { lon, lat } = degrees(middle)
  const awayM = vicinity.shape.signedDistanceM(lon, lat)
  if (awayM <= vicinity.withinM) return true
  // The share covers what is estimated of long distances.
  if (awayM - vicinity.withinM > (lengthM / 2) * 1.05 || lengthM < SHORT_M) return false
  return halvesPass(vicinity, from, middle) || halvesPass(vicinity, middle, to)
}

function degrees({ lat, lon }: RoutePoint) {
  return { lat: lat / UNITS, lon: lon / UNITS }
}

function middleLongitude(from: number, to: number): number {
  if (Math.abs(to - from) <= TURN / 2) return (from + to) / 2
  const middle = (from + to + TURN) / 2
  return middle > TURN / 2 ? middle - TURN : middle
}
