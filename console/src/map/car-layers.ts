import { useComputedColorScheme } from '@mantine/core'
import type { FeatureCollection } from 'geojson'
import type {
  ExpressionSpecification,
  GeoJSONSource,
  GeoJSONSourceSpecification,
  LayerSpecification,
  Map as MapLibreMap,
  SymbolLayerSpecification,
} from 'maplibre-gl'
import { useEffect, useEffectEvent, useMemo, useRef } from 'react'
import { lettersOf } from '../base-map/palette.ts'
import type { Car } from '../fleet/car.ts'
import type { MovementKind } from '../fleet/car-state.ts'
import { ATTENTION_COLOR, MOVEMENT_LOOKS, MOVEMENTS } from '../fleet/state-marks.tsx'
import { localeOf, useLanguage } from '../language/language.ts'
import { type Drawn, diffOf, iconName, NAME_SIZE_PX, type Piles, pilesOf } from './car-features.ts'

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

const CARS_SOURCE: GeoJSONSourceSpecification = {
  type: 'geojson',
  data: NOTHING,
  promoteId: 'id',
  cluster: true,
  clusterRadius: 44,
  clusterMinPoints: SMALLEST_CLUSTER,
  clusterMaxZoom: CLUSTERS_UP_TO_ZOOM,
  clusterProperties: { attention: ['+', ['get', 'isAttention']], inTrip: ['+', ['get', 'isInTrip']] },
}

/** Draws cars on a map and keeps them up to date. @returns which of them are drawn beside their place */
export function useCarsOn(map: MapLibreMap | undefined, cars: readonly Car[]): Piles {
  const language = useLanguage()
  const isDark = useComputedColorScheme('light') === 'dark'
  const piles = useMemo(() => pilesOf(cars), [cars])
  const drawn = useRef(new Map<string, Drawn>())
  const furnish = useEffectEvent((bare: MapLibreMap) => {
    addCarImages(bare)
    bare.addSource(CARS, CARS_SOURCE)
    bare.addSource(CHOSEN, { type: 'geojson', data: NOTHING })
    for (const layer of layers(isDark, localeOf(language), lettersOf(bare))) bare.addLayer(layer)
    drawn.current = new Map()
  })
  useEffect(() => {
    if (map) furnish(map)
  }, [map])
  useEffect(() => {
    if (!map) return
    const diff = diffOf(drawn.current, cars, piles)
    if (diff.add.length > 0 || diff.remove.length > 0) void sourceOf(map, CARS)?.updateData(diff)
  }, [map, cars, piles])
  return piles
}

export function sourceOf(map: MapLibreMap, id: string): GeoJSONSource | undefined {
  return map.getSource<GeoJSONSource>(id)
}

function layers(isDark: boolean, locale: string, font: { 'text-font'?: string[] }): LayerSpecification[] {
  const ink = isDark ? '#e9ecef' : '#1f2a30'
  const ground = isDark ? '#1a1f23' : '#ffffff'
  const [isAnyInTrip, isAnyAttention] = [isAny('inTrip'), isAny('attention')]
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
          ['case', ['all', isAnyInTrip, isAnyAttention], 6, 0],
        ],
        'circle-stroke-width': ['case', isAnyAttention, 4, 2],
        'circle-stroke-color': ['case', isAnyAttention, ATTENTION_COLOR.hex, '#ffffff'],
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
          ['case', ['any', isAnyInTrip, isAnyAttention], '\n', ''],
          {},
          ...countWithImage(locale, 'inTrip', CLUSTER_IN_TRIP),
          ['case', ['all', isAnyInTrip, isAnyAttention], ' ', ''],
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
      paint: { 'text-color': ink, 'text-halo-color': ground, 'text-halo-width': 1.5 },
    },
    // Drawn by itself, so that it is seen even in a cluster.
    { id: 'chosen-car', type: 'symbol', source: CHOSEN, layout: car },
  ]
}

const isAny = (property: string): ExpressionSpecification => ['>', ['get', property], 0]

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
  return [
    ['case', isAny(property), ['image', image], ['image', '']],
    {},
    ['case', isAny(property), countIn(locale, property), ''],
    { 'font-scale': 0.85 },
  ]
}

