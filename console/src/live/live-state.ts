import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

/** `away`: the service does not answer at the moment. */
export type LiveState = 'connecting' | 'live' | 'away'

/** Data is shown without the stream if that does not come up in this time. */
const PATIENCE_MS = 1500

const listeners = new Set<() => void>()
let state: LiveState = 'connecting'
/** Since when nothing new is known, by this machine's clock; undefined while everything is, or nothing. */
let knownSinceMs: number | undefined

export function onLiveState(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function liveState(): LiveState {
  return state
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(onLiveState, liveState)
}

/** Of when what is shown is, while the service is away; undefined while it is not, or nothing is shown. */
export function useKnownSince(): number | undefined {
  return useSyncExternalStore(onLiveState, () => (state === 'live' ? undefined : knownSinceMs))
}

/** Something from before is shown. */
export function setKnownSince(timeMs: number): void {
  knownSinceMs = timeMs
  for (const listener of listeners) listener()
}

export function setLiveState(changed: LiveState): void {
  if (changed === 'live') knownSinceMs = undefined
  else if (state === 'live') knownSinceMs = Date.now()
  state = changed
  for (const listener of listeners) listener()
}

/**
 * Waits until the stream has begun, so that a list fetched afterwards and the stream together miss nothing; or for a
 * moment, if it does not begin.
 */
export function whenLive(): Promise<void> {
  return new Promise(resolve => {
    if (state === 'live') return resolve()
    const end = () => {
      stop()
      resolve()
    }
    const stop = onLiveState(() => state === 'live' && end())
    setTimeout(end, PATIENCE_MS)
  })
}

/** An object of the API as it is at the revision of its last change; revisions are texts of one length. */
interface Revised<Id> {
  readonly id: Id
  readonly modifyTimestamp: string
}

/** A copy of `known` with the objects that are new, or newer than what it has. */
export function withNewer<Id, T extends Revised<Id>>(known: ReadonlyMap<Id, T>, given: Iterable<T>): Map<Id, T> {
  const merged = new Map(known)
  for (const object of given) {
    const before = merged.get(object.id)
    if (!before || before.modifyTimestamp <= object.modifyTimestamp) merged.set(object.id, object)
  }
  return merged
}

/**
 * All objects of a list by id, kept up to date by the live stream. What the stream tells while the list is on its way is not undone by the list,
 * which may have been read before (docs/stream.md, *How to follow a fleet*).
 *
 * @param read begins with `whenLive`
 */
export function followedList<Id, T extends Revised<Id>>(
  queryKey: readonly string[],
  read: (context: { readonly client: QueryClient; readonly signal: AbortSignal }) => Promise<readonly T[]>,
) {
  const readers = new Set<T[]>()
  const query = queryOptions({
    queryKey,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async (context): Promise<ReadonlyMap<Id, T>> => {
      const changes: T[] = []
      readers.add(changes)
      try {
        const list = await read(context)
        return withNewer(withNewer(new Map(), list), changes)
      } finally {
        readers.delete(changes)
      }
    },
  })
  const learn = (client: QueryClient, changed: readonly T[]) => {
    for (const changes of readers) changes.push(...changed)
    client.setQueryData(query.queryKey, known => known && withNewer(known, changed))
  }
  return { query, learn }
}
