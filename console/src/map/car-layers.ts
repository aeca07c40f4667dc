import type { FeatureCollection } from 'geojson'
import type {
  ExpressionSpecification,
  GeoJSONSource,
  LayerSpecification,
  Map as MapLibreMap,
  SymbolLayerSpecification,
} from 'maplibre-gl'
import { ATTENTION_COLOR } from '../fleet/movement-colors.ts'
import { type Language, localeOf } from '../language/language.ts'
import { NAME_SIZE_PX } from './car-features.ts'
import { CLUSTER_ATTENTION, CLUSTER_IN_TRIP } from './car-images.ts'

export const CARS = 'cars'
export const CHOSEN = 'chosen-car'
export const CAR_LAYER = 'cars'
export const CLUSTER_LAYER = 'clusters'
export const CHOSEN_RING_LAYER = 'chosen-car-ring'

const NOTHING: FeatureCollection = { type: 'FeatureCollection', features: [] }

/** From this zoom on each car is drawn by itself. */
const CLUSTERS_UP_TO_ZOOM = 13

/** A few cars side by side are no crowd. */
const SMALLEST_CLUSTER = 4

/** Adds the sources of the cars, empty, and all that is drawn of them. */
export function addCarLayers(map: MapLibreMap, isDark: boolean, language: Language): void {
  map.addSource(CARS, {
    type: 'geojson',
    data: NOTHING,
    promoteId: 'id',
    cluster: true,
    clusterRadius: 44,
    clusterMinPoints: SMALLEST_CLUSTER,
    clusterMaxZoom: CLUSTERS_UP_TO_ZOOM,
    clusterProperties: { attention: ['+', ['get', 'isAttention']], inTrip: ['+', ['get', 'isInTrip']] },
  })
  map.addSource(CHOSEN, { type: 'geojson', data: NOTHING })
  for (const layer of layers(isDark, localeOf(language), fontOf(map))) map.addLayer(layer)
}

export function sourceOf(map: MapLibreMap, id: string): GeoJSONSource | undefined {
  return map.getSource<GeoJSONSource>(id)
}

function layers(isDark: boolean, locale: string, font: { 'text-font'?: string[] }): LayerSpecification[] {
  const ink = isDark ? '#e9ecef' : '#1f2a30'
  const ground = isDark ? '#1a1f23' : '#ffffff'
  const namePaint = { 'text-color': ink, 'text-halo-color': ground, 'text-halo-width': 1.5 }
  const car: SymbolLayerSpecification['layout'] = {
    'icon-image': ['get', 'icon'],
    'icon-rotate': ['get', 'headingDeg'],
    'icon-rotation-alignment': 'map',
    'icon-offset': ['get', 'offset'],
    'icon-allow-overlap': true,
    'icon-ignore-placement': true,
  }
  return [
    {
      id: CLUSTER_LAYER,
      type: 'circle',
      source: CARS,
      filter: ['has', 'point_count'],
      paint: {
        'circle-color': isDark ? '#1d5b66' : '#0b7285',
        'circle-radius': [
          '+',
          ['interpolate', ['linear'], ['ln', ['get', 'point_count']], 1, 20, 9, 36],
          // Two counts below the first one need more room.
          ['case', ['all', ['>', ['get', 'inTrip'], 0], ['>', ['get', 'attention'], 0]], 6, 0],
        ],
        'circle-stroke-width': ['case', ['>', ['get', 'attention'], 0], 4, 2],
        'circle-stroke-color': ['case', ['>', ['get', 'attention'], 0], ATTENTION_COLOR.hex, '#ffffff'],
      },
    },
    {
      id: 'cluster-counts',
      type: 'symbol',
      source: CARS,
      filter: ['has', 'point_count'],
      layout: {
        ...font,
        'text-field': [
          'format',
          countIn(locale, 'point_count'),
          {},
          ['case', ['>', ['+', ['get', 'inTrip'], ['get', 'attention']], 0], '\n', ''],
          {},
          ...countWithImage(locale, 'inTrip', CLUSTER_IN_TRIP),
          ['case', ['all', ['>', ['get', 'inTrip'], 0], ['>', ['get', 'attention'], 0]], ' ', ''],
          {},
          ...countWithImage(locale, 'attention', CLUSTER_ATTENTION),
        ],
        'text-size': 12,
        'text-line-height': 1.1,
        'text-allow-overlap': true,
        'text-ignore-placement': true,
      },
      paint: { 'text-color': '#ffffff' },
    },
    {
      id: CHOSEN_RING_LAYER,
      type: 'circle',
      source: CHOSEN,
      paint: {
        'circle-radius': 17,
        'circle-color': '#15aabf',
        'circle-opacity': 0.25,
        'circle-stroke-color': isDark ? '#3bc9db' : '#0b7285',
        'circle-stroke-width': 2.5,
      },
    },
    {
      id: CAR_LAYER,
      type: 'symbol',
      source: CARS,
      filter: ['!', ['has', 'point_count']],
      layout: { ...car, 'symbol-sort-key': ['get', 'rank'] },
    },
    {
      id: 'car-names',
      type: 'symbol',
      source: CARS,
      filter: ['!', ['has', 'point_count']],
      minzoom: 9,
      layout: {
        ...font,
        'text-field': ['get', 'name'],
        'text-size': NAME_SIZE_PX,
        'text-offset': ['get', 'nameOffset'],
        'text-anchor': ['get', 'nameAnchor'],
      },
      paint: namePaint,
    },
    // Drawn by itself, so that it is seen even in a cluster.
    { id: 'chosen-car', type: 'symbol', source: CHOSEN, layout: car },
  ]
}

/** A whole number as the language of the locale writes it: `2,204`, not the `2.2k` that the map library has ready. */
function countIn(locale: string, property: string): ExpressionSpecification {
  return ['number-format', ['get', property], { locale, 'max-fraction-digits': 0 }]
}

/** A count of a cluster behind its image; nothing where it is 0. Images need no font, which a base map may not have. */
function countWithImage(
  locale: string,
  property: string,
  image: string,
): [ExpressionSpecification, object, ExpressionSpecification, object] {
  const isAny: ExpressionSpecification = ['>', ['get', property], 0]
  return [
    ['case', isAny, ['image', image], ['image', '']],
    {},
    ['case', isAny, countIn(locale, property), ''],
    { 'font-scale': 0.85 },
  ]
}

/**
 * Letters come from where the base map takes its own, as a server of fonts has only some. A base map without fonts
 * leaves it to those of the system.
 */
function fontOf(map: MapLibreMap): { 'text-font'?: string[] } {
  for (const layer of map.getStyle().layers) {
    const font: unknown = layer.type === 'symbol' ? layer.layout?.['text-font'] : undefined
    if (Array.isArray(font) && font.every(entry => typeof entry === 'string') && font[0] !== 'literal')
      return { 'text-font': font }
  }
  return {}
}
