import { queryOptions } from '@tanstack/react-query'
import { ask, askPage } from '../api/request.ts'
import type { Incident } from '../api/types.ts'
import { withNewer } from '../live/live-state.ts'
import type { IncidentList, IncidentScope } from './incident.ts'

const PAGE_SIZE = 5000

/** A fleet with more incidents than this many pages is shown its newest ones. */
const MOST_PAGES = 4

/** The incidents of a scope: its newest ones at first, later what changed since. Texts are of one language. */
export function incidentsQuery(scope: IncidentScope) {
  const queryKey = ['incidents', 'list', scope] as const
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<IncidentList> => {
      const known = client.getQueryData<IncidentList>(queryKey)
      return known ? askChanges(known, scope, signal) : askAll(scope, signal)
    },
  })
}

/**
 * Without `fromTimestamp` the newest ones come first, page by page (decisions.md, *more than maxResults*), so the
 * reader stops where the range begins.
 */
async function askAll(scope: IncidentScope, signal: AbortSignal): Promise<IncidentList> {
  const { fromMs, toMs, ...filter } = scope
  const query = { ...filter, includeDeleted: true, toTimestamp: instantOf(toMs), maxResults: PAGE_SIZE }
  const incidents: Incident[] = []
  let modifyTimestamp: string | undefined
  let next: string | undefined
  for (let read = 0; read < MOST_PAGES; read++) {
    const page = await askPage('GET /cc/v2.0/incidents', { query, next, signal })
    // What changes while later pages are read comes with the changes after the first.
    modifyTimestamp ??= page.reply.modifyTimestamp
    incidents.push(...page.reply.incidents)
    const oldest = page.reply.incidents[0]
    next = oldest && Date.parse(oldest.startTimestamp) >= fromMs ? page.next : undefined
    if (next === undefined) break
  }
  if (toMs === undefined) incidents.push(...(await askOpenBefore(scope, signal)))
  return {
    incidents: withNewer(new Map(), incidents),
    isCut: next !== undefined,
    modifyTimestamp: modifyTimestamp ?? '',
  }
}

/** How many incidents of a scope began in its range, whatever was read of them; counted by the service (`count` of `GET /incidents`). */
export function incidentCountQuery(scope: IncidentScope) {
  return queryOptions({
    queryKey: ['incidents', 'count', scope],
    queryFn: async ({ signal }) => {
      const { fromMs, toMs, ...filter } = scope
      const range = { fromTimestamp: instantOf(fromMs), toTimestamp: instantOf(toMs) }
      const query = { ...filter, ...range, includeDeleted: true, maxResults: 1, count: true }
      return (await askPage('GET /cc/v2.0/incidents', { query, signal })).total ?? 0
    },
  })
}

/** Those that began before the range and go on. */
async function askOpenBefore(scope: IncidentScope, signal: AbortSignal): Promise<readonly Incident[]> {
  const { fromMs, toMs: _none, ...filter } = scope
  const query = { ...filter, state: 'open' as const, toTimestamp: instantOf(fromMs), maxResults: PAGE_SIZE }
  return (await ask('GET /cc/v2.0/incidents', { query, signal })).incidents
}

async function askChanges(known: IncidentList, scope: IncidentScope, signal: AbortSignal): Promise<IncidentList> {
  const { fromMs: _from, toMs: _to, ...filter } = scope
  let { incidents, modifyTimestamp } = known
  for (let read = 0; read < MOST_PAGES; read++) {
    const query = { ...filter, filterTimestamp: modifyTimestamp, maxResults: PAGE_SIZE }
    const page = await askPage('GET /cc/v2.0/incidents', { query, signal })
    incidents = withNewer(incidents, page.reply.incidents)
    modifyTimestamp = page.reply.modifyTimestamp
    if (page.next === undefined) break
  }
  return { ...known, incidents, modifyTimestamp }
}

function instantOf(timeMs: number | undefined): string | undefined {
  return timeMs === undefined ? undefined : new Date(timeMs).toISOString()
}

/** Refetched on changes from the live stream. */
export function incidentQuery(incidentId: string) {
  return queryOptions({
    queryKey: ['incident', incidentId],
    queryFn: ({ signal }) => ask('GET /cc/v2.0/incidents/{incidentId}', { path: { incidentId }, signal }),
  })
}

export function incidentExplanationQuery(incidentId: string) {
  return queryOptions({
    queryKey: ['incident', incidentId, 'explanation'],
    queryFn: ({ signal }) => ask('GET /cc/v2.0/incidents/{incidentId}/explain', { path: { incidentId }, signal }),
  })
}
