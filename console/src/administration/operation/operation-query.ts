import { queryOptions } from '@tanstack/react-query'
import { ask } from '../../api/request.ts'
import type { ServicePart } from '../../api/schema.ts'

const ASK_AGAIN_MS = 10_000

export const operationQuery = queryOptions({
  queryKey: ['administration', 'operation'],
  queryFn: ({ signal }) => ask('GET /admin/operation', { signal }),
  refetchInterval: ASK_AGAIN_MS,
  retry: false,
})

/** What everybody may know: it also answers while the database is away and nobody can be authenticated. */
export const readinessQuery = queryOptions({
  queryKey: ['administration', 'readiness'],
  queryFn: async ({ signal }) => partsIn(await (await fetch('/readyz', { signal })).json()),
  refetchInterval: ASK_AGAIN_MS,
  retry: false,
})

function partsIn(body: unknown): readonly ServicePart[] {
  const parts = field(body, 'parts')
  return Object.entries(typeof parts === 'object' && parts !== null ? parts : {}).map(([name, part]) => {
    const [status, reason, since] = ['status', 'reason', 'since'].map(key => field(part, key))
    return {
      name,
      status: status === 'ready' || status === 'failing' ? status : 'not ready',
      reason: typeof reason === 'string' ? reason : null,
      sinceTimestamp: typeof since === 'string' ? since : null,
    }
  })
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined
}
