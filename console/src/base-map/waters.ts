import lakesUrl from 'mapeo-offline-map/dist/lakes.json?url'
import riversUrl from 'mapeo-offline-map/dist/rivers.json?url'
import type { ExpressionSpecification, Map as MapLibreMap } from 'maplibre-gl'
import { LETTERS, type Palette } from './palette.ts'

/** The data is rounded to a hundredth of a degree: closer, water would be drawn where there is none. */
const RIVERS_UP_TO_ZOOM = 10
const LAKES_UP_TO_ZOOM = 14
const fadingTo = (zoom: number): ExpressionSpecification => ['interpolate', ['linear'], ['zoom'], zoom - 2, 1, zoom, 0]

/**
 * Adds rivers (Natural Earth, public domain, by mapeo-offline-map) to a map of outlines. The worker of the map loads them, so
 * the page does not wait.
 *
 * @param below the layer under which they are drawn
 */
export function addRivers(map: MapLibreMap, palette: Palette, below: string): void {
  map.addSource('rivers', { type: 'geojson', data: riversUrl, maxzoom: 9, tolerance: 0.5 })
  map.addLayer(
    {
      id: 'rivers',
      type: 'line',
      source: 'rivers',
      maxzoom: RIVERS_UP_TO_ZOOM,
      filter: ['<=', ['get', 'min_zoom'], ['+', ['zoom'], 1]],
      layout: { 'line-join': 'round', 'line-cap': 'round' },
      paint: {
        'line-color': palette.river,
        'line-width': [
          'interpolate',
          ['linear'],
          ['zoom'],
          2,
          ['*', 1.5, ['get', 'strokeweig']],
          8,
          ['*', 5, ['get', 'strokeweig']],
        ],
        'line-opacity': fadingTo(RIVERS_UP_TO_ZOOM),
      },
    },
    below,
  )
}

/** The same with lakes and their names. */
export function addLakes(map: MapLibreMap, palette: Palette, below: string): void {
  map.addSource('lakes', { type: 'geojson', data: lakesUrl, maxzoom: 9 })
  map.addLayer(
    {
      id: 'lakes',
      type: 'fill',
      source: 'lakes',
      maxzoom: LAKES_UP_TO_ZOOM,
      paint: {
        'fill-color': palette.water,
        'fill-outline-color': palette.coast,
        'fill-opacity': fadingTo(LAKES_UP_TO_ZOOM),
      },
    },
    below,
  )
  map.addLayer(
    {
      id: 'lake-names',
      type: 'symbol',
      source: 'lakes',
      minzoom: 6,
      maxzoom: LAKES_UP_TO_ZOOM,
      filter: ['!=', ['coalesce', ['get', 'name'], ''], ''],
      layout: {
        'text-field': ['get', 'name'],
        'text-font': LETTERS,
        'text-size': 11,
        'text-max-width': 6,
        'text-padding': 12,
      },
      paint: { 'text-color': palette.waterName, 'text-halo-color': palette.water, 'text-halo-width': 1 },
    },
    below,
  )
}
