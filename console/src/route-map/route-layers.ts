import type { FeatureCollection } from 'geojson'
import type { GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl'
import type { LonLat } from './polyline.ts'
import { speedRunsOf } from './speed-runs.ts'
import type { TrackPoint } from './track.ts'

/** Something that happened on the way. */
export interface RouteMark {
  readonly timeMs: number
  readonly longitude: number
  readonly latitude: number
  readonly color: string
}

export const MARKS = 'route-marks'
const WAY = 'route-way'
const SPEEDS = 'route-speeds'

/** The layers of a route, still empty, in the order in which they lie on one another. */
export function addRouteLayers(map: MapLibreMap, isDark: boolean): void {
  for (const source of [WAY, SPEEDS, MARKS]) map.addSource(source, { type: 'geojson', data: collection([]) })
  const layout = { 'line-cap': 'round', 'line-join': 'round' } as const
  const edge = isDark ? '#101418' : '#ffffff'
  const plain = isDark ? '#8fa3b0' : '#4a5a66'
  map.addLayer({ id: 'route-edge', type: 'line', source: WAY, layout, paint: { 'line-color': edge, 'line-width': 8 } })
  map.addLayer({ id: WAY, type: 'line', source: WAY, layout, paint: { 'line-color': plain, 'line-width': 4 } })
  map.addLayer({
    id: SPEEDS,
    type: 'line',
    source: SPEEDS,
    layout,
    paint: { 'line-color': ['coalesce', ['get', 'color'], plain], 'line-width': 5 },
  })
  map.addLayer({
    id: MARKS,
    type: 'circle',
    source: MARKS,
    paint: {
      'circle-radius': 6,
      'circle-color': ['get', 'color'],
      'circle-stroke-color': edge,
      'circle-stroke-width': 2,
    },
  })
}

export function showWay(map: MapLibreMap, way: readonly LonLat[]): void {
  setData(map, WAY, [line(way, {})])
}

export function showSpeeds(map: MapLibreMap, track: readonly TrackPoint[]): void {
  setData(
    map,
    SPEEDS,
    speedRunsOf(track).map(({ points, color }) => line(points, { color: color ?? null })),
  )
}

export function showMarks(map: MapLibreMap, marks: readonly RouteMark[]): void {
  setData(
    map,
    MARKS,
    marks.map(({ longitude, latitude, color, timeMs }) => ({
      type: 'Feature',
      properties: { color, timeMs },
      geometry: { type: 'Point', coordinates: [longitude, latitude] },
    })),
  )
}

function line(points: readonly LonLat[], properties: Record<string, unknown>): FeatureCollection['features'][number] {
  return { type: 'Feature', properties, geometry: { type: 'LineString', coordinates: points.map(point => [...point]) } }
}

function setData(map: MapLibreMap, source: string, features: FeatureCollection['features']): void {
  void map.getSource<GeoJSONSource>(source)?.setData(collection(features))
}

function collection(features: FeatureCollection['features']): FeatureCollection {
  return { type: 'FeatureCollection', features }
}
