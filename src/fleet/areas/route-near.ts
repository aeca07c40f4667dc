import { eachPoint } from '../../derive/trips/route.ts'
import { type MeasuredShape, widened } from '../../model/areas/measured-shape.ts'
import { distanceM } from '../../model/earth.ts'
import type { Position } from '../../model/sample.ts'

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

export function isNear(vicinity: Vicinity, point: RoutePoint): boolean {
  return beyondM(vicinity, degrees(point)) <= 0
}

/** A point is as far inside as points that are not near are outside. */
export function isWellInside({ shape, withinM }: Vicinity, point: RoutePoint): boolean {
  const { lon, lat } = degrees(point)
  return shape.signedDistanceM(lon, lat) < -withinM
}

/** Of a route, the parts that are near one of some shapes, in order: `arrives` is far at first and near at its end. */
export type Nearness = 'far' | 'leaves' | 'arrives' | 'leavesAndReturns' | 'near'

/** The parts of a route that matter to visits: its ends, and where it is near one of some shapes. */
interface RouteLook {
  readonly first: RoutePoint
  readonly last: RoutePoint
  /** `near` where it is near all along, or changes more often. */
  readonly nearness: Nearness
}

/** @returns undefined for a route without points. */
export function lookAtRoute(polyline: string, vicinities: readonly Vicinity[]): RouteLook | undefined {
  const ends: { first?: RoutePoint; last?: RoutePoint } = {}
  const parts = new Parts()
  eachPoint(polyline, (lat, lon) => {
    const point = { lat, lon }
    const from = ends.last ?? point
    ends.first ??= point
    ends.last = point
    if (vicinities.every(vicinity => isBeside(vicinity, from, point))) parts.add(false)
    else addHalves(parts, vicinities, from, point)
  })
  const { first, last } = ends
  return first && last && { first, last, nearness: parts.nearness }
}

/** The parts of a route, one after the other. */
class Parts {
  #beginsNear = false
  #last: boolean | undefined
  #changes = 0

  add(next: boolean): void {
    if (this.#last === next) return
    if (this.#last === undefined) this.#beginsNear = next
    else this.#changes++
    this.#last = next
  }

  get nearness(): Nearness {
    if (!this.#beginsNear && this.#changes < 2) return this.#changes === 0 ? 'far' : 'arrives'
    if (!this.#beginsNear || this.#changes === 0 || this.#changes > 2) return 'near'
    return this.#changes === 1 ? 'leaves' : 'leavesAndReturns'
  }
}

/** A segment is far, as its longitudes and latitudes alone show. */
function isBeside({ west, south, east, north }: Vicinity, from: RoutePoint, to: RoutePoint): boolean {
  if ((from.lat < south && to.lat < south) || (from.lat > north && to.lat > north)) return true
  // A segment across the antimeridian is long in these numbers; it is halved until it is near or not.
  const least = Math.min(from.lon, to.lon)
  const most = Math.max(from.lon, to.lon)
  return (most < west || least > east) && (most + TURN < west || least + TURN > east)
}

/** A route of 5 m tolerance need not be looked at more closely. */
const SHORT_M = 10

/** No point of a segment is nearer to a shape, or farther from it, than its middle by more than half of its length. */
function addHalves(parts: Parts, vicinities: readonly Vicinity[], from: RoutePoint, to: RoutePoint): void {
  // The share covers what is estimated of long distances.
  const halfM = (routeDistanceM(from, to) / 2) * 1.05
  const middle = { lat: (from.lat + to.lat) / 2, lon: middleLongitude(from.lon, to.lon) }
  let farM = Number.POSITIVE_INFINITY
  for (const vicinity of vicinities) farM = Math.min(farM, beyondM(vicinity, degrees(middle)))
  if (Math.abs(farM) > halfM || halfM < SHORT_M / 2) return parts.add(farM <= 0)
  addHalves(parts, vicinities, from, middle)
  addHalves(parts, vicinities, middle, to)
}

/** How far a position is outside of a vicinity in metres; negative in it. */
export function beyondM({ shape, withinM }: Vicinity, { lon, lat }: Position): number {
  return shape.signedDistanceM(lon, lat) - withinM
}

function degrees({ lat, lon }: RoutePoint) {
  return { lat: lat / UNITS, lon: lon / UNITS }
}

function middleLongitude(from: number, to: number): number {
  if (Math.abs(to - from) <= TURN / 2) return (from + to) / 2
  const middle = (from + to + TURN) / 2
  return middle > TURN / 2 ? middle - TURN : middle
}
