import type { Feature, FeatureCollection } from 'geojson'
import type { GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl'
import type { Area } from '../api/types.ts'
import type { LonLat } from '../base-map/lon-lat.ts'
import { circleRing, type Shape, shapeOf } from './shape.ts'

const SOURCE = 'areas'
const CORRIDORS = 'areas-corridors'
const FILLS = 'areas-fill'

/** Pixels of a metre at the equator at zoom 0, and how much larger they are at zoom 22. */
const PIXELS_PER_METRE = 512 / 40_075_017
const TO_ZOOM_22 = 2 ** 22

/** The layers of areas, still empty. */
export function addAreaLayers(map: MapLibreMap, isDark: boolean): void {
  map.addSource(SOURCE, { type: 'geojson', data: collection([]) })
  const width = ['get', 'width'] as const
  map.addLayer({
    id: CORRIDORS,
    type: 'line',
    source: SOURCE,
    filter: ['==', ['geometry-type'], 'LineString'],
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: {
      'line-color': ['get', 'color'],
      'line-opacity': 0.35,
      // As wide as it is on the ground.
      'line-width': ['interpolate', ['exponential', 2], ['zoom'], 0, [...width], 22, ['*', TO_ZOOM_22, [...width]]],
    },
  })
  map.addLayer({
    id: FILLS,
    type: 'fill',
    source: SOURCE,
    filter: ['==', ['geometry-type'], 'Polygon'],
    paint: { 'fill-color': ['get', 'color'], 'fill-opacity': isDark ? 0.35 : 0.25 },
  })
  map.addLayer({
    id: 'areas-line',
    type: 'line',
    source: SOURCE,
    paint: { 'line-color': ['get', 'color'], 'line-width': ['case', ['get', 'isChosen'], 4, 2] },
  })
}

/** Ids of the areas at a point of the map, the smallest drawing on top first. */
export const AREA_LAYERS = [FILLS, CORRIDORS] as const

export function showAreas(map: MapLibreMap, areas: readonly Area[], chosenId: string | undefined): void {
  const features = areas.flatMap((area): Feature[] => {
    const shape = shapeOf(area)
    if (!shape) return []
    const properties = { id: area.id, color: area.color, isChosen: area.id === chosenId, width: widthOf(shape) }
    return [{ type: 'Feature', properties, geometry: geometryOf(shape) }]
  })
  void map.getSource<GeoJSONSource>(SOURCE)?.setData(collection(features))
}

function widthOf(shape: Shape): number {
  if (shape.type !== 'corridor') return 0
  const latitude = shape.line[0]?.[1] ?? 0
  return (2 * shape.halfWidthM * PIXELS_PER_METRE) / Math.cos((latitude * Math.PI) / 180)
}

function geometryOf(shape: Shape): Feature['geometry'] {
  if (shape.type === 'circle')
    return { type: 'Polygon', coordinates: [positions(circleRing(shape.center, shape.radiusM))] }
  if (shape.type === 'corridor') return { type: 'LineString', coordinates: positions(unbroken(shape.line)) }
  return {
    type: 'MultiPolygon',
    coordinates: shape.polygons.map(rings => rings.map(ring => positions(unbroken(ring)))),
  }
}

/** Without the jump at the antimeridian: each edge is drawn the short way. */
function unbroken(line: readonly LonLat[]): LonLat[] {
  let before = line[0]?.[0] ?? 0
  return line.map(([longitude, latitude]) => {
    before = longitude + 360 * Math.round((before - longitude) / 360)
    return [before, latitude]
  })
}

function positions(points: readonly LonLat[]): number[][] {
  return points.map(point => [...point])
}

function collection(features: Feature[]): FeatureCollection {
  return { type: 'FeatureCollection', features }
}
