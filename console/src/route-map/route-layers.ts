import type { FeatureCollection } from 'geojson'
import { type GeoJSONSource, type LngLat, type Map as MapLibreMap, Marker } from 'maplibre-gl'
import type { LonLat } from '../base-map/lon-lat.ts'
import { type CarOnTrack, speedRunsOf, type TrackPoint } from './track.ts'

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

/** Puts a letter at an end of the route. */
export function addEnd(map: MapLibreMap, place: LonLat, letter: string, name: string): Marker {
  const element = document.createElement('div')
  element.className = 'route-end'
  element.textContent = letter
  element.title = name
  label(element, name)
  return new Marker({ element }).setLngLat([...place]).addTo(map)
}

/** An arrow towards the north, which the marker turns. */
const CAR = `<svg viewBox="0 0 30 30" width="30" height="30" aria-hidden="true">
  <circle cx="15" cy="15" r="13" fill="#0b7285" stroke="#fff" stroke-width="2.5"/>
  <path d="M15 6 L21 21 L15 17.5 L9 21 Z" fill="#fff"/></svg>`

interface CarMarker {
  readonly move: (car: CarOnTrack | undefined) => void
  readonly remove: () => void
}

export function addCar(map: MapLibreMap, name: string): CarMarker {
  const element = document.createElement('div')
  element.className = 'route-car'
  element.innerHTML = CAR
  label(element, name)
  const marker = new Marker({ element, rotationAlignment: 'map' })
  let isShown = false
  let headingDeg = 0
  return {
    move: car => {
      if (!car) return
      headingDeg = car.headingDeg ?? headingDeg
      if (isShown) follow(map, marker.getLngLat(), car)
      marker.setLngLat([car.longitude, car.latitude]).setRotation(headingDeg)
      if (!isShown) marker.addTo(map)
      isShown = true
    },
    remove: () => marker.remove(),
  }
}

function label(element: HTMLElement, name: string): void {
  element.setAttribute('role', 'img')
  element.setAttribute('aria-label', name)
}

/** Follows the car when it drives out of view, unless the user has moved the map elsewhere. */
function follow(map: MapLibreMap, before: LngLat, { longitude, latitude }: CarOnTrack): void {
  const view = map.getBounds()
  if (view.contains(before) && !view.contains([longitude, latitude])) map.easeTo({ center: [longitude, latitude] })
}
