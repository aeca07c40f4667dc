import lakesUrl from 'mapeo-offline-map/dist/lakes.json?url'
import riversUrl from 'mapeo-offline-map/dist/rivers.json?url'
import type { ExpressionSpecification, Map as MapLibreMap } from 'maplibre-gl'
import { LETTERS, type Palette } from './palette.ts'

/** The data is rounded to a hundredth of a degree: closer, water would be drawn where there is none. */
const RIVERS_UP_TO_ZOOM = 10
const LAKES_UP_TO_ZOOM = 14
const fadingTo = (zoom: number): ExpressionSpecification => ['interpolate', ['linear'], ['zoom'], zoom - 2, 1, zoom, 0]

/** How wide rivers are drawn, by the weights that the data has: above the first and up to the second. */
const RIVER_CLASSES = [
  { id: 'small', above: 0, upTo: 0.25, weight: 0.2 },
  { id: 'large', above: 0.25, upTo: 0.5, weight: 0.36 },
  { id: 'great', above: 0.5, upTo: 2, weight: 0.75 },
] as const

/**
 * Adds rivers (Natural Earth, public domain, by mapeo-offline-map) to a map of outlines. The worker of the map loads them, so
 * the page does not wait.
 *
 * Widths depend on the zoom alone: the graphics card then draws rivers with the program that it has for borders. To compile one for
 * widths of each river took as long as all else of that frame, and where the processor draws, the page froze in the meantime.
 *
 * @param below the layer under which they are drawn
 */
export function addRivers(map: MapLibreMap, palette: Palette, below: string): void {
  map.addSource('rivers', { type: 'geojson', data: riversUrl, maxzoom: 9, tolerance: 0.5 })
  const weightOf: ExpressionSpecification = ['get', 'strokeweig']
  for (const { id, above, upTo, weight } of RIVER_CLASSES)
    map.addLayer(
      {
        id: `rivers-${id}`,
        type: 'line',
        source: 'rivers',
        maxzoom: RIVERS_UP_TO_ZOOM,
        filter: [
          'all',
          ['<=', ['get', 'min_zoom'], ['+', ['zoom'], 1]],
          ['>', weightOf, above],
          ['<=', weightOf, upTo],
        ],
        layout: { 'line-join': 'round', 'line-cap': 'round' },
        paint: {
          'line-color': palette.river,
          'line-width': ['interpolate', ['linear'], ['zoom'], 2, 1.5 * weight, 8, 5 * weight],
          'line-opacity': fadingTo(RIVERS_UP_TO_ZOOM),
        },
      },
      below,
    )
}

/** The same with lakes and their names; shores are drawn as borders are, not by a program of their own. */
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
        'fill-antialias': false,
        'fill-opacity': fadingTo(LAKES_UP_TO_ZOOM),
      },
    },
    below,
  )
  map.addLayer(
    {
      id: 'shores',
      type: 'line',
      source: 'lakes',
      maxzoom: LAKES_UP_TO_ZOOM,
      paint: { 'line-color': palette.coast, 'line-width': 1, 'line-opacity': fadingTo(LAKES_UP_TO_ZOOM) },
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
