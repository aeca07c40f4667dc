import type { AreaKind } from '../../catalogue/area-kinds.ts'

/** Longitude and latitude in degrees, WGS 84, in GeoJSON's order. */
export type LonLat = readonly [longitude: number, latitude: number]

/** A closed line: the last point equals the first. Each edge takes the short way around the earth. */
export type Ring = readonly LonLat[]

/** The outer ring, then those of its holes. */
export type Polygon = readonly [outer: Ring, ...holes: Ring[]]

/** One or more polygons that do not overlap. */
interface PolygonShape {
  readonly type: 'polygon'
  readonly polygons: readonly Polygon[]
}

export interface CircleShape {
  readonly type: 'circle'
  readonly center: LonLat
  readonly radiusM: number
}

/** Everything within a distance of a line, such as a road. */
interface CorridorShape {
  readonly type: 'corridor'
  readonly line: readonly LonLat[]
  /** From the line to the border on either side. */
  readonly halfWidthM: number
}

/** Where an area is. Plain JSON; `checkShape` says whether one from outside can be measured. */
export type AreaShape = PolygonShape | CircleShape | CorridorShape

export function pointsOf(shape: AreaShape): readonly LonLat[] {
  if (shape.type === 'polygon') return shape.polygons.flat(2)
  return shape.type === 'circle' ? [shape.center] : shape.line
}

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
