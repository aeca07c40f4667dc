import { Alert } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { ask, askAll } from '../api/request.ts'
import type { Rule, RuleKind } from '../api/types.ts'
import { formatNumber, formatQuantity, type Texts, useTexts } from '../language/language.ts'
import { eventTypeName } from '../measurements/measurement.ts'
import { useMay } from '../session/use-session.ts'

const NO_RULES: ReadonlyMap<string, Rule> = new Map()
const NO_KINDS: readonly RuleKind[] = []

/** All rules by id, deleted ones too; empty without the permission. */
export function useRules(): ReadonlyMap<string, Rule> {
  const mayReadRules = useMay('rules')
  return useQuery({ ...rulesQuery, enabled: mayReadRules }).data ?? NO_RULES
}

/** What rules can look for; empty without the permission. */
export function useRuleKinds(): readonly RuleKind[] {
  const mayReadRules = useMay('rules')
  return useQuery({ ...ruleKindsQuery, enabled: mayReadRules }).data ?? NO_KINDS
}

/** All rules by id, deleted ones too, because their incidents name them. Refetched on changes from the live stream. */
export const rulesQuery = queryOptions({
  queryKey: ['rules', 'list'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, Rule>> => {
    const query = { includeDeleted: true }
    const rules = await askAll('GET /cc/v2.0/rules', { query, signal }, reply => reply.rules)
    return new Map(rules.map(rule => [rule.id, rule]))
  },
})

/** What rules can look for; texts are of the language of the person. */
export const ruleKindsQuery = queryOptions({
  queryKey: ['rule-kinds'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }) => ask('GET /cc/v2.0/rule-kinds', { signal }),
})

/** While changed rules are worked out, that is looked at this often. */
const LOOK_AGAIN_MS = 2000

export const rulesProgressQuery = queryOptions({
  queryKey: ['rules', 'progress'],
  queryFn: ({ signal }) => ask('GET /cc/v2.0/rules/progress', { signal }),
  refetchInterval: ({ state }) => (state.data?.isDone === false ? LOOK_AGAIN_MS : false),
})

/** How far changed rules are worked out for the past; nothing when there is nothing to do. */
export function RulesProgress() {
  const texts = useTexts('rules')
  const { data } = useQuery(rulesProgressQuery)
  if (!data || data.isDone) return null
  const { devicesLeft } = data
  return (
    <Alert color="blue" role="status">
      {devicesLeft > 0 ? texts.progress(devicesLeft, formatNumber(devicesLeft)) : texts.progressBegins}
    </Alert>
  )
}

export type RuleParameter = RuleKind['parameters'][number]

export interface RuleWords {
  readonly texts: Texts<'rules'>
  /** Names of areas by id. */
  readonly areas: ReadonlyMap<string, string>
}

/** The value of a parameter in words. @param parameter undefined for those who may not see the catalogue of kinds */
export function parameterText(
  value: unknown,
  unit: string,
  parameter: RuleParameter | undefined,
  { texts, areas }: RuleWords,
): string {
  if (value === null || value === undefined || value === '') return texts.notSet
  if (isAll(value, parameter)) return texts.all
  if (typeof value === 'number') return formatQuantity(value, unit, 3)
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  if (Array.isArray(value))
    return value.length === 0 ? texts.all : value.map(id => areas.get(String(id)) ?? String(id)).join(', ')
  if (typeof value !== 'string') return JSON.stringify(value)
  if (parameter?.dataType === 'eventType') return eventTypeName(value)
  return parameter?.choices.find(choice => choice.value === value)?.label ?? value
}

/** Whether a value stands for all that there is: every fault code, every control unit. */
function isAll(value: unknown, parameter: RuleParameter | undefined): boolean {
  return (parameter?.dataType === 'dtcPattern' && value === '*') || (parameter?.name === 'ecuTypeId' && value === 0)
}
