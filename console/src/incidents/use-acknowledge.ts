import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ask } from '../api/request.ts'
import type { Incident } from '../api/types.ts'
import { withNewer } from '../live/changes.ts'
import type { IncidentList } from './incident-list.ts'
import { incidentQuery } from './incidents-query.ts'

/** Says that somebody has seen an incident, with a note; `undefined` takes it back. Lists show it at once. */
export function useAcknowledge(incidentId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (note: string | undefined): Promise<Incident> => {
      const path = { incidentId }
      return note === undefined
        ? ask('DELETE /cc/v2.0/incidents/{incidentId}/acknowledgement', { path })
        : ask('POST /cc/v2.0/incidents/{incidentId}/acknowledgement', { path, body: { note } })
    },
    onSuccess: changed => {
      client.setQueryData(incidentQuery(incidentId).queryKey, changed)
      client.setQueriesData<IncidentList>(
        { queryKey: ['incidents', 'list'] },
        known => known && { ...known, incidents: withNewer(known.incidents, [changed]) },
      )
      void client.invalidateQueries({ queryKey: ['incidents', 'unseen'] })
    },
  })
}
