import type { FeatureCollection } from 'geojson'
import type {
  ExpressionSpecification,
  FillLayerSpecification,
  GeoJSONSource,
  LineLayerSpecification,
  Map as MapLibreMap,
  StyleSpecification,
  SymbolLayerSpecification,
} from 'maplibre-gl'
import type { Language } from '../language/language.ts'
import bordersUrl from './outlines/borders-coarse.json?url'
import fineBordersUrl from './outlines/borders-fine.json?url'
import countries from './outlines/countries.json'
import lakesUrl from './outlines/lakes.json?url'
import landUrl from './outlines/land-coarse.json?url'
import fineLandUrl from './outlines/land-fine.json?url'
import riversUrl from './outlines/rivers.json?url'
import { LETTERS, paletteOf } from './palette.ts'
import { placeLayers, placesSource } from './place-labels.ts'

/** What comes when all else is there: it takes six times as long to load and must not delay what matters. */
const FINER = { rivers: riversUrl, lakes: lakesUrl, land: fineLandUrl, borders: fineBordersUrl }

const NOTHING: FeatureCollection = { type: 'FeatureCollection', features: [] }

/** The data of rivers and lakes is rounded to a hundredth of a degree: closer, water would be drawn where there is none. */
const RIVERS_UP_TO_ZOOM = 10
const LAKES_UP_TO_ZOOM = 14
/** Deeper than a map goes. */
const ALWAYS = 24
const fadingTo = (zoom: number): ExpressionSpecification => ['interpolate', ['linear'], ['zoom'], zoom - 2, 1, zoom, 0]

/** How wide rivers are drawn, by the weights that the data has: above the first and up to the second. */
const RIVER_CLASSES = [
  { above: 0, upTo: 0.25, width: 0.2 },
  { above: 0.25, upTo: 0.5, width: 0.36 },
  { above: 0.5, upTo: 2, width: 0.75 },
] as const

/**
 * A base map that sends requests to our own server only: land, waters, borders and names of countries (Natural Earth, public
 * domain), at first coarse, and names of places. It names no fonts, so the map library draws letters with those of the system.
 */
export function outlinesStyle(language: Language, isDark: boolean): StyleSpecification {
  const palette = paletteOf(isDark)
  const geojson = { type: 'geojson', maxzoom: 10 } as const
  return {
    version: 8,
    sources: {
      land: { ...geojson, data: landUrl, attribution: 'Natural Earth' },
      borders: { ...geojson, data: bordersUrl },
      rivers: { ...geojson, data: NOTHING, maxzoom: 9, tolerance: 0.2 },
      lakes: { ...geojson, data: NOTHING, maxzoom: 9 },
      countries: { ...geojson, data: countryNames(language) },
      places: placesSource(),
    },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': palette.water } },
      fill('land', palette.land),
      line('coast', 'land', palette.coast),
      ...RIVER_CLASSES.map(river => riverLayer(river, palette.river)),
      fill('lakes', palette.water, LAKES_UP_TO_ZOOM),
      line('shores', 'lakes', palette.coast, LAKES_UP_TO_ZOOM),
      line('borders', 'borders', palette.border),
      {
        id: 'lake-names',
        type: 'symbol',
        source: 'lakes',
        minzoom: 6,
        maxzoom: LAKES_UP_TO_ZOOM,
        filter: ['!=', ['coalesce', ['get', 'name'], ''], ''],
        layout: { ...NAMES, 'text-size': 11, 'text-max-width': 6, 'text-padding': 12 },
        paint: { 'text-color': palette.waterName, 'text-halo-color': palette.water, 'text-halo-width': 1 },
      },
      ...placeLayers(language, palette),
      {
        id: 'countries',
        type: 'symbol',
        source: 'countries',
        maxzoom: 7,
        layout: {
          ...NAMES,
          'text-size': ['interpolate', ['linear'], ['zoom'], 1, 10, 6, 15],
          'text-max-width': 8,
          'text-padding': 8,
        },
        paint: { 'text-color': palette.countryName, 'text-halo-color': palette.land, 'text-halo-width': 1.5 },
      },
    ],
  }
}

const NAMES: SymbolLayerSpecification['layout'] = { 'text-field': ['get', 'name'], 'text-font': LETTERS }

/** Its edge is a line of its own. */
function fill(source: string, color: string, maxzoom = ALWAYS): FillLayerSpecification {
  const paint = { 'fill-color': color, 'fill-antialias': false, 'fill-opacity': fadingTo(maxzoom) }
  return { id: source, type: 'fill', source, maxzoom, paint }
}

function line(id: string, source: string, color: string, maxzoom = ALWAYS): LineLayerSpecification {
  const paint = { 'line-color': color, 'line-width': 1, 'line-opacity': fadingTo(maxzoom) }
  return { id, type: 'line', source, maxzoom, paint }
}

/**
 * Widths depend on the zoom alone: the graphics card then draws rivers with the program that it has for borders. To compile one for
 * widths of each river took as long as all else of that frame, and where the processor draws, the page froze in the meantime.
 */
function riverLayer({ above, upTo, width }: (typeof RIVER_CLASSES)[number], color: string): LineLayerSpecification {
  const layer = line(`rivers-${upTo}`, 'rivers', color, RIVERS_UP_TO_ZOOM)
  const weight: ExpressionSpecification = ['get', 'strokeweig']
  return {
    ...layer,
    filter: ['all', ['<=', ['get', 'min_zoom'], ['+', ['zoom'], 1]], ['>', weight, above], ['<=', weight, upTo]],
    layout: { 'line-join': 'round', 'line-cap': 'round' },
    paint: { ...layer.paint, 'line-width': ['interpolate', ['linear'], ['zoom'], 2, 1.5 * width, 8, 5 * width] },
  }
}

/** Where to write the name of each country, and what it is called in the language; the largest come first where there is no room for all. */
export function countryNames(language: Language): FeatureCollection {
  const names = new Intl.DisplayNames(language, { type: 'region' })
  return {
    type: 'FeatureCollection',
    features: Object.entries(countries).map(([code, coordinates]) => ({
      type: 'Feature',
      // A few have no code, and keep their English name.
      properties: { name: code.length === 2 ? names.of(code) : code },
      geometry: { type: 'Point', coordinates },
    })),
  }
}

/** So long the finer data of one kind may take, though cars that move keep the map busy. */
const STEP_AT_MOST_MS = 1000

/** Draws the outlines of a map finer (1:50m), with rivers and lakes; one after the other, so that the page gets its turn in between. */
export async function refineOutlines(map: MapLibreMap, signal: AbortSignal): Promise<void> {
  for (const [source, url] of Object.entries(FINER)) {
    // The map may have got another style meanwhile.
    if (signal.aborted) return
    await map.getSource<GeoJSONSource>(source)?.setData(url)
    await Promise.race([map.once('idle'), new Promise(resolve => setTimeout(resolve, STEP_AT_MOST_MS))])
  }
}
