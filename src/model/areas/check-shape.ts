import Flatbush from 'flatbush'
import { METRES_PER_DEGREE_NORTH, metresPerDegreeEast } from '../earth.ts'
import { type Edges, edgesOf, isInside, turnOf } from './measured-shape.ts'
import { type AreaShape, type LonLat, type Polygon, pointsOf, type Ring } from './shape.ts'

/** So many points describe the border of a country well; a sample near such an area costs some tens of microseconds. */
export const MOST_POINTS = 10_000
/** Less is within the noise of every receiver. */
const LEAST_RADIUS_M = 1
const MOST_RADIUS_M = 500_000
/** Wider ones cannot be distinguished from the part that they leave free: each edge takes the short way around the earth. */
const MOST_DEGREES_WIDE = 180
const LEAST_SQUARE_METRES = 1

/** The fault of a shape, as the end of a sentence: "has a ring that is not closed …".
 * @returns undefined when it can be measured */
export function checkShape(shape: AreaShape): string | undefined {
  const points = pointsOf(shape)
  if (points.length > MOST_POINTS) return `has ${points.length} points; at most ${MOST_POINTS} are possible`
  for (const point of points) {
    const reason = wrongPoint(point)
    if (reason) return reason
  }
  if (shape.type === 'circle') return wrongMetres('radiusM', shape.radiusM)
  if (shape.type === 'corridor') return wrongMetres('halfWidthM', shape.halfWidthM) ?? wrongLine(shape.line)
  return wrongPolygons(shape.polygons)
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

function wrongPolygons(polygons: readonly Polygon[]): string | undefined {
  if (polygons.length === 0) return 'has no polygon'
  for (const ring of polygons.flat()) {
    const reason = wrongRing(ring)
    if (reason) return reason
  }
  const edges = edgesOf(polygons.flat())
  return tooWide(edges) ?? crossing(edges) ?? emptyRing(polygons.flat()) ?? wrongHole(polygons)
}

function wrongRing(ring: Ring): string | undefined {
  const first = ring[0]
  const last = ring.at(-1)
  if (!first || !last || ring.length < 4) {
    return `has a ring of ${ring.length} points; a closed one has at least 4, the last like the first`
  }
  if (first[0] !== last[0] || first[1] !== last[1]) {
    return `has a ring that is not closed: it begins at ${pointText(first)} and ends at ${pointText(last)}`
  }
  if (turnOf(ring) !== 0) return `has a ring around a pole, at ${pointText(first)}`
  return undefined
}

function emptyRing(rings: readonly Ring[]): string | undefined {
  const empty = rings.find(ring => squareMetres(ring) < LEAST_SQUARE_METRES)
  return empty && `has a ring that encloses nothing, at ${pointText(empty[0] ?? [0, 0])}`
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

/** Edges that cross each other, be it of one ring or of two. They may touch. */
function crossing(edges: Edges): string | undefined {
  const index = new Flatbush(edges.length / 4)
  for (let at = 0; at < edges.length; at += 4) {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = edges.subarray(at, at + 4)
    index.add(Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2))
  }
  index.finish()
  for (let at = 0; at < edges.length; at += 4) {
    const edge = edges.subarray(at, at + 4)
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = edge
    const near = index.search(Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2))
    for (const other of near) {
      if (other * 4 > at && cross(edge, edges.subarray(other * 4, other * 4 + 4))) {
        return `crosses itself near ${pointText([x1, y1])}`
      }
    }
  }
  return undefined
}

/** Each edge passes from one side of the other to its other side. */
function cross(a: Edges, b: Edges): boolean {
  const [ax = 0, ay = 0, bx = 0, by = 0] = a
  const [cx = 0, cy = 0, dx = 0, dy = 0] = b
  return (
    side(ax, ay, bx, by, cx, cy) * side(ax, ay, bx, by, dx, dy) < 0 &&
    side(cx, cy, dx, dy, ax, ay) * side(cx, cy, dx, dy, bx, by) < 0
  )
}

/** On which side of the line from a to b the point is: -1, 0 on it, 1. */
function side(ax: number, ay: number, bx: number, by: number, x: number, y: number): number {
  return Math.sign((bx - ax) * (y - ay) - (by - ay) * (x - ax))
}

/** No edges cross, so a hole lies inside its outer ring as soon as one of its points does that is not on that ring. */
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
