import Flatbush from 'flatbush'
import { union } from 'polyclip-ts'
import { METRES_PER_DEGREE_NORTH, metresPerDegreeEast } from '../earth.ts'
import { type Edges, edgesOf, isInside, turned, turnOf } from './measured-shape.ts'
import { type AreaShape, type LonLat, type Polygon, pointsOf, type Ring } from './shape.ts'

/** So many points describe the border of a country well; a sample near such an area costs some tens of microseconds. */
export const MOST_POINTS = 10_000
/** Less is within the noise of every receiver. */
const LEAST_RADIUS_M = 1
const MOST_RADIUS_M = 500_000
/** Wider ones cannot be distinguished from the part that they leave free: each edge takes the short way around the earth. */
const MOST_DEGREES_WIDE = 180
const LEAST_SQUARE_METRES = 1
/** Of edges of different parts. A union takes time for each, and cannot be interrupted. */
const MOST_CROSSINGS = 5_000
const MOST_TOUCHES = 50_000

/** A shape, or why there is none: the end of a sentence that begins with what it was to be the shape of. */
export type ReadShape = { readonly shape: AreaShape } | { readonly reason: string }

/** A shape as it can be measured: parts of a polygon that overlap, touch or lie in one another are one part, and slivers
 * are left out. */
export function measurable(shape: AreaShape): ReadShape {
  const reason = faultOf(shape)
  if (reason !== undefined) return { reason }
  return shape.type === 'polygon' ? measurablePolygons(shape.polygons) : { shape }
}

function faultOf(shape: AreaShape): string | undefined {
  const points = pointsOf(shape)
  if (points.length > MOST_POINTS) return `has ${points.length} points; at most ${MOST_POINTS} are possible`
  for (const point of points) {
    const reason = wrongPoint(point)
    if (reason) return reason
  }
  if (shape.type === 'circle') return wrongMetres('radiusM', shape.radiusM)
  if (shape.type === 'corridor') return wrongMetres('halfWidthM', shape.halfWidthM) ?? wrongLine(shape.line)
  if (shape.polygons.length === 0) return 'has no polygon'
  return shape.polygons
    .flat()
    .map(wrongRing)
    .find(reason => reason !== undefined)
}

function wrongPoint([longitude, latitude]: LonLat): string | undefined {
  if (!(Math.abs(longitude) <= 180)) return `has a longitude of ${longitude}, which is not from -180 to 180`
  if (!(Math.abs(latitude) <= 90)) return `has a latitude of ${latitude}, which is not from -90 to 90`
  return undefined
}

function wrongMetres(name: string, metres: number): string | undefined {
  if (metres >= LEAST_RADIUS_M && metres <= MOST_RADIUS_M) return undefined
  return `has ${name} ${metres}, which is not from ${LEAST_RADIUS_M} to ${MOST_RADIUS_M} metres`
}

function wrongLine(line: readonly LonLat[]): string | undefined {
  const [first] = line
  const isPoint = line.every(([longitude, latitude]) => longitude === first?.[0] && latitude === first[1])
  if (isPoint) return 'has a line of fewer than two different points'
  return tooWide(edgesOf([line]))
}

function tooWide(edges: Edges): string | undefined {
  let [west, east] = [Infinity, -Infinity]
  for (let at = 0; at < edges.length; at += 2) {
    west = Math.min(west, edges[at] ?? 0)
    east = Math.max(east, edges[at] ?? 0)
  }
  return east - west < MOST_DEGREES_WIDE ? undefined : `is ${MOST_DEGREES_WIDE} degrees of longitude wide or wider`
}

function measurablePolygons(drawn: readonly Polygon[]): ReadShape {
  const edges = edgesOf(drawn.flat())
  const meet = meetingOf(drawn, edges)
  const reason = tooWide(edges) ?? (typeof meet === 'string' ? meet : wrongHole(drawn))
  if (reason !== undefined) return { reason }
  const polygons = withoutSlivers(meet ? unionOf(drawn, edges) : drawn)
  if (polygons.length > 0) return { shape: { type: 'polygon', polygons } }
  return { reason: `has a ring that encloses nothing, at ${pointText(drawn[0]?.[0][0] ?? [0, 0])}` }
}

function wrongRing(ring: Ring): string | undefined {
  const [first] = ring
  if (!first || ring.length < 4) {
    return `has a ring of ${ring.length} points; a closed one has at least 4, the last like the first`
  }
  return turnOf(ring) === 0 ? undefined : `has a ring around a pole, at ${pointText(first)}`
}

/** Parts and holes that a receiver cannot see: a union leaves some between parts that were to touch. */
function withoutSlivers(polygons: readonly Polygon[]): readonly Polygon[] {
  const encloses = (ring: Ring) => squareMetres(ring) >= LEAST_SQUARE_METRES
  return polygons
    .filter(([outer]) => encloses(outer))
    .map(([outer, ...holes]): Polygon => [outer, ...holes.filter(encloses)])
}

function pointText([longitude, latitude]: LonLat): string {
  return `${longitude}, ${latitude}`
}

