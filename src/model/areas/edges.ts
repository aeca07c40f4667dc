import { eastwardDegrees } from '../earth.ts'
import type { AreaShape, LonLat, Ring } from './shape.ts'

/**
 * Lines as straight edges on a plane of degrees that is not cut at the antimeridian: longitudes go on beyond 180 where a
 * line crosses it. Four numbers an edge: longitude and latitude of its begin and of its end.
 */
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

/**
 * The edges of a shape's border, or of a corridor's line. Where two polygons share an edge, which is how GeoJSON cuts a
 * shape at the antimeridian, there is no border.
 */
export function borderEdgesOf(shape: Exclude<AreaShape, { type: 'circle' }>): Edges {
  if (shape.type === 'corridor') return edgesOf([shape.line])
  const edges = edgesOf(shape.polygons.flat())
  return shape.polygons.length > 1 ? withoutSharedEdges(edges) : edges
}

function withoutSharedEdges(edges: Edges): Edges {
  const counts = new Map<string, number>()
  const keys: string[] = []
  for (let at = 0; at < edges.length; at += 4) {
    const ends = [`${turnedKey(edges[at])} ${edges[at + 1]}`, `${turnedKey(edges[at + 2])} ${edges[at + 3]}`]
    const key = ends.sort().join(' ')
    keys.push(key)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return edges.filter((_, index) => counts.get(keys[Math.floor(index / 4)] ?? '') === 1)
}

/** The same for 180 and -180. */
function turnedKey(longitude = 0): number {
  const key = turned(longitude)
  return key === -180 ? 180 : key
}
