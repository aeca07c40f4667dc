import { useComputedColorScheme } from '@mantine/core'
import type { FeatureCollection } from 'geojson'
import type {
  ExpressionSpecification,
  GeoJSONSource,
  LayerSpecification,
  Map as MapLibreMap,
  SymbolLayerSpecification,
} from 'maplibre-gl'
import { useEffect, useEffectEvent, useMemo, useRef } from 'react'
import { lettersOf } from '../base-map/palette.ts'
import type { Car } from '../fleet/car.ts'
import type { MovementKind } from '../fleet/car-state.ts'
import { ATTENTION_COLOR, MOVEMENT_COLORS, MOVEMENTS } from '../fleet/state-words.ts'
import { type Language, localeOf, useLanguage } from '../language/language.ts'
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

/** Draws cars on a map and keeps them up to date. @returns which of them are drawn beside their place */
export function useCarsOn(map: MapLibreMap | undefined, cars: readonly Car[]): Piles {
  const language = useLanguage()
  const isDark = useComputedColorScheme('light') === 'dark'
  const piles = useMemo(() => pilesOf(cars), [cars])
  const drawn = useRef(new Map<string, Drawn>())
  const furnish = useEffectEvent((bare: MapLibreMap) => {
    addCarImages(bare)
    addCarLayers(bare, isDark, language)
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

/** Adds the sources of the cars, empty, and all that is drawn of them. */
function addCarLayers(map: MapLibreMap, isDark: boolean, language: Language): void {
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
  for (const layer of layers(isDark, localeOf(language), lettersOf(map))) map.addLayer(layer)
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

/** Drawn at twice the size, for sharp screens. */
const PIXEL_RATIO = 2
const SIZE = 26
/** Beside the counts of a cluster. */
const SMALL_SIZE = 13

type Draw = (context: CanvasRenderingContext2D) => void

/** Names of the small images beside the counts of a cluster. */
const CLUSTER_IN_TRIP = 'cluster-in-trip'
const CLUSTER_ATTENTION = 'cluster-attention'

/** Adds an image to the map for each state, so that none has to be loaded. */
function addCarImages(map: MapLibreMap): void {
  for (const movement of MOVEMENTS) {
    const { hex } = MOVEMENT_COLORS[movement]
    for (const isAttention of [false, true]) {
      const add = (isMoving: boolean, draw: Draw) =>
        map.addImage(iconName({ movement, isMoving, isAttention }), imageOf(isAttention ? withWarning(draw) : draw), {
          pixelRatio: PIXEL_RATIO,
        })
      add(false, STANDING[movement](hex))
      if (movement === 'driving') add(true, arrow(hex))
    }
  }
  map.addImage(CLUSTER_IN_TRIP, imageOf(small(arrow('#ffffff', 0)), SMALL_SIZE), { pixelRatio: PIXEL_RATIO })
  map.addImage(CLUSTER_ATTENTION, imageOf(small(triangle(ATTENTION_COLOR.hex)), SMALL_SIZE), {
    pixelRatio: PIXEL_RATIO,
  })
}

function imageOf(draw: Draw, size = SIZE): ImageData {
  const canvas = document.createElement('canvas')
  canvas.width = size * PIXEL_RATIO
  canvas.height = size * PIXEL_RATIO
  const context = canvas.getContext('2d')
  if (!context) throw new Error('this browser has no canvas')
  context.scale(PIXEL_RATIO, PIXEL_RATIO)
  context.translate(size / 2, size / 2)
  context.lineJoin = 'round'
  draw(context)
  return context.getImageData(0, 0, canvas.width, canvas.height)
}

/** A shape in the colour of the state with a white edge, seen on any ground. */
function shape(hex: string, path: Draw, context: CanvasRenderingContext2D, edge = 4): void {
  context.beginPath()
  path(context)
  context.strokeStyle = '#ffffff'
  context.lineWidth = edge
  if (edge > 0) context.stroke()
  context.fillStyle = hex
  context.fill()
}

const disc =
  (hex: string): Draw =>
  context =>
    shape(hex, on => on.arc(0, 0, 6, 0, 2 * Math.PI), context)

const ring =
  (hex: string): Draw =>
  context => {
    disc(hex)(context)
    context.beginPath()
    context.arc(0, 0, 3.5, 0, 2 * Math.PI)
    context.fillStyle = '#ffffff'
    context.fill()
  }

/** Points north, as a heading of 0° does. */
const arrow =
  (hex: string, edge = 4): Draw =>
  context =>
    shape(hex, on => outline(on, [0, -10], [7.5, 8.5], [0, 4.5], [-7.5, 8.5]), context, edge)

/** Two bars: it is in a trip, and not moving. */
const pause =
  (hex: string): Draw =>
  context => {
    shape(hex, on => on.arc(0, 0, 7, 0, 2 * Math.PI), context)
    context.fillStyle = '#ffffff'
    context.fillRect(-3, -3, 2, 6)
    context.fillRect(1, -3, 2, 6)
  }

const STANDING: Readonly<Record<MovementKind, (hex: string) => Draw>> = {
  driving: disc,
  idling: pause,
  parked: disc,
  catchingUp: ring,
  silent: ring,
  withoutDongle: ring,
  neverReported: ring,
}

const triangle =
  (hex: string): Draw =>
  context => {
    shape(hex, on => outline(on, [0, -9], [9, 7], [-9, 7]), context)
    context.fillStyle = '#ffffff'
    context.fillRect(-1, -4, 2, 6)
    context.fillRect(-1, 3.5, 2, 2)
  }

/** What the car does, with a small warning sign at its corner. */
const withWarning =
  (draw: Draw): Draw =>
  context => {
    draw(context)
    context.save()
    context.translate(6, -6)
    context.scale(0.65, 0.65)
    triangle(ATTENTION_COLOR.hex)(context)
    context.restore()
  }

const small =
  (draw: Draw): Draw =>
  context => {
    context.scale(SMALL_SIZE / SIZE, SMALL_SIZE / SIZE)
    draw(context)
  }

function outline(context: CanvasRenderingContext2D, ...corners: readonly (readonly [number, number])[]): void {
  for (const [x, y] of corners) context.lineTo(x, y)
  context.closePath()
}
