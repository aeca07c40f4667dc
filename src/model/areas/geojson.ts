import type { Feature, FeatureCollection, GeoJsonProperties, Geometry, Position } from 'geojson'
import { type AreaKind, areaKindOf } from '../../catalogue/area-kinds.ts'
import { badRequest } from '../errors.ts'
import { isObject } from '../json-object.ts'
import { measurable, type ReadShape } from './check-shape.ts'
import {
  type AreaShape,
  areaColorOf,
  DEFAULT_AREA_COLOR,
  type DrawnArea,
  type LonLat,
  MOST_NAME_CHARACTERS,
  type Polygon,
  type Ring,
} from './shape.ts'

/** Values of imported features that do not have their own. */
export interface ImportDefaults {
  readonly kind: AreaKind
  /** Radius of points in metres. */
  readonly radiusM: number | undefined
  /** Metres from a line to the border on either side. */
  readonly halfWidthM: number | undefined
}

/** Areas as a file of GeoJSON, which `readAreaFeatures` reads again as it was. */
export function featuresOf(areas: readonly DrawnArea[]): FeatureCollection {
  return { type: 'FeatureCollection', features: areas.map(featureOf) }
}

function featureOf({ name, kind, color, shape }: DrawnArea): Feature {
  const { geometry, radiusM, halfWidthM } = geometryOf(shape)
  const sizes = { ...(radiusM === null ? {} : { radiusM }), ...(halfWidthM === null ? {} : { halfWidthM }) }
  // Many programs draw with these (simplestyle-spec 1.1).
  return { type: 'Feature', geometry, properties: { name, kind, ...sizes, stroke: color, fill: color } }
}

/** The features of a FeatureCollection, a Feature or a geometry, not checked by themselves. @throws ClientError 400 */
export function featuresIn(document: unknown): readonly unknown[] {
  if (!isObject(document)) throw badRequest('The file is not GeoJSON: it must be an object.')
  if (document.type === 'FeatureCollection') {
    if (!Array.isArray(document.features)) throw badRequest('The file is not GeoJSON: features must be a list.')
    const isCollection = (each: unknown) => isObject(each) && each.type === 'FeatureCollection'
    return document.features.flatMap((each: unknown) => (isCollection(each) ? featuresIn(each) : [each]))
  }
  return [document.type === 'Feature' ? document : { type: 'Feature', geometry: document, properties: {} }]
}

/** What an import takes of a feature, and in sentences what it passes over and why. */
interface ReadFeature {
  readonly areas: readonly DrawnArea[]
  readonly passedOver: readonly string[]
}

/** Reads `name`, `kind`, `color` (or `fill` or `stroke`), `radiusM` and `halfWidthM` of a feature. Its polygons are one
 * area, else each line is one, else each point: beside what is larger, these are labels.
 * @param place in its file, from 1 */
export function readFeature(feature: unknown, place: number, defaults: ImportDefaults): ReadFeature {
  if (!isObject(feature)) return { areas: [], passedOver: [`Area ${place} of the file is not a feature.`] }
  const properties: GeoJsonProperties = isObject(feature.properties) ? feature.properties : {}
  const title = textIn(properties, 'name', 'title')
  const called = `Area ${place} of the file${title === undefined ? '' : ` (${JSON.stringify(title.slice(0, 60))})`}`
  const kind = areaKindOf(textIn(properties, 'kind') ?? '') ?? defaults.kind
  const color = areaColorOf(textIn(properties, 'color', 'fill', 'stroke') ?? '') ?? DEFAULT_AREA_COLOR
  const areas: DrawnArea[] = []
  const passedOver: string[] = []
  for (const read of shapesIn(feature.geometry, properties, defaults)) {
    if ('reason' in read) passedOver.push(`${called} ${read.reason}.`)
    else areas.push({ name: title ?? `Area ${place}`, kind, color, shape: read.shape })
  }
  return { areas, passedOver }
}

function shapesIn(
  geometry: unknown,
  properties: Readonly<Record<string, unknown>>,
  { radiusM: usualRadiusM, halfWidthM: usualHalfWidthM }: ImportDefaults,
): readonly ReadShape[] {
  const radiusM = metresIn(properties, 'radiusM', 'radius')
  const center = [numberIn(properties.longitude), numberIn(properties.latitude)]
  // A circle in a format without circles is drawn as a polygon, with what it really is beside it.
  if (radiusM !== undefined && center.every(degrees => degrees !== undefined)) {
    return [readGeometry({ type: 'Point', coordinates: center }, { radiusM })]
  }
  const sizes = {
    radiusM: radiusM ?? usualRadiusM,
    halfWidthM: metresIn(properties, 'halfWidthM') ?? usualHalfWidthM,
  }
  const parts = singleGeometries(geometry)
  const type = ['Polygon', 'LineString', 'Point'].find(each => parts.some(part => part.type === each))
  if (type === undefined) return [readGeometry(geometry, sizes)]
  const drawn = parts.filter(part => part.type === type)
  const labels = parts.filter(part => part.type !== type)
  const polygons = { type: 'MultiPolygon', coordinates: drawn.map(part => part.coordinates) }
  const areas = type === 'Polygon' && drawn.length > 1 ? [polygons] : drawn
  return [
    ...areas.map(area => readGeometry(area, sizes)),
    ...labels.map(label => ({ reason: `has a ${typeText(label.type)} beside its area, taken for its label` })),
  ]
}

/** What collections and geometries of several parts consist of, however deep. */
function singleGeometries(geometry: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!isObject(geometry)) return []
  const { type, geometries, coordinates } = geometry
  if (Array.isArray(geometries)) return geometries.flatMap(singleGeometries)
  if (typeof type !== 'string' || !type.startsWith('Multi') || !Array.isArray(coordinates)) return [geometry]
  return coordinates.map((part: unknown) => ({ type: type.slice('Multi'.length), coordinates: part }))
}

/** Numbers are texts, too, and a line that breaks is one. Many programs write names of properties in capitals. */
function textIn(properties: Readonly<Record<string, unknown>>, ...names: readonly string[]): string | undefined {
  const entries = Object.entries(properties)
  const values = names.flatMap(name => [
    properties[name],
    ...entries.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value),
  ])
  return values.map(oneLine).find(text => text !== '')
}

function oneLine(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return ''
  const lines = String(value).split(/\p{Cc}/u)
  const line = lines.map(text => text.trim()).filter(text => text !== '')
  return line.join(' ').slice(0, MOST_NAME_CHARACTERS).toWellFormed().trim()
}

function metresIn(properties: Readonly<Record<string, unknown>>, ...names: readonly string[]): number | undefined {
  return names.map(name => numberIn(properties[name])).find(value => value !== undefined)
}

/** Formats without types say numbers as texts. */
function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

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
  return 'reason' in read ? read : measurable(read.shape)
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
      return { reason: `has a geometry that is not a ${AREA_GEOMETRY_TYPES.join(', ')}, but a ${typeText(type)}` }
  }
}

function typeText(type: unknown): string {
  return typeof type === 'string' ? type.slice(0, 40) : 'nameless one'
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
  const [outer, ...holes] = all(value, ringOf) ?? []
  return outer && [outer, ...holes]
}

/** Nobody means anything else by a ring that is not closed. */
function ringOf(value: unknown): Ring | undefined {
  const line = lineOf(value)
  const [first] = line ?? []
  const last = line?.at(-1)
  return !line || !first || (first[0] === last?.[0] && first[1] === last[1]) ? line : [...line, first]
}

/** A list of what `read` reads; undefined when it is no list or one of it cannot be read. */
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
