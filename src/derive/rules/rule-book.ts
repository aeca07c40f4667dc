import {
  type ParameterValue,
  type RuleKindName,
  ruleKindByName,
  type Severity,
} from '../../catalogue/rule-kinds/index.ts'
import type { AreaShape } from '../../model/areas/shape.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { WeeklyHours } from './weekly-hours.ts'

/** A rule as an account saved it, from `fromMs` until the next version or the deletion. Immutable, but for `toMs`. */
export interface RuleVersion extends TimeRange {
  readonly ruleId: number
  readonly version: number
  readonly kind: RuleKindName
  /** By name; what is missing has the default of the kind. */
  readonly parameters: Readonly<Record<string, ParameterValue>>
  readonly severity: Severity
  /** Vehicles of the account; null: all of them. */
  readonly vehicleIds: readonly number[] | null
  /** The kind says what they mean (`RuleKind.hours`); null: always. */
  readonly hours: WeeklyHours | null
}

/** Where an area was from `fromMs` until it was changed or deleted. */
export interface AreaVersion extends TimeRange {
  readonly areaId: number
  readonly version: number
  readonly shape: AreaShape
}

/** All versions of the rules and areas of an account. Immutable, and the same object as long as nothing changes. */
export interface RuleBook {
  readonly rules: readonly RuleVersion[]
  readonly areas: readonly AreaVersion[]
}

/** In which cars a dongle was, and which book holds there. */
export interface RulesOfDevice {
  readonly assignments: readonly (TimeRange & { readonly vehicleId: number; readonly book: RuleBook })[]
}

/** A parameter of a rule that is a number. @throws if the kind has no such parameter */
export function numberOf(rule: Pick<RuleVersion, 'kind' | 'parameters'>, name: string): number {
  const value = valueOf(rule, name)
  if (typeof value !== 'number') throw new Error(`${rule.kind} has no number ${name}`)
  return value
}

/** A parameter of a rule that is a text: one of a few words, an event type or a pattern of codes. */
export function textOf(rule: Pick<RuleVersion, 'kind' | 'parameters'>, name: string): string {
  const value = valueOf(rule, name)
  if (typeof value !== 'string') throw new Error(`${rule.kind} has no text ${name}`)
  return value
}

/** The areas that a rule names; undefined if its kind knows none. An empty list means all of the account. */
export function areaIdsOf(rule: Pick<RuleVersion, 'kind' | 'parameters'>): readonly number[] | undefined {
  const parameter = ruleKindByName(rule.kind)?.parameters.find(({ type }) => type === 'areas')
  const value = parameter && valueOf(rule, parameter.name)
  return Array.isArray(value) ? value : undefined
}

function valueOf({ kind, parameters }: Pick<RuleVersion, 'kind' | 'parameters'>, name: string): unknown {
  return parameters[name] ?? ruleKindByName(kind)?.parameters.find(parameter => parameter.name === name)?.default
}
