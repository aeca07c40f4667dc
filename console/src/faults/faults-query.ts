import { queryOptions } from '@tanstack/react-query'
import { askPage } from '../api/request.ts'
import type { Operations } from '../api/schema.ts'
import type { Dtc } from '../api/types.ts'
import { withNewer } from '../live/live-state.ts'
import { type FaultList, type FaultScope } from './fault.ts'

const PAGE_SIZE = 5000

/** A fleet with more codes than this many pages is shown its newest ones. */
const MOST_PAGES = 4

/** The codes of a scope: its newest ones at first, later what changed since. Texts are of one language. */
export function faultsQuery(scope: FaultScope) {
  const queryKey = ['dtcs', scope] as const
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<FaultList> => {
      const known = client.getQueryData<FaultList>(queryKey)
      return known ? askChanges(known, signal) : askAll(scope, signal)
    },
  })
}

/**
 * Without `fromTimestamp` the newest codes come first, page by page (decisions.md, *more than maxResults*), so the
 * reader stops where the range begins.
 */
async function askAll(scope: FaultScope, signal: AbortSignal): Promise<FaultList> {
  const isHistory = scope.view === 'history'
  const fromMs = isHistory ? scope.fromMs : Number.NEGATIVE_INFINITY
  const query = {
    maxResults: PAGE_SIZE,
    ...(isHistory ? { includeDeleted: true } : {}),
    ...(isHistory && scope.toMs !== undefined ? { toTimestamp: new Date(scope.toMs).toISOString() } : {}),
  }
  const dtcs: Dtc[] = []
  let modifyTimestamp: string | undefined
  let next: string | undefined
  for (let read = 0; read < MOST_PAGES; read++) {
    const page = await askPage('GET /cc/v2.0/dtcs', { query, next, signal })
    // What changes while later pages are read comes with the changes after the first.
    modifyTimestamp ??= page.reply.modifyTimestamp
    dtcs.push(...page.reply.dtcs)
    const oldest = page.reply.dtcs[0]
    next = oldest && Date.parse(oldest.recordedTimestamp) >= fromMs ? page.next : undefined
    if (next === undefined) break
  }
  return { dtcs: withNewer(new Map(), dtcs), isCut: next !== undefined, modifyTimestamp: modifyTimestamp ?? '' }
}

/**
 * How many codes a scope has, whatever was read of them, those of hidden cars among them; counted by the service (`count` of
 * `GET /dtcs`). It counts codes that are gone together with those that are not, so the others are subtracted.
 */
export function faultCountQuery(scope: FaultScope) {
  return queryOptions({
    queryKey: ['dtcs', 'count', scope],
    queryFn: async ({ signal }) => {
      if (scope.view === 'current') return askCount({}, signal)
      const range = {
        fromTimestamp: new Date(scope.fromMs).toISOString(),
        ...(scope.toMs === undefined ? {} : { toTimestamp: new Date(scope.toMs).toISOString() }),
      }
      const [all, present] = await Promise.all([
        askCount({ ...range, includeDeleted: true }, signal),
        askCount(range, signal),
      ])
      return all - present
    },
  })
}

async function askCount(query: NonNullable<Operations['GET /cc/v2.0/dtcs']['query']>, signal: AbortSignal) {
  const { total = 0 } = await askPage('GET /cc/v2.0/dtcs', { query: { ...query, maxResults: 1, count: true }, signal })
  return total
}

async function askChanges(known: FaultList, signal: AbortSignal): Promise<FaultList> {
  let { dtcs, modifyTimestamp }: FaultList = known
  for (let read = 0; read < MOST_PAGES; read++) {
    const query = { filterTimestamp: modifyTimestamp, maxResults: PAGE_SIZE }
    const page = await askPage('GET /cc/v2.0/dtcs', { query, signal })
    dtcs = withNewer(dtcs, page.reply.dtcs)
    modifyTimestamp = page.reply.modifyTimestamp
    if (page.next === undefined) break
  }
  return { ...known, dtcs, modifyTimestamp }
}
