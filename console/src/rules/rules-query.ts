import { queryOptions } from '@tanstack/react-query'
import { ask, askPage } from '../api/request.ts'
import type { Rule } from '../api/types.ts'

const PAGE_SIZE = 10_000

/** All rules by id, deleted ones too, because their incidents name them. Refetched on changes from the live stream. */
export const rulesQuery = queryOptions({
  queryKey: ['rules', 'list'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, Rule>> => {
    const rules = new Map<string, Rule>()
    let next: string | undefined
    do {
      const query = { includeDeleted: true, maxResults: PAGE_SIZE }
      const page = await askPage('GET /cc/v2.0/rules', { query, next, signal })
      for (const rule of page.reply.rules) rules.set(rule.id, rule)
      next = page.next
    } while (next !== undefined)
    return rules
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
