import { queryOptions } from '@tanstack/react-query'
import { askPage } from '../api/request.ts'
import type { Trip } from '../api/types.ts'
import type { TimeRange } from '../calendar/days.ts'
import { everyPage } from '../export/files.ts'
import { rest } from '../statistics/at-most-every.ts'
import { type TripList, type TripPage, withChanges, withPage } from './trip-list.ts'

/** Which trips are listed. */
export interface TripFilter extends TimeRange {
  readonly vehicleId: string | undefined
}

const PAGE_SIZE = 200

/** Changes are fetched in pages of this size, and at most this many at once; the rest comes with the next change. */
const CHANGES_SIZE = 500
const MOST_BITES = 5

/** While cars drive, something changes all the time; the list fetches changes at most this often. */
const CHANGES_EVERY_MS = 5000

/**
 * The next page of older trips. Without `fromTimestamp` the newest trips come first, page by page (decisions.md, *more
 * than maxResults*), so the reader stops where the range begins and a range of years costs no more than what is read.
 */
export async function askTripPage(
  filter: TripFilter,
  next: string | undefined,
  { signal, pageSize = PAGE_SIZE }: { readonly signal?: AbortSignal; readonly pageSize?: number },
): Promise<TripPage> {
  const page = await askPage('GET /cc/v2.0/trips', {
    query: { ...scopeOf(filter), maxResults: pageSize },
    next,
    signal,
  })
  return { ...page.reply, next: page.next }
}

/** The list of a filter: its newest page at first, later what changed since. Texts are of one language. */
export function tripsQuery(filter: TripFilter) {
  const queryKey = ['trips', 'list', filter] as const
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<TripList> => {
      const known = client.getQueryData<TripList>(queryKey)
      if (!known) return withPage(undefined, await askTripPage(filter, undefined, { signal }), filter.fromMs)
      const askedMs = client.getQueryState(queryKey)?.dataUpdatedAt ?? 0
      await rest(askedMs + CHANGES_EVERY_MS - Date.now(), signal)
      const changed: Trip[] = []
      let { modifyTimestamp } = known
      for (let bite = 0; bite < MOST_BITES; bite++) {
        const page = await askPage('GET /cc/v2.0/trips', {
          query: { ...scopeOf(filter), filterTimestamp: modifyTimestamp, maxResults: CHANGES_SIZE },
          signal,
        })
        changed.push(...page.reply.trips)
        modifyTimestamp = page.reply.modifyTimestamp
        if (page.next === undefined) break
      }
      // A page of older trips may have arrived in the meantime.
      return withChanges(client.getQueryData<TripList>(queryKey) ?? known, { trips: changed, modifyTimestamp })
    },
  })
}

/** How many trips there are, whatever is shown of them; counted by the service (`count` of `GET /trips`). */
export function tripCountQuery(filter: TripFilter) {
  return queryOptions({
    queryKey: ['trips', 'count', filter],
    queryFn: async ({ signal }) => {
      const query = { ...scopeOf(filter), fromTimestamp: new Date(filter.fromMs).toISOString() }
      const { total } = await askPage('GET /cc/v2.0/trips', { query: { ...query, maxResults: 1, count: true }, signal })
      return total
    },
  })
}

function scopeOf({ vehicleId, toMs }: TripFilter) {
  return {
    ...(vehicleId === undefined ? {} : { vehicleId }),
    ...(toMs === undefined ? {} : { toTimestamp: new Date(toMs).toISOString() }),
  }
}

/** Larger than for the eye: fewer requests, each still bounded. */
const EXPORT_SIZE = 500

/** All trips of the filter page by page, the newest first, as the list has them. */
export function tripPages(filter: TripFilter, signal: AbortSignal): AsyncIterable<readonly Trip[]> {
  const ask = async (next: string | undefined) => {
    const page = await askTripPage(filter, next, { signal, pageSize: EXPORT_SIZE })
    const items = page.trips.filter(trip => Date.parse(trip.tripStartTimestamp) >= filter.fromMs)
    const isLast = items.length < page.trips.length
    return { items: items.toReversed(), next: isLast ? undefined : page.next }
  }
  return everyPage(ask, signal)
}
