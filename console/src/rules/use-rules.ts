import { useQuery } from '@tanstack/react-query'
import type { Rule, RuleKind } from '../api/types.ts'
import { useMay } from '../session/use-session.ts'
import { ruleKindsQuery, rulesQuery } from './rules-query.ts'

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
