import type { Geometry, Position } from 'geojson'
import { checkShape } from './check-shape.ts'
import type { AreaShape, LonLat, Polygon, Ring } from './shape.ts'

/** A shape as GeoJSON (RFC 7946), which knows neither circles nor corridors: a point with a radius, a line with a width. */
interface ShapeGeometry {
  readonly geometry: AreaGeometry
  /** Of a circle, else null. */
  readonly radiusM: number | null
  /** Of a corridor, else null. */
  readonly halfWidthM: number | null
}

export type AreaGeometry = Extract<Geometry, { type: AreaGeometryType }>
export const AREA_GEOMETRY_TYPES = ['Polygon', 'MultiPolygon', 'Point', 'LineString'] as const
type AreaGeometryType = (typeof AREA_GEOMETRY_TYPES)[number]

/** A shape, or why there is none: the end of a sentence that begins with what it was to be the shape of. */
export type ReadShape = { readonly shape: AreaShape } | { readonly reason: string }

export function geometryOf(shape: AreaShape): ShapeGeometry {
  const none = { radiusM: null, halfWidthM: null }
  if (shape.type === 'circle') {
    return { ...none, geometry: { type: 'Point', coordinates: [...shape.center] }, radiusM: shape.radiusM }
  }
  if (shape.type === 'corridor') {
    const coordinates = shape.line.map(positionOf)
    return { ...none, geometry: { type: 'LineString', coordinates }, halfWidthM: shape.halfWidthM }
  }
  const polygons = shape.polygons.map(rings => rings.map(ring => ring.map(positionOf)))
  const [only = []] = polygons
  return {
    ...none,
    geometry:
      polygons.length === 1 ? { type: 'Polygon', coordinates: only } : { type: 'MultiPolygon', coordinates: polygons },
  }
}

function positionOf([longitude, latitude]: LonLat): Position {
  return [longitude, latitude]
}

/** Reads what a client sent. Altitudes are left out. */
export function readGeometry(geometry: unknown, sizes: { radiusM?: unknown; halfWidthM?: unknown }): ReadShape {
  const read = shapeOf(geometry, sizes)
  if ('reason' in read) return read
  const reason = checkShape(read.shape)
  return reason === undefined ? read : { reason }
}

function shapeOf(geometry: unknown, { radiusM, halfWidthM }: { radiusM?: unknown; halfWidthM?: unknown }): ReadShape {
  if (!isObject(geometry)) return { reason: 'has no geometry' }
  const { type, coordinates } = geometry
  switch (type) {
    case 'Point': {
      const center = pointOf(coordinates)
      if (!center) return wrongCoordinates(type, 'a longitude and a latitude')
      if (typeof radiusM !== 'number') return { reason: 'is a point without radiusM, its radius in metres' }
      return { shape: { type: 'circle', center, radiusM } }
    }
    case 'LineString': {
      const line = lineOf(coordinates)
      if (!line) return wrongCoordinates(type, 'a list of points')
      if (typeof halfWidthM !== 'number') {
        return { reason: 'is a line without halfWidthM, the metres to its border on either side' }
      }
      return { shape: { type: 'corridor', line, halfWidthM } }
    }
    case 'Polygon': {
      const polygon = polygonOf(coordinates)
      return polygon ? { shape: { type: 'polygon', polygons: [polygon] } } : wrongCoordinates(type, 'a list of rings')
    }
    case 'MultiPolygon': {
      const polygons = all(coordinates, polygonOf)
      return polygons ? { shape: { type: 'polygon', polygons } } : wrongCoordinates(type, 'a list of polygons')
    }
    default:
      return { reason: `has a geometry that is not a ${AREA_GEOMETRY_TYPES.join(', ')}` }
  }
}

function wrongCoordinates(type: string, form: string): ReadShape {
  return { reason: `has coordinates that are not those of a ${type}: ${form}` }
}

function pointOf(value: unknown): LonLat | undefined {
  if (!Array.isArray(value)) return undefined
  const [longitude, latitude] = value as readonly unknown[]
  return typeof longitude === 'number' && typeof latitude === 'number' ? [longitude, latitude] : undefined
}

function lineOf(value: unknown): Ring | undefined {
  return all(value, pointOf)
}

function polygonOf(value: unknown): Polygon | undefined {
  const [outer, ...holes] = all(value, lineOf) ?? []
  return outer && [outer, ...holes]
}

/** A list of what `read` reads; undefined when it is no list or one of it can not be read. */
function all<T>(value: unknown, read: (item: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(value)) return undefined
  const items: T[] = []
  for (const item of value as readonly unknown[]) {
    const known = read(item)
    if (known === undefined) return undefined
    items.push(known)
  }
  return items
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
