import { type ParameterValue, RULE_KINDS, type RuleKindName } from '../../src/catalogue/rule-kinds/index.ts'
import type { Asked } from './true-incident.ts'

/** A rule for which it is known what it should find. */
export interface ComparedRule {
  readonly kind: RuleKindName
  /** Parameters that differ from the defaults of the kind. */
  readonly parameters: Readonly<Record<string, ParameterValue>>
  /** Hours of each day, UTC, at which use is permitted; null where it does not matter. */
  readonly permittedHours: Asked['permittedHours'] | null
}

const COMPARED = [
  'SPEEDING',
  'AREA_ENTERED',
  'AREA_LEFT',
  'AREA_STAYED',
  'USED_OUTSIDE_HOURS',
  'IDLING',
  'TOWED',
  'REFUELLED',
  'FUEL_LOST',
  'CHARGED',
  'LOW_BATTERY',
  'ENGINE_HOT',
  'TROUBLE_CODE',
  'CRASH',
  'HARSH_BRAKING',
] as const satisfies readonly RuleKindName[]

/** Whether a kind is about areas. */
export function namesAreas(kind: RuleKindName): boolean {
  return RULE_KINDS.some(({ name, parameters }) => name === kind && parameters.some(({ type }) => type === 'areas'))
}

/** A rule of each kind for which the truth is known; kinds about areas only if areas are given. */
export function comparedRules({ limitKmh, areas, permittedHours }: Asked): readonly ComparedRule[] {
  return COMPARED.filter(kind => !namesAreas(kind) || areas.length > 0).map(kind => ({
    kind,
    parameters: kind === 'SPEEDING' ? { limitKmh } : {},
    permittedHours: RULE_KINDS.find(({ name }) => name === kind)?.hours === 'permitted' ? permittedHours : null,
  }))
}
