import { QueryClient } from '@tanstack/react-query'
import { spoken } from '../language/language.ts'
import { tokens } from '../session/session.ts'
import { ApiError } from './api-error.ts'

const RETRIES = 2

/** Cache of replies. Live updates keep it fresh, so nothing is refetched only because time passes. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < (isUnreachable(error) ? 1 : RETRIES) && isWorthRepeating(error),
      retryDelay: (failures, error) =>
        error instanceof ApiError && error.retryAfterS !== undefined ? error.retryAfterS * 1000 : 1000 * 2 ** failures,
      // A part of the page that comes later does not take the error away from what is there; the stream repeats the request.
      retryOnMount: ({ state: { error } }) => error === null || !isUnreachable(error),
      // `navigator.onLine` knows the network, not the service, which may be this very machine.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

// Data has texts in the language of the request, so all of it is refetched in the other one.
spoken.subscribe(() => void queryClient.invalidateQueries())

// What one person saw is not there any more for the next.
let loginId = tokens.get()?.loginId
tokens.subscribe(given => {
  if (given?.loginId === loginId) return
  loginId = given?.loginId
  queryClient.clear()
})

/** The live stream reconnects by itself, and failed requests are repeated when it is back; until then, people see at once that the service does not answer. */
function isUnreachable(error: Error): boolean {
  return error instanceof ApiError && error.status === 0
}

function isWorthRepeating(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)
}
