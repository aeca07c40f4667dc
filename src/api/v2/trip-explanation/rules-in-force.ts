import * as rules from '../../../derive/trips/derive/rules.ts'
import type { Language } from '../../language.ts'
import { RULE_TEXTS } from './rule-texts.ts'
import type { RuleInForce } from './schema.ts'

/** Units by the end of a name, the longest first. */
const UNITS = [
  ['_M_PER_MS', 'm/ms'],
  ['_KMH', 'km/h'],
  ['_KM', 'km'],
  ['_DEG', '°'],
  ['_DAYS', 'd'],
  ['_PER_MILE', 'km/mi'],
  ['_MS', 'ms'],
  ['_M', 'm'],
] as const

const VALUES: Readonly<Record<keyof typeof rules, number>> = { ...rules }

/** Every parameter of the rules of trips, by its name in `facts/trips/derive/rules.ts`; those of begin and end come first. */
export function rulesInForce(language: Language): RuleInForce[] {
  return (Object.keys(RULE_TEXTS) as (keyof typeof VALUES)[]).map(name => ({
    name,
    value: VALUES[name],
    unit: UNITS.find(([end]) => name.endsWith(end))?.[1] ?? '',
    description: RULE_TEXTS[name][language],
  }))
}
