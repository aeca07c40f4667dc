import type { Json } from '../../fold-part.ts'
import type { IncidentsState, RuleState } from './going-on.ts'
import type { RulesOfDevice } from './rule-book.ts'
import { detectorOf, ruleVersionIn } from './rules-in-force.ts'
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

/** @param packed what a version before wrote */
export function unpackFormerState(rules: RulesOfDevice, packed: FormerIncidentsState): IncidentsState {
  if (packed === null) return null
  if ('inForce' in packed) return { ...packed, rules: packed.rules.map(each => ofFormer(rules, each)) }
  const [inForce, values, states] = packed
  const place = values[PLACE] as readonly Json[] | null
  const situation = { ...named(FIELDS, values), place: place && named(PLACE_FIELDS, place) }
  // What is stored was made of one.
  return { inForce, situation: situation as unknown as Situation, rules: states.map(each => ofFormer(rules, each)) }
}

/** The state of a rule as it is now. */
function ofFormer(rules: RulesOfDevice, former: RuleState): RuleState {
  const [ruleId, version, state] = former
  const rule = ruleVersionIn(rules, ruleId, version)
  const packing = rule && detectorOf(rule).packing
  return packing?.ofFormer ? [ruleId, version, packing.ofFormer(state)] : former
}

function named(names: readonly string[], values: readonly Json[]): Record<string, Json | undefined> {
  return Object.fromEntries(names.map((name, index) => [name, values[index]]))
}
