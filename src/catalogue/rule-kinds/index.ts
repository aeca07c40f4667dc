import { AREA_KINDS } from './areas.ts'
import { DRIVING_KINDS, USE_KINDS } from './driving.ts'
import { ENERGY_KINDS } from './energy.ts'
import type { RuleKind } from './kind.ts'
import { DEVICE_KINDS, VEHICLE_KINDS } from './vehicle.ts'

export type { ParameterValue, RuleGroup, RuleKind, RuleParameter, Severity, TextByLanguage } from './kind.ts'
export { SEVERITIES } from './kind.ts'

const ROWS = [
  ...AREA_KINDS,
  ...DRIVING_KINDS,
  ...USE_KINDS,
  ...ENERGY_KINDS,
  ...VEHICLE_KINDS,
  ...DEVICE_KINDS,
] as const

/** As the API writes them. Stored with rules and incidents: never renamed. */
export type RuleKindName = (typeof ROWS)[number]['name']

/** Every kind of rule, in the order in which they are offered. */
export const RULE_KINDS: readonly (RuleKind & { readonly name: RuleKindName })[] = ROWS

const kindsByName: ReadonlyMap<string, (typeof RULE_KINDS)[number]> = new Map(RULE_KINDS.map(kind => [kind.name, kind]))

export function ruleKindByName(name: string): (typeof RULE_KINDS)[number] | undefined {
  return kindsByName.get(name)
}
