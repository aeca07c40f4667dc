import { askPage } from '../api/request.ts'
import type { Trip } from '../api/types.ts'
import type { TimeRange } from '../calendar/days.ts'
import { everyPage } from '../export/files.ts'
import { newestFirst, type SyncedList, type SyncedSource } from '../live/synced-list.ts'

/** Which trips are listed. */
export interface TripFilter extends TimeRange {
  readonly vehicleId: string | undefined
}

/** The trips of a filter, without their routes: they are most of a trip's size, and no list shows them. */
export function tripsSource(filter: TripFilter): SyncedSource<Trip> {
  const { vehicleId, fromMs, toMs } = filter
  return {
    queryKey: ['trips', 'list', filter],
    fromMs,
    pageSize: 200,
    firstPages: 1,
    // While cars drive, something changes all the time.
    everyMs: 5000,
    startOf,
    ask: async (query, signal, next) => {
      const { reply, ...page } = await askPage('GET /cc/v2.0/trips', {
        query: {
          ...(vehicleId === undefined ? {} : { vehicleId }),
          ...(toMs === undefined ? {} : { toTimestamp: new Date(toMs).toISOString() }),
          ...query,
        },
        next,
        signal,
      })
      return { ...page, objects: reply.trips.map(withoutRoute), modifyTimestamp: reply.modifyTimestamp }
    },
  }
}

const startOf = (trip: Trip) => trip.tripStartTimestamp

/** What a list shows: the newest first. */
export function shownTrips(list: SyncedList<Trip>, { toMs }: TimeRange): readonly Trip[] {
  return newestFirst(list, startOf, toMs).filter(({ deleteTimestamp }) => deleteTimestamp === null)
}

function withoutRoute(trip: Trip): Trip {
  return { ...trip, aggregations: trip.aggregations.filter(({ aggregationType }) => aggregationType !== 'POLYLINE') }
}

/** Larger than for the eye: fewer requests, each still bounded. */
const EXPORT_SIZE = 500

/** All trips of the filter page by page, the newest first, as the list has them. */
export function tripPages(filter: TripFilter, signal: AbortSignal): AsyncIterable<readonly Trip[]> {
  const { ask } = tripsSource(filter)
  return everyPage(async from => {
    const { objects, next } = await ask({ maxResults: EXPORT_SIZE }, signal, from)
    const items = objects.filter(trip => Date.parse(trip.tripStartTimestamp) >= filter.fromMs)
    return { items: items.toReversed(), next: items.length < objects.length ? undefined : next }
  }, signal)
}
