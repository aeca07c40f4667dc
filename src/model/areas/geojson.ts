import type { Feature, FeatureCollection, GeoJsonProperties } from 'geojson'
import { type AreaKind, areaKindOf } from '../../catalogue/area-kinds.ts'
import { badRequest } from '../errors.ts'
import { areaColorOf, areaNameOf, DEFAULT_AREA_COLOR, type DrawnArea, MOST_NAME_CHARACTERS } from './drawn-area.ts'
import { geometryOf, isObject, type ReadShape, readGeometry } from './geometry.ts'

/** What holds for imported features that do not say it themselves. */
export interface ImportDefaults {
  /** Kind of areas. */
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
  // What many programs draw with (simplestyle-spec 1.1).
  return { type: 'Feature', geometry, properties: { name, kind, ...sizes, stroke: color, fill: color } }
}

/**
 * The features of a FeatureCollection, a Feature or a geometry, as far as nothing is wrong with the document itself.
 * @throws ClientError 400
 */
export function featuresIn(document: unknown): readonly unknown[] {
  if (!isObject(document)) throw badRequest('The file is not GeoJSON: it must be an object.')
  if (document.type === 'FeatureCollection') {
    if (!Array.isArray(document.features)) throw badRequest('The file is not GeoJSON: features must be a list.')
    return document.features as readonly unknown[]
  }
  return [document.type === 'Feature' ? document : { type: 'Feature', geometry: document, properties: {} }]
}

/**
 * Reads one feature. Its properties `name`, `kind`, `color` (or `fill` or `stroke`), `radiusM` and `halfWidthM` count, and
 * everything else is left out.
 * @param place of the feature in its file, from 1
 * @throws ClientError 400 that names the feature and what is wrong with it.
 */
export function readFeature(feature: unknown, place: number, defaults: ImportDefaults): DrawnArea {
  if (!isObject(feature)) throw badRequest(`Area ${place} of the file is not a feature.`)
  const properties: GeoJsonProperties = isObject(feature.properties) ? feature.properties : {}
  const title = textIn(properties, 'name', 'title')
  const name = title === undefined ? `Area ${place}` : areaNameOf(title)
  const called = `Area ${place} of the file${title === undefined ? '' : ` (${JSON.stringify(title.slice(0, 60))})`}`
  if (name === undefined) {
    throw badRequest(`${called} has a name that is longer than ${MOST_NAME_CHARACTERS} or no legible text.`)
  }
  const read = shapeIn(feature.geometry, properties, defaults)
  if ('reason' in read) throw badRequest(`${called} ${read.reason}.`)
  const kind = areaKindOf(textIn(properties, 'kind') ?? '') ?? defaults.kind
  const color = areaColorOf(textIn(properties, 'color', 'fill', 'stroke') ?? '') ?? DEFAULT_AREA_COLOR
  return { name, kind, color, shape: read.shape }
}

function shapeIn(
  geometry: unknown,
  properties: Readonly<Record<string, unknown>>,
  { radiusM: usualRadiusM, halfWidthM: usualHalfWidthM }: ImportDefaults,
): ReadShape {
  const radiusM = metresIn(properties, 'radiusM', 'radius')
  const center = [numberIn(properties.longitude), numberIn(properties.latitude)]
  // A circle in a format without circles is drawn as a polygon, with what it really is beside it.
  if (radiusM !== undefined && center.every(degrees => degrees !== undefined)) {
    return readGeometry({ type: 'Point', coordinates: center }, { radiusM })
  }
  return readGeometry(withoutCollection(geometry), {
    radiusM: radiusM ?? usualRadiusM,
    halfWidthM: metresIn(properties, 'halfWidthM') ?? usualHalfWidthM,
  })
}

/** Several polygons can be a collection of geometries; a line or point in it is left as it is, and so is refused. */
function withoutCollection(geometry: unknown): unknown {
  if (!isObject(geometry) || geometry.type !== 'GeometryCollection' || !Array.isArray(geometry.geometries)) {
    return geometry
  }
  const parts = geometry.geometries as readonly unknown[]
  if (parts.length === 1) return parts[0]
  const polygons = parts.map(part => (isObject(part) && part.type === 'Polygon' ? part.coordinates : undefined))
  return polygons.includes(undefined) ? geometry : { type: 'MultiPolygon', coordinates: polygons }
}

function textIn(properties: Readonly<Record<string, unknown>>, ...names: readonly string[]): string | undefined {
  return names.map(name => properties[name]).find((value): value is string => typeof value === 'string' && value !== '')
}

function metresIn(properties: Readonly<Record<string, unknown>>, ...names: readonly string[]): number | undefined {
  return names.map(name => numberIn(properties[name])).find(value => value !== undefined)
}

/** Formats without types say numbers as texts. */
function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}
