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
  /** Undefined while nothing is drawn. */
  readonly shape: Shape | undefined
  /** Whether the map has a part of a shape that is not complete. */
  readonly isBegun: boolean
  /** How often the map has changed it: then what was typed is out of date. */
  readonly mapChanges: number
  /** Of an area that is changed: whether its new shape holds for the past, too. */
  readonly isForPast: boolean
}

const NEW_COLOR = '#1c7ed6'
const UNTOUCHED = { isBegun: false, mapChanges: 0, isForPast: false }

export function newDraft(type: ShapeType): Draft {
  return { ...UNTOUCHED, id: undefined, name: '', kind: 'OTHER', color: NEW_COLOR, type, shape: undefined }
}

export function draftOf(area: Area): Draft {
  const { id, name, kind, color } = area
  const shape = shapeOf(area)
  return {
    id,
    name,
    kind,
    color,
    type: shape?.type ?? 'polygon',
    shape,
    isBegun: false,
    mapChanges: 0,
    isForPast: false,
  }
}

/** Whether it holds anything that is not stored. */
export function isChanged(draft: Draft, area: Area | undefined): boolean {
  const entered = ({ name, kind, color, shape }: Draft) => JSON.stringify([name, kind, color, shape])
  return draft.isBegun || entered(draft) !== entered(area ? draftOf(area) : newDraft(draft.type))
}

/** Whether the shape differs from what is stored. */
export function hasNewShape({ shape }: Draft, area: Area | undefined): boolean {
  return area !== undefined && JSON.stringify(shape) !== JSON.stringify(shapeOf(area))
}

/** What is sent to store it; undefined while something is missing. */
export function bodyOf(draft: Draft, area: Area | undefined) {
  const { name, kind, color, shape, isForPast } = draft
  if (!shape || name.trim() === '') return undefined
  const isNewShapeForPast = isForPast && hasNewShape(draft, area)
  return {
    name: name.trim(),
    kind,
    color,
    ...drawnOf(shape),
    ...(isNewShapeForPast ? { validFromTimestamp: null } : {}),
  }
}

/** Points as people write and paste them: a line each, latitude first. An empty line begins the next ring. */
export function pointsText(lines: readonly (readonly LonLat[])[]): string {
  return lines.map(line => line.map(([longitude, latitude]) => `${latitude}, ${longitude}`).join('\n')).join('\n\n')
}

/** What was read of a text, or the first of its lines that is no point. */
type ReadPoints = { readonly lines: readonly (readonly LonLat[])[] } | { readonly wrongLine: string }

/** Reads such a text. Numbers may be apart by comma, semicolon or blanks. */
export function readPoints(text: string): ReadPoints {
  const lines: LonLat[][] = []
  let isNew = true
  for (const row of text.split('\n')) {
    if (row.trim() === '') {
      isNew = true
      continue
    }
    const numbers = row.split(/[,;\s]/).filter(part => part !== '')
    const isPoint = numbers.length === 2 && numbers.every(part => /^-?\d+(?:\.\d+)?$/.test(part))
    const [latitude, longitude] = isPoint ? numbers.map(Number) : []
    if (latitude === undefined || longitude === undefined || Math.abs(latitude) > 90 || Math.abs(longitude) > 180)
      return { wrongLine: row.trim() }
    if (isNew) lines.push([])
    isNew = false
    lines.at(-1)?.push([rounded(longitude), rounded(latitude)])
  }
  return { lines }
}

/** Rings as they are written: without the last point, which is the first again. */
export function openRings(rings: readonly (readonly LonLat[])[]): readonly (readonly LonLat[])[] {
  return rings.map(ring => ring.slice(0, -1))
}

/** The same closed. */
export function closedRings(rings: readonly (readonly LonLat[])[]): readonly (readonly LonLat[])[] {
  return rings.map(ring => {
    const [first, last] = [ring[0], ring.at(-1)]
    const isClosed = ring.length > 1 && first?.[0] === last?.[0] && first?.[1] === last?.[1]
    return first && !isClosed ? [...ring, first] : ring
  })
}
