import type { Area } from '../api/types.ts'

export type LonLat = readonly [longitude: number, latitude: number]

/** What can be drawn. Rings are closed: the last point is the first. */
export type Shape =
  | { readonly type: 'polygon'; readonly polygons: readonly (readonly (readonly LonLat[])[])[] }
  | { readonly type: 'circle'; readonly center: LonLat; readonly radiusM: number }
  | { readonly type: 'corridor'; readonly line: readonly LonLat[]; readonly halfWidthM: number }

export type ShapeType = Shape['type']

type Drawn = Pick<Area, 'geometry' | 'radiusM' | 'halfWidthM'>

/** The shape of an area as the API shows it; undefined for one of a kind that is not known here. */
export function shapeOf({ geometry, radiusM, halfWidthM }: Drawn): Shape | undefined {
  const { type, coordinates } = geometry
  switch (type) {
    case 'Point':
      return { type: 'circle', center: pointIn(coordinates), radiusM: radiusM ?? 0 }
    case 'LineString':
      return { type: 'corridor', line: listIn(coordinates, pointIn), halfWidthM: halfWidthM ?? 0 }
    case 'Polygon':
      return { type: 'polygon', polygons: [listIn(coordinates, ringIn)] }
    case 'MultiPolygon':
      return { type: 'polygon', polygons: listIn(coordinates, polygon => listIn(polygon, ringIn)) }
    default:
      return undefined
  }
}

/** What the API wants of a shape. */
export function drawnOf(shape: Shape) {
  if (shape.type === 'circle')
    return { geometry: { type: 'Point' as const, coordinates: [...shape.center] }, radiusM: shape.radiusM }
  if (shape.type === 'corridor')
    return { geometry: { type: 'LineString' as const, coordinates: [...shape.line] }, halfWidthM: shape.halfWidthM }
  const [only] = shape.polygons
  return shape.polygons.length === 1 && only
    ? { geometry: { type: 'Polygon' as const, coordinates: [...only] } }
    : { geometry: { type: 'MultiPolygon' as const, coordinates: [...shape.polygons] } }
}

function ringIn(value: unknown): LonLat[] {
  return listIn(value, pointIn)
}

function pointIn(value: unknown): LonLat {
  const [longitude, latitude] = Array.isArray(value) ? (value as readonly unknown[]) : []
  return [Number(longitude), Number(latitude)]
}

function listIn<T>(value: unknown, read: (item: unknown) => T): T[] {
  return Array.isArray(value) ? value.map(read) : []
}

/** The points that a map must show to show the shape. */
export function extentOf(shape: Shape): readonly LonLat[] {
  if (shape.type === 'polygon') return shape.polygons.flat(2)
  return shape.type === 'circle' ? circleRing(shape.center, shape.radiusM, 8) : shape.line
}

const METRES_PER_DEGREE = 111_195
const RADIANS = Math.PI / 180

/** A circle as a ring with so many corners. Longitudes go on beyond 180, as maps draw them. */
export function circleRing([longitude, latitude]: LonLat, radiusM: number, corners = 64): LonLat[] {
  const north = radiusM / METRES_PER_DEGREE
  const east = north / Math.cos(latitude * RADIANS)
  return Array.from({ length: corners + 1 }, (_, corner): LonLat => {
    const angle = (2 * Math.PI * (corner % corners)) / corners
    return [longitude + east * Math.sin(angle), latitude + north * Math.cos(angle)]
  })
}

/** The circle around a ring that was drawn as one. */
export function circleOf(ring: readonly LonLat[]): { readonly center: LonLat; readonly radiusM: number } {
  const corners = ring.slice(0, -1)
  const mean = (of: (point: LonLat) => number) => corners.reduce((sum, point) => sum + of(point), 0) / corners.length
  const center: LonLat = [rounded(mean(([longitude]) => longitude)), rounded(mean(([, latitude]) => latitude))]
  const eastM = METRES_PER_DEGREE * Math.cos(center[1] * RADIANS)
  const radiusM = mean(([longitude, latitude]) =>
    Math.hypot((longitude - center[0]) * eastM, (latitude - center[1]) * METRES_PER_DEGREE),
  )
  return { center: onEarth(center), radiusM: Math.max(1, Math.round(radiusM)) }
}

/** Degrees to a centimetre. */
export function rounded(degrees: number): number {
  return Math.round(degrees * 1e7) / 1e7
}

/** A point as the API takes it, wherever on its repeated earth the map had it. */
export function onEarth([longitude, latitude]: LonLat): LonLat {
  return [rounded(longitude - 360 * Math.round(longitude / 360)), rounded(latitude)]
}
