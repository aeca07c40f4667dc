import type { Map as MapLibreMap } from 'maplibre-gl'
import { CAR_STATE_COLORS, CAR_STATES } from '../fleet/car-state-colors.ts'
import { iconName } from './car-features.ts'

/** Drawn at twice the size, for sharp screens. */
const PIXEL_RATIO = 2
const SIZE = 26

type Draw = (context: CanvasRenderingContext2D) => void

/** Adds an image to the map for each state, standing and moving, so that none has to be loaded. */
export function addCarImages(map: MapLibreMap): void {
  for (const state of CAR_STATES) {
    const { hex } = CAR_STATE_COLORS[state]
    const standing = state === 'offline' ? ring(hex) : state === 'warning' ? triangle(hex) : disc(hex)
    map.addImage(iconName(state, false), imageOf(standing), { pixelRatio: PIXEL_RATIO })
    map.addImage(iconName(state, true), imageOf(arrow(hex)), { pixelRatio: PIXEL_RATIO })
  }
}

function imageOf(draw: Draw): ImageData {
  const canvas = document.createElement('canvas')
  canvas.width = SIZE * PIXEL_RATIO
  canvas.height = SIZE * PIXEL_RATIO
  const context = canvas.getContext('2d')
  if (!context) throw new Error('this browser has no canvas')
  context.scale(PIXEL_RATIO, PIXEL_RATIO)
  context.translate(SIZE / 2, SIZE / 2)
  context.lineJoin = 'round'
  draw(context)
  return context.getImageData(0, 0, canvas.width, canvas.height)
}

/** A shape in the colour of the state with a white edge, seen on any ground. */
function shape(hex: string, path: Draw, context: CanvasRenderingContext2D): void {
  context.beginPath()
  path(context)
  context.strokeStyle = '#ffffff'
  context.lineWidth = 4
  context.stroke()
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
  (hex: string): Draw =>
  context =>
    shape(hex, on => outline(on, [0, -10], [7.5, 8.5], [0, 4.5], [-7.5, 8.5]), context)

const triangle =
  (hex: string): Draw =>
  context => {
    shape(hex, on => outline(on, [0, -9], [9, 7], [-9, 7]), context)
    context.fillStyle = '#ffffff'
    context.fillRect(-1, -4, 2, 6)
    context.fillRect(-1, 3.5, 2, 2)
  }

function outline(context: CanvasRenderingContext2D, ...corners: readonly (readonly [number, number])[]): void {
  for (const [x, y] of corners) context.lineTo(x, y)
  context.closePath()
}
