import { queryOptions } from '@tanstack/react-query'
import { ask } from '../api/request.ts'

export const usersQuery = queryOptions({
  queryKey: ['administration', 'users'],
  queryFn: async ({ signal }) => (await ask('GET /admin/users', { signal })).users,
})

export const keysQuery = queryOptions({
  queryKey: ['administration', 'keys'],
  queryFn: async ({ signal }) => (await ask('GET /admin/keys', { signal })).keys,
})
