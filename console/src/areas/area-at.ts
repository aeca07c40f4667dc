import type { Area } from '../api/types.ts'
import { extentOf, type LonLat, type Shape, shapeOf } from './shape.ts'

const METRES_PER_DEGREE = 111_195
const RADIANS = Math.PI / 180

/** Finds the name of the place that is at a point; empty where there is none. */
export type NameAt = (point: { readonly lat: number; readonly lon: number }) => string

/** By the areas of the account; of several that overlap, the smallest is meant. */
export function nameAtIn(areas: readonly Area[]): NameAt {
  const known = areas
    .flatMap(({ name, ...drawn }) => {
      const shape = shapeOf(drawn)
      return shape ? [{ name, shape, size: sizeOf(shape) }] : []
    })
    .sort((a, b) => a.size - b.size)
  return point => known.find(({ shape }) => isWithin(shape, point))?.name ?? ''
}

/** @returns about the square of its diagonal in degrees, for comparison with others */
function sizeOf(shape: Shape): number {
  const points = extentOf(shape)
  const spread = (of: (point: LonLat) => number) => {
    const values = points.map(of)
    return Math.max(...values) - Math.min(...values)
  }
  return spread(([longitude]) => longitude) ** 2 + spread(([, latitude]) => latitude) ** 2
}

function isWithin(shape: Shape, { lat, lon }: { readonly lat: number; readonly lon: number }): boolean {
  /** Metres east and north of the point, the short way round the earth. */
  const seen = ([longitude, latitude]: LonLat): Metres => {
    const east = longitude - lon
    return {
      east: (east - 360 * Math.round(east / 360)) * METRES_PER_DEGREE * Math.cos(lat * RADIANS),
      north: (latitude - lat) * METRES_PER_DEGREE,
    }
  }
  if (shape.type === 'circle') {
    const { east, north } = seen(shape.center)
    return Math.hypot(east, north) <= shape.radiusM
  }
  if (shape.type === 'corridor') {
    const line = shape.line.map(seen)
    return line.some((to, index) => distanceM(line[index - 1] ?? to, to) <= shape.halfWidthM)
  }
  return shape.polygons.some(rings => rings.filter(ring => isAround(ring.map(seen))).length % 2 === 1)
}

interface Metres {
  readonly east: number
  readonly north: number
}

/** How far a straight line passes from a point. */
function distanceM(from: Metres, to: Metres): number {
  const [east, north] = [to.east - from.east, to.north - from.north]
  const length = east ** 2 + north ** 2
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, -(from.east * east + from.north * north) / length))
  return Math.hypot(from.east + share * east, from.north + share * north)
}

/** Whether a ring goes around a point: a ray to the east meets it an odd number of times. */
function isAround(ring: readonly Metres[]): boolean {
  let isInside = false
  for (const [index, to] of ring.entries()) {
    const from = ring[index - 1] ?? to
    if (from.north > 0 === to.north > 0) continue
    if (from.east - (from.north * (to.east - from.east)) / (to.north - from.north) > 0) isInside = !isInside
  }
  return isInside
}
