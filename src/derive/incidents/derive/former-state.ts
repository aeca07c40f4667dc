import type { Json } from '../../fold-part.ts'
import type { IncidentsState, RuleState } from './going-on.ts'
import type { Situation } from './situation.ts'

/** The fields of a situation in the order in which they were stored. */
const FIELDS = [
  'lastMs',
  'isIgnitionOn',
  'ignitionMs',
  'isEngineOn',
  'rpm',
  'voltageV',
  'kmh',
  'isKmhOfCar',
  'courseDeg',
  'isUnplugged',
  'isMoving',
  'place',
  'stayLon',
  'stayLat',
  'staySinceMs',
  'odometerKm',
  'odometerMs',
  'odometerSinceMs',
] as const satisfies readonly (keyof Situation)[]
const PLACE = FIELDS.indexOf('place')
const PLACE_FIELDS = ['lon', 'lat', 'timeMs', 'count', 'rival'] as const

/** How states were stored before `packed-state.ts`: the state as it is, or with a situation without names. */
export type FormerIncidentsState =
  | IncidentsState
  | readonly [inForce: string, situation: readonly Json[], rules: readonly RuleState[]]

/** @param packed what a version before wrote @returns what it was, states of rules included */
export function unpackFormerState(packed: NonNullable<FormerIncidentsState>): NonNullable<IncidentsState> {
  if ('inForce' in packed) return packed
  const [inForce, values, rules] = packed
  const place = values[PLACE] as readonly Json[] | null
  const situation = { ...named(FIELDS, values), place: place && named(PLACE_FIELDS, place) }
  // What is stored was made of one.
  return { inForce, situation: situation as unknown as Situation, rules }
}

function named(names: readonly string[], values: readonly Json[]): Record<string, Json | undefined> {
  return Object.fromEntries(names.map((name, index) => [name, values[index]]))
}