/** Whatever its direction. */
function squareMetres(ring: Ring): number {
  const edges = edgesOf([ring])
  const x0 = edges[0] ?? 0
  const y0 = edges[1] ?? 0
  const perEast = metresPerDegreeEast(y0)
  let twice = 0
  for (let at = 0; at < edges.length; at += 4) {
    const fromX = (edges[at] ?? 0) - x0
    const fromY = (edges[at + 1] ?? 0) - y0
    twice += fromX * ((edges[at + 3] ?? 0) - y0) - ((edges[at + 2] ?? 0) - x0) * fromY
  }
  return Math.abs(twice / 2) * perEast * METRES_PER_DEGREE_NORTH
}

/** If some parts overlap, touch or lie in one another; a fault when a polygon crosses itself, or parts too often. */
function meetingOf(polygons: readonly Polygon[], edges: Edges): boolean | string {
  const counts = polygons.map(rings => rings.flat().length - rings.length)
  const parts = counts.flatMap((count, part) => Array.from({ length: count }, () => part))
  const index = new Flatbush(parts.length)
  for (let at = 0; at < edges.length; at += 4) {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = edges.subarray(at, at + 4)
    index.add(Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2))
  }
  index.finish()
  let [crossings, touches] = [0, 0]
  for (const [at, part] of parts.entries()) {
    const edge = edges.subarray(4 * at, 4 * at + 4)
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = edge
    const near = index.search(Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2))
    for (const other of near) {
      if (other <= at) continue
      const otherEdge = edges.subarray(4 * other, 4 * other + 4)
      const apart = apartness(edge, otherEdge)
      if (parts[other] === part) {
        if (apart < 0) return `crosses itself near ${pointText([x1, y1])}`
      } else if (apart < 0) crossings++
      else if (apart === 0) touches++
    }
    if (crossings > MOST_CROSSINGS || touches > MOST_TOUCHES) return 'has parts that meet each other at too many places'
  }
  return crossings + touches > 0 || isOneInAnother(counts, edges)
}

/** Below 0: each edge passes from one side of the other to its other side. 0: they touch, when the boxes do. */
function apartness(a: Edges, b: Edges): number {
  const [ax = 0, ay = 0, bx = 0, by = 0] = a
  const [cx = 0, cy = 0, dx = 0, dy = 0] = b
  return Math.max(
    side(ax, ay, bx, by, cx, cy) * side(ax, ay, bx, by, dx, dy),
    side(cx, cy, dx, dy, ax, ay) * side(cx, cy, dx, dy, bx, by),
  )
}

/** Of parts that do not touch. */
function isOneInAnother(counts: readonly number[], edges: Edges): boolean {
  let end = 0
  const parts = counts.map(count => edges.subarray(end, (end += 4 * count)))
  return parts.some(part => parts.some(other => other !== part && isInside(other, part[0] ?? 0, part[1] ?? 0)))
}

/** Tenths of a millimetre: what is lost when longitudes are turned around the earth is less. */
const STEPS_PER_DEGREE = 1e9

/** On a grid, and a coarser one where the union of edges that are almost the same is not found. */
function unionOf(polygons: readonly Polygon[], edges: Edges, steps = STEPS_PER_DEGREE): readonly Polygon[] {
  const onGrid = (degrees = 0) => Math.round(degrees * steps) / steps
  let at = 0
  const onPlane = polygons.map(rings =>
    rings.map(ring => ring.slice(1).map((): [number, number] => [onGrid(edges[at++ * 4]), onGrid(edges[at * 4 - 3])])),
  )
  const onEarth = ([x, y]: LonLat): LonLat => [onGrid(Math.abs(x) > 180 ? turned(x) : x), onGrid(y)]
  try {
    return union(onPlane).map(
      ([outer = [], ...holes]): Polygon => [outer.map(onEarth), ...holes.map(ring => ring.map(onEarth))],
    )
  } catch (error) {
    // A degree in a thousand steps is coarser than any drawing.
    if (steps < 1e4) throw error
    return unionOf(polygons, edges, steps / 100)
  }
}

/** On which side of the line from a to b the point is: -1, 0 on it, 1. */
function side(ax: number, ay: number, bx: number, by: number, x: number, y: number): number {
  const aside = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
  return Math.abs(aside) * STEPS_PER_DEGREE <= Math.abs(bx - ax) + Math.abs(by - ay) ? 0 : Math.sign(aside)
}

/** No edges of a polygon cross, so a hole lies inside its outer ring as soon as one of its points does that is not on that ring. */
function wrongHole(polygons: readonly Polygon[]): string | undefined {
  for (const [outer, ...holes] of polygons) {
    for (const hole of holes) {
      const edges = edgesOf([outer, hole])
      const outerEdges = edges.subarray(0, 4 * (outer.length - 1))
      const holeEdges = edges.subarray(outerEdges.length)
      const outside = Array.from({ length: hole.length - 1 }, (_, index) => 4 * index).every(
        at => !isInside(outerEdges, holeEdges[at] ?? 0, holeEdges[at + 1] ?? 0),
      )
      if (outside) return `has a hole outside of its polygon, at ${pointText(hole[0] ?? [0, 0])}`
    }
  }
  return undefined
}
