import type { FeatureCollection, Geometry } from 'geojson'
import type { GeoJSONSource, Map as MapLibreMap, StyleSpecification } from 'maplibre-gl'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import fineAtlasUrl from 'world-atlas/countries-50m.json?url'
import coarseAtlasUrl from 'world-atlas/countries-110m.json?url'
import type { Language } from '../language/language.ts'
import { countryLabels } from './country-labels.ts'
import { LETTERS, type Palette, paletteOf } from './palette.ts'
import { placeLayers, placesSource } from './place-labels.ts'
import { unwrapped, unwrappedFeatures } from './unwrapped.ts'
import { addLakes, addRivers } from './waters.ts'

type Atlas = Topology<{ countries: GeometryCollection<{ name: string }>; land: GeometryCollection }>

/** Layers above are names; what is filled in later is drawn below. */
const HIGHEST_GROUND = 'borders'

const atlases = new Map<string, Promise<Atlas>>()

async function loadAtlas(url: string): Promise<Atlas> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`country outlines: status ${response.status}`)
  return (await response.json()) as Atlas
}

/** Loaded once; a failed load is retried. */
function atlasAt(url: string): Promise<Atlas> {
  const known = atlases.get(url)
  if (known) return known
  const loading = loadAtlas(url)
  atlases.set(url, loading)
  loading.catch(() => atlases.delete(url))
  return loading
}

/**
 * A base map that sends requests to our own server only: land, borders and names of countries (Natural Earth, public domain, by
 * world-atlas), at first coarse, and names of places. It names no fonts, so the map library draws letters with those of the
 * system.
 */
export async function outlinesStyle(language: Language, isDark: boolean): Promise<StyleSpecification> {
  return styleOf(await atlasAt(coarseAtlasUrl), language, paletteOf(isDark))
}

/**
 * Draws the outlines of a map finer (1:50m), with rivers and lakes: that takes six times as long to load and must not
 * delay what matters.
 */
export async function refineOutlines(map: MapLibreMap, isDark: boolean, signal: AbortSignal): Promise<void> {
  const palette = paletteOf(isDark)
  const topology = atlasAt(fineAtlasUrl)
  topology.catch(() => undefined)
  const steps: readonly (() => unknown)[] = [
    () => addRivers(map, palette, HIGHEST_GROUND),
    () => addLakes(map, palette, HIGHEST_GROUND),
    async () => map.getSource<GeoJSONSource>('land')?.setData(landOf(await topology)),
    async () => map.getSource<GeoJSONSource>('borders')?.setData(bordersOf(await topology)),
  ]
  // Each step takes nearly as long as a person would notice, so the page gets its turn in between.
  for (const step of steps) {
    if (signal.aborted) return
    await step()
    await Promise.race([map.once('idle'), new Promise(resolve => setTimeout(resolve, STEP_AT_MOST_MS))])
  }
}

/** After which the next step comes, though cars that move keep the map busy. */
const STEP_AT_MOST_MS = 1000

function landOf(topology: Atlas) {
  return unwrappedFeatures(feature(topology, topology.objects.land))
}

function bordersOf(topology: Atlas) {
  return unwrapped(mesh(topology, topology.objects.countries, (one, other) => one !== other))
}

function styleOf(topology: Atlas, language: Language, palette: Palette): StyleSpecification {
  const countries = unwrappedFeatures(
    feature(topology, topology.objects.countries) as FeatureCollection<Geometry, { name: string }>,
  )
  const geojson = { type: 'geojson', maxzoom: 10 } as const
  return {
    version: 8,
    sources: {
      land: { ...geojson, data: landOf(topology), attribution: 'Natural Earth' },
      borders: { ...geojson, data: bordersOf(topology) },
      countries: { ...geojson, data: countryLabels(countries, language) },
      places: placesSource(),
    },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': palette.water } },
      // Its edge is the coast.
      { id: 'land', type: 'fill', source: 'land', paint: { 'fill-color': palette.land, 'fill-antialias': false } },
      { id: 'coast', type: 'line', source: 'land', paint: { 'line-color': palette.coast, 'line-width': 1 } },
      { id: HIGHEST_GROUND, type: 'line', source: 'borders', paint: { 'line-color': palette.border, 'line-width': 1 } },
      ...placeLayers('places', language, palette),
      {
        id: 'countries',
        type: 'symbol',
        source: 'countries',
        maxzoom: 7,
        layout: {
          'text-field': ['get', 'name'],
          'text-font': LETTERS,
          'text-size': ['interpolate', ['linear'], ['zoom'], 1, 10, 6, 15],
          'text-max-width': 8,
          'text-padding': 8,
          'symbol-sort-key': ['-', 0, ['get', 'area']],
        },
        paint: { 'text-color': palette.country, 'text-halo-color': palette.land, 'text-halo-width': 1.5 },
      },
    ],
  }
}
