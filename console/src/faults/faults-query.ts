import { askPage } from '../api/request.ts'
import type { Dtc } from '../api/types.ts'
import type { SyncedSource } from '../live/synced-list.ts'
import type { FaultScope } from './fault.ts'

/** The codes of a scope; a fleet with more than four pages of them is shown its newest ones. */
export function faultsSource(scope: FaultScope): SyncedSource<Dtc> {
  const { fromMs, toMs } = scope.view === 'history' ? scope : { fromMs: Number.NEGATIVE_INFINITY, toMs: undefined }
  return {
    queryKey: ['dtcs', scope],
    fromMs,
    pageSize: 5000,
    firstPages: 4,
    startOf: dtc => dtc.recordedTimestamp,
    ask: async (query, signal, next) => {
      const { reply, ...page } = await askPage('GET /cc/v2.0/dtcs', {
        query: {
          ...(scope.view === 'history' ? { includeDeleted: true } : {}),
          ...(toMs === undefined ? {} : { toTimestamp: new Date(toMs).toISOString() }),
          ...query,
        },
        next,
        signal,
      })
      return { ...page, objects: reply.dtcs, modifyTimestamp: reply.modifyTimestamp }
    },
    // The service counts codes that are gone together with those that are not.
    ...(scope.view === 'history' ? { uncounted: { includeDeleted: false } } : {}),
  }
}
