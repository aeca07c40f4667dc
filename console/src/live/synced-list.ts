import { keepPreviousData, type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { type Language, languageHere } from '../language/language.ts'
import { restSince } from './at-most-every.ts'
import { withNewer } from './live-state.ts'

/** An object of a list that a client can follow (decisions.md, *Sync*). */
interface Synced {
  readonly id: string
  readonly modifyTimestamp: string
}

/** What of a list is asked for. */
interface Asked {
  readonly maxResults: number
  readonly filterTimestamp?: string
  readonly fromTimestamp?: string
  readonly includeDeleted?: boolean
  readonly count?: boolean
}

/** A page of a list of the API: objects in the order in which they began. */
interface SyncedPage<T> {
  readonly objects: readonly T[]
  /** The filter that gives what changes from now on. */
  readonly modifyTimestamp: string
  /** Where the next older page is. */
  readonly next: string | undefined
  /** How many match, if that was asked. */
  readonly total?: number | undefined
}

/** A list of the API, and what of it is wanted. */
export interface SyncedSource<T> {
  readonly queryKey: readonly unknown[]
  /** Where the range begins. The API is not told: without it the newest come first (decisions.md, *more than maxResults*), and a range of years costs no more than what is read. */
  readonly fromMs: number
  readonly pageSize: number
  /** How many pages are read at first. */
  readonly firstPages: number
  /** How often changes are fetched at most. */
  readonly everyMs?: number
  /** When an object began. */
  readonly startOf: (object: T) => string
  /** Reads a page of those up to the end of the range; `next` is where an older one is. */
  readonly ask: (query: Asked, signal?: AbortSignal, next?: string) => Promise<SyncedPage<T>>
  /** Others that are wanted, too, whenever they began. */
  readonly askOthers?: (signal: AbortSignal) => Promise<readonly T[]>
  /** Asks for those of the range that do not count. */
  readonly uncounted?: Partial<Asked>
}

/**
 * Objects from the newest to the oldest that was read, as a syncing client keeps them: deleted ones too, so that an older
 * reply cannot bring them back.
 */
export interface SyncedList<T> {
  readonly objects: ReadonlyMap<string, T>
  /** Where older ones are; undefined when all of the range are here. */
  readonly next: string | undefined
  /** Of those that begin before, not all are known. */
  readonly knownFromMs: number
  readonly modifyTimestamp: string
  /** Of its texts: in another one, all of it is read again. */
  readonly language: Language
}

/** A list as far as it was read; while there are older ones, how many there are, which the service counts. The list before stays until it is here. */
export function useSyncedList<T extends Synced>(source: SyncedSource<T>) {
  const options = { ...syncedQuery(source), placeholderData: keepPreviousData }
  const { data: list, error, refetch, isPlaceholderData } = useQuery(options)
  const isCut = list?.next !== undefined
  // The count is of what is asked, the list before is not.
  const { data } = useQuery({ ...countQuery(source), enabled: isCut && !isPlaceholderData })
  return { list, isCut, counted: isCut && !isPlaceholderData ? data : undefined, error, refetch, isPlaceholderData }
}

/** Changes come in pages of this size, and at most so many at once; the rest comes with the next change. */
const CHANGES_SIZE = 500
const MOST_PAGES = 40

/** The newest of a list at first, later what changed since. */
export function syncedQuery<T extends Synced>(source: SyncedSource<T>) {
  const { queryKey, pageSize, firstPages, everyMs = 0, ask, askOthers } = source
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<SyncedList<T>> => {
      const known = client.getQueryData<SyncedList<T>>(queryKey)
      if (known?.language !== languageHere()) {
        let list = withPage(undefined, await ask({ maxResults: pageSize }, signal), source)
        for (let read = 1; read < firstPages && list.next !== undefined; read++)
          list = withPage(list, await ask({ maxResults: pageSize }, signal, list.next), source)
        return askOthers ? withChanges(list, await askOthers(signal), list.modifyTimestamp) : list
      }
      const askedMs = client.getQueryState(queryKey)?.dataUpdatedAt ?? 0
      await restSince(askedMs, everyMs, signal)
      const changed: T[] = []
      let { modifyTimestamp } = known
      for (let read = 0; read < MOST_PAGES; read++) {
        const page = await ask({ maxResults: CHANGES_SIZE, filterTimestamp: modifyTimestamp }, signal)
        changed.push(...page.objects)
        modifyTimestamp = page.modifyTimestamp
        if (page.next === undefined) break
      }
      // A page of older ones may have arrived in the meantime.
      return withChanges(client.getQueryData<SyncedList<T>>(queryKey) ?? known, changed, modifyTimestamp)
    },
  })
}

/** Reads the next page of older ones into a list. */
export async function readOlder<T extends Synced>(client: QueryClient, source: SyncedSource<T>): Promise<void> {
  const next = client.getQueryData<SyncedList<T>>(source.queryKey)?.next
  if (next === undefined) return
  const page = await source.ask({ maxResults: source.pageSize }, undefined, next)
  client.setQueryData<SyncedList<T>>(source.queryKey, known => known && withPage(known, page, source))
}

function countQuery<T>({ queryKey: [first, ...others], fromMs, ask, uncounted }: SyncedSource<T>) {
  const range = Number.isFinite(fromMs) ? { fromTimestamp: new Date(fromMs).toISOString() } : {}
  return queryOptions({
    queryKey: [first, 'count', ...others],
    queryFn: async ({ signal }) => {
      const count = async (query: Partial<Asked>) =>
        (await ask({ maxResults: 1, count: true, ...range, ...query }, signal)).total ?? 0
      return (await count({})) - (uncounted ? await count(uncounted) : 0)
    },
  })
}

type Begun<T> = Pick<SyncedSource<T>, 'fromMs' | 'startOf'>

/** A list after one more page of older ones; the first page begins it. */
export function withPage<T extends Synced>(
  list: SyncedList<T> | undefined,
  page: SyncedPage<T>,
  { fromMs, startOf }: Begun<T>,
): SyncedList<T> {
  const oldest = page.objects[0]
  const oldestMs = oldest && page.next !== undefined ? Date.parse(startOf(oldest)) : fromMs
  return {
    objects: withNewer(list?.objects ?? new Map(), page.objects),
    next: oldestMs > fromMs ? page.next : undefined,
    knownFromMs: Math.max(oldestMs, fromMs),
    // What changes while later pages are read comes with the changes after the first.
    modifyTimestamp: list?.modifyTimestamp ?? page.modifyTimestamp,
    language: list?.language ?? languageHere(),
  }
}

/** A list after a reply that says what changed since its `modifyTimestamp`. */
export function withChanges<T extends Synced>(
  list: SyncedList<T>,
  changed: readonly T[],
  modifyTimestamp: string,
): SyncedList<T> {
  return { ...list, objects: withNewer(list.objects, changed), modifyTimestamp }
}

/** Those of a list that began in its range, the newest first; deleted ones too. */
export function newestFirst<T extends Synced>(
  { objects, knownFromMs }: SyncedList<T>,
  startOf: (object: T) => string,
  toMs = Number.POSITIVE_INFINITY,
): readonly T[] {
  const shown = [...objects.values()].filter(object => {
    const startMs = Date.parse(startOf(object))
    return startMs >= knownFromMs && startMs <= toMs
  })
  return shown.sort((a, b) => {
    // Instants of the API are UTC texts of one length, so they are in order as texts.
    if (startOf(a) !== startOf(b)) return startOf(a) < startOf(b) ? 1 : -1
    return Number(b.id) - Number(a.id)
  })
}
