import { queryClient } from '../api/query-client.ts'

/** Lists that the server computes are refetched at most this often while changes keep coming. */
const ASK_AGAIN_MS = 2000

const asking = new Map<string, { isDue: boolean }>()

/**
 * Marks the queries of a key as out of date: at once, then at most every `ASK_AGAIN_MS`. A running request is
 * not cancelled, or a slow one would never end while changes keep coming; it is repeated, because it may have read too early.
 */
export function askAgain(queryKey: readonly string[]): void {
  const name = JSON.stringify(queryKey)
  const pending = asking.get(name)
  if (pending) {
    pending.isDue = true
    return
  }
  const queries = queryClient.getQueryCache().findAll({ queryKey })
  if (queries.length === 0) return
  const entry = { isDue: queries.some(query => query.state.fetchStatus !== 'idle') }
  asking.set(name, entry)
  void queryClient.invalidateQueries({ queryKey, fetchStatus: 'idle' })
  setTimeout(() => {
    asking.delete(name)
    if (entry.isDue) askAgain(queryKey)
  }, ASK_AGAIN_MS)
}
