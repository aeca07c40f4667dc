import type { RuleKind } from '../api/types.ts'
import { formatQuantity } from '../language/format.ts'
import type { Language, Texts } from '../language/language.ts'
import { eventTypeName } from '../measurements/measurement.ts'

export type RuleParameter = RuleKind['parameters'][number]

interface ParameterWords {
  readonly language: Language
  readonly texts: Pick<Texts<'rules'>, 'yes' | 'no' | 'all' | 'notSet'>
  /** Names of areas by id. */
  readonly areas: ReadonlyMap<string, string>
}

/** The value of a parameter in words. @param parameter undefined for those who may not see the catalogue of kinds */
export function parameterText(
  value: unknown,
  unit: string,
  parameter: RuleParameter | undefined,
  { language, texts, areas }: ParameterWords,
): string {
  if (value === null || value === undefined || value === '') return texts.notSet
  if (isAll(value, parameter)) return texts.all
  if (typeof value === 'number') return formatQuantity(value, unit, language, 3)
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  if (Array.isArray(value))
    return value.length === 0 ? texts.all : value.map(id => areas.get(String(id)) ?? String(id)).join(', ')
  if (typeof value !== 'string') return JSON.stringify(value)
  if (parameter?.dataType === 'eventType') return eventTypeName(value, language)
  return parameter?.choices.find(choice => choice.value === value)?.label ?? value
}

/** Whether a value stands for all that there is: every fault code, every control unit. */
function isAll(value: unknown, parameter: RuleParameter | undefined): boolean {
  return (parameter?.dataType === 'dtcPattern' && value === '*') || (parameter?.name === 'ecuTypeId' && value === 0)
}