/** Names of the small images beside the counts of a cluster. */
const CLUSTER_IN_TRIP = 'cluster-in-trip'
const CLUSTER_ATTENTION = 'cluster-attention'

/** Drawn at twice the size, for sharp screens. */
const PIXEL_RATIO = 2
const SIZE = 26
/** Of what stands beside the counts of a cluster, and of the sign at the corner of a car, to a car's. */
const SMALL = 0.5
const CORNER = { scale: 0.65, x: 6, y: -6 }

/** A filled path around the middle of an image; its white edge is seen on any ground. */
interface Part {
  readonly path: string
  readonly hex: string
  readonly hasEdge?: boolean
}

const disc = (radius: number) =>
  `M${-radius} 0a${radius} ${radius} 0 1 1 ${2 * radius} 0a${radius} ${radius} 0 1 1 ${-2 * radius} 0Z`
const white = (path: string): Part => ({ path, hex: '#ffffff' })
const edged = (path: string, hex: string): Part => ({ path, hex, hasEdge: true })

/** Points north, as a heading of 0° does. */
const ARROW = 'M0-10L7.5 8.5L0 4.5L-7.5 8.5Z'
const WARNING = [edged('M0-9L9 7L-9 7Z', ATTENTION_COLOR.hex), white('M-1-4h2v6h-2ZM-1 3.5h2v2h-2Z')]

const standing = (hex: string): readonly Part[] => [edged(disc(6), hex)]
const ring = (hex: string): readonly Part[] => [...standing(hex), white(disc(3.5))]
const STANDING: Readonly<Record<MovementKind, (hex: string) => readonly Part[]>> = {
  driving: standing,
  // Two bars: it is in a trip, and not moving.
  idling: hex => [edged(disc(7), hex), white('M-3-3h2v6h-2ZM1-3h2v6h-2Z')],
  parked: standing,
  catchingUp: ring,
  silent: ring,
  withoutDongle: ring,
  neverReported: ring,
}

/** Adds an image to the map for each state, so that none has to be loaded. */
function addCarImages(map: MapLibreMap): void {
  const add = (name: string, image: ImageData) => map.addImage(name, image, { pixelRatio: PIXEL_RATIO })
  for (const movement of MOVEMENTS) {
    const { hex } = MOVEMENT_LOOKS[movement]
    for (const isAttention of [false, true]) {
      const draw = (isMoving: boolean, parts: readonly Part[]) =>
        add(iconName(movement, isMoving, isAttention), imageOf(parts, isAttention))
      draw(false, STANDING[movement](hex))
      if (movement === 'driving') draw(true, [edged(ARROW, hex)])
    }
  }
  add(CLUSTER_IN_TRIP, imageOf([white(ARROW)], false, SMALL))
  add(CLUSTER_ATTENTION, imageOf(WARNING, false, SMALL))
}

const pathOf = (path: string) => new Path2D(path)

/** @param isAttention whether a small warning sign is at its corner */
function imageOf(parts: readonly Part[], isAttention: boolean, scale = 1): ImageData {
  const canvas = document.createElement('canvas')
  canvas.width = SIZE * scale * PIXEL_RATIO
  canvas.height = canvas.width
  const context = canvas.getContext('2d')
  if (!context) throw new Error('this browser has no canvas')
  context.scale(scale * PIXEL_RATIO, scale * PIXEL_RATIO)
  context.translate(SIZE / 2, SIZE / 2)
  context.lineJoin = 'round'
  context.lineWidth = 4
  context.strokeStyle = '#ffffff'
  const draw = ({ path, hex, hasEdge = false }: Part) => {
    const outline = pathOf(path)
    if (hasEdge) context.stroke(outline)
    context.fillStyle = hex
    context.fill(outline)
  }
  for (const part of parts) draw(part)
  context.translate(CORNER.x, CORNER.y)
  context.scale(CORNER.scale, CORNER.scale)
  if (isAttention) for (const part of WARNING) draw(part)
  return context.getImageData(0, 0, canvas.width, canvas.height)
}
