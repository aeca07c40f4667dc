import { queryOptions } from '@tanstack/react-query'
import { ask, askPage } from '../api/request.ts'
import type { Incident } from '../api/types.ts'
import type { SyncedSource } from '../live/synced-list.ts'
import type { IncidentScope } from './incident.ts'

const PAGE_SIZE = 5000

/** The incidents of a scope, withdrawn ones too, which are shown as such; a fleet with more than four pages of them is shown its newest ones. */
export function incidentsSource(scope: IncidentScope): SyncedSource<Incident> {
  const { fromMs, toMs, ...filter } = scope
  const toTimestamp = toMs === undefined ? undefined : new Date(toMs).toISOString()
  return {
    queryKey: ['incidents', 'list', scope],
    fromMs,
    pageSize: PAGE_SIZE,
    firstPages: 4,
    startOf: incident => incident.startTimestamp,
    ask: async (asked, signal, next) => {
      const query = { ...filter, includeDeleted: true, toTimestamp, ...asked }
      const { reply, ...page } = await askPage('GET /cc/v2.0/incidents', { query, next, signal })
      return { ...page, objects: reply.incidents, modifyTimestamp: reply.modifyTimestamp }
    },
    // Those that began before a range that lasts until now, and go on.
    askOthers: async signal => {
      if (toMs !== undefined) return []
      const until = { toTimestamp: new Date(fromMs).toISOString(), maxResults: PAGE_SIZE }
      return (await ask('GET /cc/v2.0/incidents', { query: { ...filter, state: 'open', ...until }, signal })).incidents
    },
  }
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
