import type { Area } from '../api/types.ts'
import type { LonLat } from '../base-map/lon-lat.ts'
import { drawnOf, rounded, type Shape, type ShapeType, shapeOf } from './shape.ts'

/** An area that is being drawn or changed. */
export interface Draft {
  /** Undefined for a new one. */
  readonly id: string | undefined
  readonly name: string
  readonly kind: Area['kind']
  readonly color: string
  readonly type: ShapeType
  /** Undefined while nothing is drawn, or what is written is no shape. */
  readonly shape: Shape | undefined
  /** Whether the map has a part of a shape that is not complete. */
  readonly isBegun: boolean
  /** Of an area that is changed: whether its new shape holds for the past, too. */
  readonly isForPast: boolean
}

const NEW = { id: undefined, name: '', kind: 'OTHER', color: '#1c7ed6' } as const

/** Of an area as it is stored, or of a new one. */
export function draftOf(area: Area | undefined): Draft {
  const { id, name, kind, color } = area ?? NEW
  const shape = area && shapeOf(area)
  return { id, name, kind, color, type: shape?.type ?? 'polygon', shape, isBegun: false, isForPast: false }
}

/** Whether it holds anything that is not stored. */
export function isChanged(draft: Draft, area: Area | undefined): boolean {
  const entered = ({ name, kind, color, shape }: Draft) => JSON.stringify([name, kind, color, shape])
  return draft.isBegun || entered(draft) !== entered(draftOf(area))
}

/** Whether the shape differs from what is stored. */
export function hasNewShape({ shape }: Draft, area: Area | undefined): boolean {
  return area !== undefined && JSON.stringify(shape) !== JSON.stringify(shapeOf(area))
}

/** What is sent to store it; undefined while something is missing. */
export function bodyOf(draft: Draft, area: Area | undefined) {
  const { kind, color, shape, isForPast } = draft
  const name = draft.name.trim()
  if (!shape || name === '') return undefined
  const past = isForPast && hasNewShape(draft, area) ? { validFromTimestamp: null } : {}
  return { name, kind, color, ...drawnOf(shape), ...past }
}

/**
 * Points as people write and paste them: a line each, latitude first. An empty line begins the next ring, which is written
 * without its last point, as that is the first again.
 */
export function pointsText(shape: Shape | undefined): string {
  const lines = shape ? linesOf(shape) : []
  return lines.map(line => line.map(([longitude, latitude]) => `${latitude}, ${longitude}`).join('\n')).join('\n\n')
}

function linesOf(shape: Shape): readonly (readonly LonLat[])[] {
  if (shape.type === 'circle') return [[shape.center]]
  return shape.type === 'corridor' ? [shape.line] : (shape.polygons[0] ?? []).map(ring => ring.slice(0, -1))
}

/** What was read of such a text, or the first of its lines that is no point. */
type ReadPoints = { readonly lines: readonly (readonly LonLat[])[] } | { readonly wrongLine: string }

/** Reads such a text. Numbers may be apart by comma, semicolon or blanks. */
export function readPoints(text: string): ReadPoints {
  const lines: LonLat[][] = []
  for (const part of text.trim().split(/\n\s*\n/)) {
    const line: LonLat[] = []
    for (const row of part.split('\n').filter(each => each.trim() !== '')) {
      const [latitude = 91, longitude = 181, ...more] = row
        .split(/[,;\s]/)
        .filter(Boolean)
        .map(numberIn)
      if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180 || more.length > 0) return { wrongLine: row.trim() }
      line.push([rounded(longitude), rounded(latitude)])
    }
    if (line.length > 0) lines.push(line)
  }
  return { lines }
}

function numberIn(text: string): number | undefined {
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined
}

/** @returns undefined while what is written is no shape of the type */
export function shapeOfText(type: ShapeType, text: string, metres: number): Shape | undefined {
  const read = readPoints(text)
  const lines = 'lines' in read ? read.lines : []
  const [line = [], ...others] = lines
  if (type === 'polygon')
    return line.length > 0 && lines.every(ring => ring.length >= 3)
      ? { type, polygons: [lines.map(closed)] }
      : undefined
  const [center] = line
  if (!center || others.length > 0 || !(metres >= 1)) return undefined
  if (type === 'corridor') return line.length >= 2 ? { type, line, halfWidthM: metres } : undefined
  return line.length === 1 ? { type, center, radiusM: metres } : undefined
}

function closed(ring: readonly LonLat[]): readonly LonLat[] {
  const [first, last] = [ring[0], ring.at(-1)]
  return first && String(first) !== String(last) ? [...ring, first] : ring
}
