import type { Map as MapLibreMap } from 'maplibre-gl'
import type { MovementKind } from '../fleet/car-state.ts'
import { ATTENTION_COLOR, MOVEMENT_COLORS, MOVEMENTS } from '../fleet/movement-colors.ts'
import { iconName } from './car-features.ts'

/** Drawn at twice the size, for sharp screens. */
const PIXEL_RATIO = 2
const SIZE = 26
/** Beside the counts of a cluster. */
const SMALL_SIZE = 13

type Draw = (context: CanvasRenderingContext2D) => void

/** Names of the small images beside the counts of a cluster. */
export const CLUSTER_IN_TRIP = 'cluster-in-trip'
export const CLUSTER_ATTENTION = 'cluster-attention'

/** Adds an image to the map for each state, so that none has to be loaded. */
export function addCarImages(map: MapLibreMap): void {
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
