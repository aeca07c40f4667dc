import type { Area } from '../api/types.ts'
import { drawnOf, type Shape, type ShapeType, shapeOf } from './shape.ts'

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
  /** How often the map has changed it: then what was typed is out of date. */
  readonly mapChanges: number
  /** Of an area that is changed: whether its new shape holds for the past, too. */
  readonly isForPast: boolean
}

const NEW_COLOR = '#1c7ed6'

export function newDraft(type: ShapeType): Draft {
  return {
    id: undefined,
    name: '',
    kind: 'OTHER',
    color: NEW_COLOR,
    type,
    shape: undefined,
    mapChanges: 0,
    isForPast: false,
  }
}

export function draftOf(area: Area): Draft {
  const { id, name, kind, color } = area
  const shape = shapeOf(area)
  return { id, name, kind, color, type: shape?.type ?? 'polygon', shape, mapChanges: 0, isForPast: false }
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
