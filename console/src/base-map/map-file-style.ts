import { type Flavor, layers as layersOf, namedFlavor } from '@protomaps/basemaps'
import type {
  ExpressionSpecification,
  LayerSpecification,
  StyleSpecification,
  SymbolLayerSpecification,
} from 'maplibre-gl'
import type { OwnMap } from '../api/service-settings.ts'
import type { Language } from '../language/language.ts'
import { attributionOf } from './base-style.ts'
import { LETTERS, type Palette, paletteOf } from './palette.ts'
import { placeLayers } from './place-labels.ts'

const SOURCE = 'region'

/** What needs images of a server of its own, and what the outlines have. */
const NOT_DRAWN = new Set(['pois', 'roads_oneway', 'background', 'places_country', 'boundaries_country'])

/** Which names each of these layers has; the style says so in an older syntax, which cannot be combined with a box. */
const PLACE_NAMES = new Map<string, ExpressionSpecification>([
  ['places_locality', ['==', ['get', 'kind'], 'locality']],
  ['places_subplace', ['in', ['get', 'kind'], ['literal', ['neighbourhood', 'macrohood']]]],
  ['places_region', ['==', ['get', 'kind'], 'region']],
])

/**
 * The operator's own map (schema of Protomaps) upon the outlines, which show the rest of the earth. Each names the places
 * of its own part, so none is named twice.
 */
export function withOwnMap(
  outlines: StyleSpecification,
  map: OwnMap,
  language: Language,
  isDark: boolean,
): StyleSpecification {
  const palette = paletteOf(isDark)
  const flavor = flavorOf(palette, isDark)
  const inside = insideOf(map.bounds)
  const own = layersOf(SOURCE, flavor, { lang: language })
    .filter(({ id }) => !NOT_DRAWN.has(id))
    .map(layer => ownLayer(layer, inside))
  const isPlaceName = ({ id }: LayerSpecification) => PLACE_NAMES.has(id.replace(`${SOURCE}-`, ''))
  const named = new Set(placeLayers(language, palette).map(({ id }) => id))
  const around = outlines.layers.filter(({ id }) => id !== 'countries' && !named.has(id))
  return {
    ...outlines,
    sources: {
      ...outlines.sources,
      [SOURCE]: {
        type: 'vector',
        tiles: [`${window.location.origin}/console/map/{z}/{x}/{y}`],
        minzoom: map.minZoom,
        maxzoom: map.maxZoom,
        // The data of Protomaps is that of OpenStreetMap, even where a file does not say so.
        attribution: attributionOf(map.attribution || '© OpenStreetMap'),
      },
    },
    layers: [
      ...around,
      // What is further up gets its place first: a city before the number of its motorway.
      ...own.filter(layer => !isPlaceName(layer)),
      ...placeLayers(language, palette, inside),
      ...own.filter(isPlaceName),
      ...outlines.layers.filter(({ id }) => id === 'countries'),
    ],
  }
}

/** The style's own colours are loud beside cars: woods and parks here are pale, and streets can be told from the ground in the dark. */
const LIGHT_COLORS = namedBy({
  '#e3efda': ['park_a'],
  '#d8e9cd': ['park_b'],
  '#e0edd8': ['wood_a', 'zoo'],
  '#d3e5c9': ['wood_b'],
  '#e9efdc': ['scrub_a'],
  '#e0e9d0': ['scrub_b'],
  '#ffffff': ['minor_a', 'minor_b', 'major', 'roads_label_minor_halo', 'roads_label_major_halo'],
  '#d9d6ce': ['minor_casing'],
  '#fdf3d3': ['highway'],
  '#d8c58d': ['highway_casing_early', 'highway_casing_late'],
  '#5c6066': ['roads_label_minor'],
  '#6b6a64': ['address_label'],
  '#4b5057': ['roads_label_major'],
})
const DARK_COLORS = namedBy({
  '#213029': ['park_a'],
  '#24362c': ['park_b'],
  '#202e28': ['wood_a'],
  '#22332a': ['wood_b'],
  '#232e28': ['scrub_a'],
  '#25322a': ['scrub_b'],
  '#2c3236': ['buildings'],
  '#3a4146': ['other', 'minor_service'],
  '#444c52': ['minor_a', 'minor_b', 'bridges_minor'],
  '#535d64': ['link', 'major', 'bridges_link', 'bridges_major'],
  '#66727a': ['highway', 'bridges_highway'],
  '#a3acb3': ['roads_label_minor'],
  '#1a1f23': ['roads_label_minor_halo', 'roads_label_major_halo'],
  '#98a1a8': ['address_label'],
  '#b4bcc3': ['roads_label_major'],
})

/** @param colors the names of what has each colour */
function namedBy(colors: Readonly<Record<string, readonly (keyof Flavor)[]>>): Partial<Flavor> {
  return Object.fromEntries(Object.entries(colors).flatMap(([color, names]) => names.map(name => [name, color])))
}

function flavorOf(palette: Palette, isDark: boolean): Flavor {
  return {
    ...namedFlavor(isDark ? 'dark' : 'light'),
    ...(isDark ? DARK_COLORS : LIGHT_COLORS),
    earth: palette.land,
    water: palette.water,
    city_label: palette.placeName,
    city_label_halo: palette.land,
    subplace_label: palette.suburbName,
    subplace_label_halo: palette.land,
    state_label: palette.countryName,
    state_label_halo: palette.land,
    ocean_label: palette.waterName,
  }
}

function insideOf([west, south, east, north]: OwnMap['bounds']): ExpressionSpecification {
  const corners = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
  return ['within', { type: 'Polygon', coordinates: [corners] }]
}

const IMAGES_AND_FONTS = new Set(['text-font', 'icon-image', 'icon-size', 'icon-rotate', 'icon-rotation-alignment'])

/** Fonts and images are named in many places of a layer, also within its texts; without them, none are requested. */
function ownLayer(layer: LayerSpecification, inside: ExpressionSpecification): LayerSpecification {
  // No layer of the outlines is called so.
  const id = `${SOURCE}-${layer.id}`
  if (layer.type !== 'symbol') return { ...layer, id }
  const { layout, ...rest } = JSON.parse(
    JSON.stringify(layer, (name, value: unknown) => (IMAGES_AND_FONTS.has(name) ? undefined : value)),
  ) as SymbolLayerSpecification
  const kind = PLACE_NAMES.get(layer.id)
  return { ...rest, id, layout: { ...layout, 'text-font': LETTERS }, ...(kind && { filter: ['all', kind, inside] }) }
}
