import { distanceM, eastwardDegrees, METRES_PER_DEGREE_NORTH, metresPerDegreeEast } from '../earth.ts'
import type { AreaShape, CircleShape, LonLat, Ring } from './shape.ts'

/** A rectangle in degrees. `west` is from -180 to 180; `east` is beyond 180 where it crosses the antimeridian. */
interface Bounds {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** A shape prepared to be measured often. */
export interface MeasuredShape {
  readonly bounds: Bounds
  /** Metres from the border: negative inside, 0 on it. Right to 0.5 % within some kilometres; farther away it is
   * estimated, but never on the wrong side. */
  signedDistanceM(longitude: number, latitude: number): number
}

/** @param shape as `checkShape` allows it. */
export function measuredShape(shape: AreaShape): MeasuredShape {
  if (shape.type === 'circle') return measuredCircle(shape)
  const edges = edgesOf(shape.type === 'corridor' ? [shape.line] : shape.polygons.flat())
  const box = boundsOfEdges(edges)
  const middle = (box.west + box.east) / 2
  const turnedMiddle = turned(middle)
  /** Where the point lies on the plane of the edges. */
  const onPlane = (longitude: number) => middle + eastwardDegrees(turnedMiddle, longitude)
  if (shape.type === 'corridor') {
    const { halfWidthM } = shape
    return {
      bounds: widened(box, halfWidthM),
      signedDistanceM: (longitude, latitude) => distanceToEdgesM(edges, onPlane(longitude), latitude) - halfWidthM,
    }
  }
  return {
    bounds: turnedBounds(box),
    signedDistanceM: (longitude, latitude) => {
      const x = onPlane(longitude)
      const away = distanceToEdgesM(edges, x, latitude)
      return isInside(edges, x, latitude) ? -away : away
    },
  }
}

function measuredCircle({ center: [lon, lat], radiusM }: CircleShape): MeasuredShape {
  const center = { lon, lat }
  return {
    bounds: widened({ west: lon, south: lat, east: lon, north: lat }, radiusM),
    signedDistanceM: (longitude, latitude) => distanceM(center, { lon: longitude, lat: latitude }) - radiusM,
  }
}

/** Bounds that include everything within a distance of them. */
export function widened(bounds: Bounds, byM: number): Bounds {
  // The share of a thousandth covers what the sphere differs from the plane.
  const northDegrees = (byM / METRES_PER_DEGREE_NORTH) * 1.001
  const south = bounds.south - northDegrees
  const north = bounds.north + northDegrees
  const eastDegrees = (byM / metresPerDegreeEast(Math.min(89.9, Math.max(-south, north)))) * 1.01
  if (bounds.east - bounds.west + 2 * eastDegrees >= 360) return { west: -180, south, east: 180, north }
  return turnedBounds({ west: bounds.west - eastDegrees, south, east: bounds.east + eastDegrees, north })
}

function turnedBounds(bounds: Bounds): Bounds {
  const turn = 360 * Math.floor((bounds.west + 180) / 360)
  return { ...bounds, west: bounds.west - turn, east: bounds.east - turn }
}

function boundsOfEdges(edges: Edges): Bounds {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let at = 0; at < edges.length; at += 2) {
    const longitude = edges[at] ?? 0
    const latitude = edges[at + 1] ?? 0
    if (longitude < west) west = longitude
    if (longitude > east) east = longitude
    if (latitude < south) south = latitude
    if (latitude > north) north = latitude
  }
  return { west, south, east, north }
}

/** On a plane that touches the earth at the point. */
function distanceToEdgesM(edges: Edges, longitude: number, latitude: number): number {
  const perEast = metresPerDegreeEast(latitude)
  let least = Infinity
  for (let at = 0; at < edges.length; at += 4) {
    const fromX = ((edges[at] ?? 0) - longitude) * perEast
    const fromY = ((edges[at + 1] ?? 0) - latitude) * METRES_PER_DEGREE_NORTH
    const alongX = ((edges[at + 2] ?? 0) - longitude) * perEast - fromX
    const alongY = ((edges[at + 3] ?? 0) - latitude) * METRES_PER_DEGREE_NORTH - fromY
    const squared = alongX * alongX + alongY * alongY
    const share = squared === 0 ? 0 : Math.max(0, Math.min(1, -(fromX * alongX + fromY * alongY) / squared))
    const x = fromX + share * alongX
    const y = fromY + share * alongY
    const away = x * x + y * y
    if (away < least) least = away
  }
  return Math.sqrt(least)
}

/** By how many edges lie west of the point: an odd number when it is inside, whatever the direction of the rings. */
export function isInside(edges: Edges, longitude: number, latitude: number): boolean {
  let inside = false
  for (let at = 0; at < edges.length; at += 4) {
    const fromY = edges[at + 1] ?? 0
    const toY = edges[at + 3] ?? 0
    if (fromY > latitude === toY > latitude) continue
    const fromX = edges[at] ?? 0
    const toX = edges[at + 2] ?? 0
    if (longitude < fromX + ((latitude - fromY) / (toY - fromY)) * (toX - fromX)) inside = !inside
  }
  return inside
}

/** Straight edges on a plane of degrees that is not cut at the antimeridian: longitudes go on beyond 180. Four numbers
 * an edge: longitude and latitude of its begin and of its end. */
export type Edges = Float64Array

/** The longitudes of a line, each at most 180 degrees from the one before it. */
function unwrapped(line: readonly LonLat[], startLongitude: number): number[] {
  let longitude = startLongitude
  return line.map(([next]) => {
    longitude += eastwardDegrees(turned(longitude), next)
    return longitude
  })
}

/** A longitude in the range from -180 to 180. */
export function turned(longitude: number): number {
  return longitude - 360 * Math.round(longitude / 360)
}

/** By how many degrees a ring goes around the earth until it is closed: 0 unless it encloses a pole. */
export function turnOf(ring: Ring): number {
  const longitudes = unwrapped(ring, ring[0]?.[0] ?? 0)
  return Math.round((longitudes.at(-1) ?? 0) - (longitudes[0] ?? 0))
}

/** The edges of lines, all of them near the first point of the first. */
export function edgesOf(lines: readonly (readonly LonLat[])[]): Edges {
  const edges = new Float64Array(4 * lines.reduce((sum, line) => sum + Math.max(0, line.length - 1), 0))
  const start = lines[0]?.[0]?.[0] ?? 0
  let at = 0
  for (const line of lines) {
    const first = line[0]?.[0] ?? start
    const longitudes = unwrapped(line, start + eastwardDegrees(start, first))
    for (let index = 1; index < line.length; index++) {
      edges[at++] = longitudes[index - 1] ?? 0
      edges[at++] = line[index - 1]?.[1] ?? 0
      edges[at++] = longitudes[index] ?? 0
      edges[at++] = line[index]?.[1] ?? 0
    }
  }
  return edges
}
