import type { LineString, MultiPolygon, Polygon } from 'geojson'
import type { Area } from '../api/types.ts'
import { boundsOf, type LonLat } from '../base-map/lon-lat.ts'

/** What can be drawn. Rings are closed: the last point is the first. */
export type Shape =
  | { readonly type: 'polygon'; readonly polygons: readonly (readonly (readonly LonLat[])[])[] }
  | { readonly type: 'circle'; readonly center: LonLat; readonly radiusM: number }
  | { readonly type: 'corridor'; readonly line: readonly LonLat[]; readonly halfWidthM: number }

export type ShapeType = Shape['type']

/** Of a new circle or corridor, until the person says otherwise. */
export const USUAL_RADIUS_M = 150
export const USUAL_HALF_WIDTH_M = 30

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

/** What a map draws of a shape: a corridor without its width. Each edge goes the short way, also across the antimeridian. */
export function geometryOf(shape: Shape): Polygon | MultiPolygon | LineString {
  if (shape.type === 'corridor') return { type: 'LineString', coordinates: unbroken(shape.line) }
  const polygons = shape.type === 'circle' ? [[circleRing(shape.center, shape.radiusM)]] : shape.polygons
  const [only = [], ...others] = polygons.map(rings => rings.map(unbroken))
  return others.length === 0
    ? { type: 'Polygon', coordinates: only }
    : { type: 'MultiPolygon', coordinates: [only, ...others] }
}

function unbroken(line: readonly LonLat[]): number[][] {
  let before = line[0]?.[0] ?? 0
  return line.map(([longitude, latitude]) => {
    before = longitude + 360 * Math.round((before - longitude) / 360)
    return [rounded(before), rounded(latitude)]
  })
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
  const [west, south, east, north] = boundsOf(extentOf(shape)) ?? [0, 0, 0, 0]
  return (east - west) ** 2 + (north - south) ** 2
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
