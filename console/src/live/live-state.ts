import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { createAtom } from '@tanstack/react-store'

interface LiveState {
  /** `away`: the service does not answer at the moment. */
  readonly stream: 'connecting' | 'live' | 'away'
  /** Of when what is shown is, by this machine's clock; undefined while it is of now, or nothing is shown. */
  readonly knownSinceMs: number | undefined
}

export const live = createAtom<LiveState>({ stream: 'connecting', knownSinceMs: undefined })

export function setStream(stream: LiveState['stream']): void {
  live.set(before => ({
    stream,
    knownSinceMs: stream === 'live' ? undefined : before.stream === 'live' ? Date.now() : before.knownSinceMs,
  }))
}

/** Data is shown without the stream if that does not come up in this time. */
const PATIENCE_MS = 1500

/**
 * Waits until the stream has begun, so that a list fetched afterwards and the stream together miss nothing; or for a
 * moment, if it does not begin.
 */
export function whenLive(): Promise<void> {
  return new Promise(resolve => {
    if (live.get().stream === 'live') return resolve()
    const end = () => {
      waiting.unsubscribe()
      resolve()
    }
    const waiting = live.subscribe(({ stream }) => stream === 'live' && end())
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
