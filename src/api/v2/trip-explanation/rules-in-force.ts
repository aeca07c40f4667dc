import * as rules from '../../../derive/trips/rules.ts'
import type { Language } from '../../language.ts'
import { RULE_TEXTS } from './rule-texts.ts'
import type { RuleInForce } from './schema.ts'

/** Units by the end of a name, the longest first. */
const UNITS = [
  ['_M_PER_MS', 'm/ms'],
  ['_KMH', 'km/h'],
  ['_DEG', '°'],
  ['_DAYS', 'd'],
  ['_FIXES', ''],
  ['_MS', 'ms'],
  ['_M', 'm'],
] as const

/** Every value by which trips are told apart, under the names of `derive/trips/rules.ts`. */
export function rulesInForce(language: Language): RuleInForce[] {
  return Object.entries(rules).map(([name, value]) => ({
    name,
    value,
    unit: UNITS.find(([end]) => name.endsWith(end))?.[1] ?? '',
    description: RULE_TEXTS[name as keyof typeof rules][language],
  }))
}
