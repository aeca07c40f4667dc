import type { ExpressionSpecification, SymbolLayerSpecification, VectorSourceSpecification } from 'maplibre-gl'
import type { Language } from '../language/language.ts'
import { LETTERS, type Palette } from './palette.ts'

/** Deeper zooms show the tiles of this one. */
const DEEPEST_TILES = 11

/** Names of places as this service has them, everywhere on earth. */
export const placesSource = (): VectorSourceSpecification => ({
  type: 'vector',
  tiles: [`${window.location.origin}/console/places/{z}/{x}/{y}`],
  minzoom: 0,
  maxzoom: DEEPEST_TILES,
  attribution: '<a href="https://www.geonames.org" target="_blank" rel="noopener">GeoNames</a>',
})

/** From afar only larger places are named: how many people live in them at least, by zoom. */
const BY_ZOOM = [4, 700_000, 5, 250_000, 6, 80_000, 7, 30_000, 8, 8_000, 9, 2_000, 10, 0]
const LEAST_POPULATION: ExpressionSpecification = ['step', ['zoom'], 2_000_000, ...BY_ZOOM]

/** In pixels, of a village, a town of 50,000 people, a city of a million and one of ten millions. */
const size = (village: number, town: number, city: number, metropolis: number): ExpressionSpecification => {
  const people: ExpressionSpecification = ['log10', ['max', 1, ['get', 'population']]]
  return ['interpolate', ['linear'], people, 3, village, 4.7, town, 6, city, 7, metropolis]
}
const SIZES = [3, size(9, 10, 11, 12), 7, size(10, 11.5, 14, 16), 11, size(11, 14, 18, 21), 15, size(14, 18, 22, 24)]

/**
 * The names of towns, villages and suburbs. Where there is no room for all, those of larger ones stay.
 *
 * @param outside a box that has names of its own
 */
export function placeLayers(
  language: Language,
  palette: Palette,
  outside?: ExpressionSpecification,
): SymbolLayerSpecification[] {
  const conditions = outside ? [['!', outside] satisfies ExpressionSpecification] : []
  const layer = (id: string, minzoom: number, color: string, fontSize: ExpressionSpecification) => ({
    id,
    type: 'symbol' as const,
    source: 'places',
    'source-layer': 'places',
    minzoom,
    layout: {
      'text-field': ['coalesce', ['get', `name:${language}`], ['get', 'name']] satisfies ExpressionSpecification,
      'text-font': LETTERS,
      'text-size': fontSize,
      'text-max-width': 8,
      'text-padding': 6,
      'symbol-sort-key': ['-', 0, ['get', 'population']] satisfies ExpressionSpecification,
    },
    paint: { 'text-color': color, 'text-halo-color': palette.land, 'text-halo-width': 1.5 },
  })
  return [
    {
      ...layer('suburbs', 10.5, palette.suburbName, ['interpolate', ['linear'], ['zoom'], 11, 11, 15, 14]),
      filter: ['all', ['==', ['get', 'kind'], 'suburb'], ...conditions],
    },
    {
      ...layer('places', 3, palette.placeName, ['interpolate', ['linear'], ['zoom'], ...SIZES]),
      filter: ['all', ['==', ['get', 'kind'], 'place'], ['>=', ['get', 'population'], LEAST_POPULATION], ...conditions],
    },
  ]
}
