import './route-map.css'
import { useComputedColorScheme } from '@mantine/core'
import type { Feature, FeatureCollection } from 'geojson'
import { type GeoJSONSource, type Map as MapLibreMap, Marker } from 'maplibre-gl'
import { useEffect, useEffectEvent } from 'react'
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

interface Route {
  readonly way: readonly LonLat[]
  /** Colours the way by speed where it is known. */
  readonly track?: readonly TrackPoint[]
  readonly marks: readonly RouteMark[]
  /** Where it begins and ends, with what is said of these places. */
  readonly ends: readonly { readonly place: LonLat; readonly letter: string; readonly name: string }[]
}

const NO_TRACK: readonly TrackPoint[] = []

/** Draws a route on a map, and keeps it up to date. */
export function useRouteOn(map: MapLibreMap | undefined, { way, track = NO_TRACK, marks, ends }: Route): void {
  const isDark = useComputedColorScheme('light') === 'dark'
  const furnish = useEffectEvent((bare: MapLibreMap) => addRouteLayers(bare, isDark))
  useEffect(() => {
    if (map) furnish(map)
  }, [map])
  useEffect(() => {
    if (map) setData(map, WAY, [line(way, {})])
  }, [map, way])
  useEffect(() => {
    if (!map) return
    const runs = speedRunsOf(track)
    setData(
      map,
      SPEEDS,
      runs.map(({ points, color }) => line(points, { color: color ?? null })),
    )
  }, [map, track])
  useEffect(() => {
    if (!map) return
    const points = marks.map(
      ({ longitude, latitude, color, timeMs }): Feature => ({
        type: 'Feature',
        properties: { color, timeMs },
        geometry: { type: 'Point', coordinates: [longitude, latitude] },
      }),
    )
    setData(map, MARKS, points)
  }, [map, marks])
  const endsText = JSON.stringify(ends)
  useEffect(() => {
    if (!map) return undefined
    const markers = (JSON.parse(endsText) as Route['ends']).map(({ place, letter, name }) => {
      const element = elementOf('route-end', name)
      element.textContent = letter
      element.title = name
      return new Marker({ element }).setLngLat([...place]).addTo(map)
    })
    return () => {
      for (const marker of markers) marker.remove()
    }
  }, [map, endsText])
}

/** The layers of a route, still empty, in the order in which they lie on one another. */
function addRouteLayers(map: MapLibreMap, isDark: boolean): void {
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

function line(points: readonly LonLat[], properties: Record<string, unknown>): Feature {
  return { type: 'Feature', properties, geometry: { type: 'LineString', coordinates: points.map(point => [...point]) } }
}

function setData(map: MapLibreMap, source: string, features: Feature[]): void {
  void map.getSource<GeoJSONSource>(source)?.setData(collection(features))
}

function collection(features: Feature[]): FeatureCollection {
  return { type: 'FeatureCollection', features }
}

/** An arrow towards the north, which the marker turns. */
const CAR = `<svg viewBox="0 0 30 30" width="30" height="30" aria-hidden="true">
  <circle cx="15" cy="15" r="13" fill="#0b7285" stroke="#fff" stroke-width="2.5"/>
  <path d="M15 6 L21 21 L15 17.5 L9 21 Z" fill="#fff"/></svg>`

/** Puts a car on the map. @returns what moves it, and what removes it */
export function addCar(map: MapLibreMap, name: string) {
  const element = elementOf('route-car', name)
  element.innerHTML = CAR
  const marker = new Marker({ element, rotationAlignment: 'map' })
  let isAdded = false
  return {
    move: ({ longitude, latitude, headingDeg = marker.getRotation() }: CarOnTrack) => {
      marker.setLngLat([longitude, latitude]).setRotation(headingDeg)
      if (!isAdded) marker.addTo(map)
      isAdded = true
    },
    remove: () => marker.remove(),
  }
}

function elementOf(className: string, name: string): HTMLElement {
  const element = document.createElement('div')
  element.className = className
  element.setAttribute('role', 'img')
  element.setAttribute('aria-label', name)
  return element
}
