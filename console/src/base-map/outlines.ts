import type { FeatureCollection, Geometry } from 'geojson'
import type { StyleSpecification } from 'maplibre-gl'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import atlasUrl from 'world-atlas/countries-50m.json?url'
import type { Language } from '../language/language.ts'
import { countryLabels } from './country-labels.ts'

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

/** The colours of the sea, for what lies under a map that is not there yet. */
export const waterColor = (isDark: boolean): string => (isDark ? DARK : LIGHT).water

let atlas: Promise<Atlas> | undefined

async function loadAtlas(): Promise<Atlas> {
  const response = await fetch(atlasUrl)
  if (!response.ok) throw new Error(`country outlines: status ${response.status}`)
  return (await response.json()) as Atlas
}

/**
 * A base map that asks nobody but the own server: land, borders and names of countries (Natural Earth 1:50m, public
 * domain, by world-atlas). It names no fonts, so the map library draws letters with those of the system.
 */
export async function outlinesStyle(language: Language, isDark: boolean): Promise<StyleSpecification> {
  atlas ??= loadAtlas()
  try {
    return styleOf(await atlas, language, isDark ? DARK : LIGHT)
  } catch (error) {
    atlas = undefined
    throw error
  }
}

function styleOf(topology: Atlas, language: Language, palette: Palette): StyleSpecification {
  const { countries, land } = topology.objects
  const labels = countryLabels(feature(topology, countries) as FeatureCollection<Geometry, { name: string }>, language)
  const geojson = { type: 'geojson', maxzoom: 10 } as const
  return {
    version: 8,
    sources: {
      land: { ...geojson, data: feature(topology, land), attribution: 'Natural Earth' },
      borders: { ...geojson, data: mesh(topology, countries, (one, other) => one !== other) },
      countries: { ...geojson, data: labels },
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
