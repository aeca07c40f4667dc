import type { AreaKind } from '../../catalogue/area-kinds.ts'
import type { AreaShape } from './shape.ts'

/** An area as people draw it, before it is stored. */
export interface DrawnArea {
  readonly name: string
  readonly kind: AreaKind
  /** `#` and six hexadecimal digits in lower case: red, green, blue. */
  readonly color: string
  readonly shape: AreaShape
}

export const MOST_NAME_CHARACTERS = 200
export const DEFAULT_AREA_COLOR = '#1c7ed6'

/** @returns the name as it is stored; undefined when it can be none. */
export function areaNameOf(text: string): string | undefined {
  const name = text.trim()
  // PostgreSQL would store half of a surrogate pair as another character.
  const isLegible = name !== '' && name.length <= MOST_NAME_CHARACTERS && !/[\p{Cc}\p{Cs}]/u.test(name)
  return isLegible ? name : undefined
}

/** @returns the colour as it is stored; undefined when it is none. */
export function areaColorOf(text: string): string | undefined {
  return /^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : undefined
}
