import { queryOptions, useQuery } from '@tanstack/react-query'
import { useSelector } from '@tanstack/react-store'
import { ask } from '../api/request.ts'
import type { Permission } from '../api/types.ts'
import { tokens } from './session.ts'

/** Undefined while no user is logged in; a new one after every login. */
export function useLoginId(): string | undefined {
  return useSelector(tokens, given => given?.loginId)
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => ask('GET /auth/session', { signal }),
})

/** Whether the person may see or do that; undefined until it is known. */
export function useIsAllowed(permission: Permission): boolean | undefined {
  return useQuery(sessionQuery).data?.permissions.includes(permission)
}

/** Whether the person may see or do that; false until it is known. */
export function useMay(permission: Permission): boolean {
  return useIsAllowed(permission) ?? false
}
