import type { FeatureCollection, Geometry } from 'geojson'
import type { GeoJSONSource, Map as MapLibreMap, StyleSpecification } from 'maplibre-gl'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import fineAtlasUrl from 'world-atlas/countries-50m.json?url'
import coarseAtlasUrl from 'world-atlas/countries-110m.json?url'
import type { Language } from '../language/language.ts'
import { countryLabels } from './country-labels.ts'
import { unwrapped, unwrappedFeatures } from './unwrapped.ts'

type Atlas = Topology<{ countries: GeometryCollection<{ name: string }>; land: GeometryCollection }>

interface Palette {
  readonly water: string
  readonly land: string
  readonly coast: string
  readonly border: string
  readonly label: string
}

const LIGHT: Palette = { water: '#d3e3ea', land: '#f6f5f1', coast: '#a9c0ca', border: '#c3bfb4', label: '#6b6a64' }
const DARK: Palette = { water: '#10181d', land: '#22272b', coast: '#3b4a52', border: '#4a5157', label: '#a3acb3' }

/** The colours of the sea, for the background until the map is loaded. */
export const waterColor = (isDark: boolean): string => (isDark ? DARK : LIGHT).water

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
 * world-atlas), at first coarse. It names no fonts, so the map library draws letters with those of the system.
 */
export async function outlinesStyle(language: Language, isDark: boolean): Promise<StyleSpecification> {
  return styleOf(await atlasAt(coarseAtlasUrl), language, isDark ? DARK : LIGHT)
}

/** Draws the outlines of a map finer (1:50m), which takes six times as long to load and must not delay what matters. */
export async function refineOutlines(map: MapLibreMap, signal: AbortSignal): Promise<void> {
  const topology = await atlasAt(fineAtlasUrl)
  if (signal.aborted) return
  await Promise.all([
    map.getSource<GeoJSONSource>('land')?.setData(landOf(topology)),
    map.getSource<GeoJSONSource>('borders')?.setData(bordersOf(topology)),
  ])
}

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
    },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': palette.water } },
      { id: 'land', type: 'fill', source: 'land', paint: { 'fill-color': palette.land } },
      { id: 'coast', type: 'line', source: 'land', paint: { 'line-color': palette.coast, 'line-width': 1 } },
      { id: 'borders', type: 'line', source: 'borders', paint: { 'line-color': palette.border, 'line-width': 1 } },
      {
        id: 'countries',
        type: 'symbol',
        source: 'countries',
        maxzoom: 7,
        layout: {
          'text-field': ['get', 'name'],
          'text-font': ['system-ui'],
          'text-size': ['interpolate', ['linear'], ['zoom'], 1, 10, 6, 15],
          'text-max-width': 8,
          'text-padding': 8,
          'symbol-sort-key': ['-', 0, ['get', 'area']],
        },
        paint: { 'text-color': palette.label, 'text-halo-color': palette.land, 'text-halo-width': 1.5 },
      },
    ],
  }
}
