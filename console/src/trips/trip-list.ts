import type { Trip } from '../api/types.ts'
import { dayOf, type TimeRange } from '../calendar/days.ts'
import { withNewer } from '../live/live-state.ts'

/** A page of `GET /trips`. */
export interface TripPage {
  readonly trips: readonly Trip[]
  /** Where the next older page is. */
  readonly next: string | undefined
  /** The filter that gives what changes from now on. */
  readonly modifyTimestamp: string
}

/**
 * The known trips up to an instant, from the newest to the oldest that was fetched. It is kept as a
 * syncing client keeps it (decisions.md, *Sync*): deleted ones too, so that an older reply cannot bring them back.
 */
export interface TripList {
  readonly trips: ReadonlyMap<string, Trip>
  /** Where older ones are; undefined when all of the range are here. */
  readonly next: string | undefined
  /** Trips that begin before are not all known. */
  readonly knownFromMs: number
  readonly modifyTimestamp: string
}

/** The list after one more page of older trips; the first page begins it. */
export function withPage(list: TripList | undefined, page: TripPage, fromMs: number): TripList {
  // Every page is ascending, so its first trip is its oldest.
  const oldest = page.trips[0]
  const oldestMs = oldest && page.next !== undefined ? Date.parse(oldest.tripStartTimestamp) : fromMs
  return {
    trips: withNewer(list?.trips ?? new Map(), page.trips.map(withoutRoute)),
    next: oldestMs > fromMs ? page.next : undefined,
    knownFromMs: Math.max(oldestMs, fromMs),
    modifyTimestamp: list?.modifyTimestamp ?? page.modifyTimestamp,
  }
}

/** The list after a reply that says what changed since its `modifyTimestamp`. */
export function withChanges(list: TripList, changes: Omit<TripPage, 'next'>): TripList {
  return {
    ...list,
    trips: withNewer(list.trips, changes.trips.map(withoutRoute)),
    modifyTimestamp: changes.modifyTimestamp,
  }
}

/** What the list shows: the newest first. */
export function shownTrips(list: TripList, { toMs = Number.POSITIVE_INFINITY }: TimeRange): readonly Trip[] {
  const shown = [...list.trips.values()].filter(trip => {
    const startMs = Date.parse(trip.tripStartTimestamp)
    return trip.deleteTimestamp === null && startMs >= list.knownFromMs && startMs <= toMs
  })
  return shown.sort(newestFirst)
}

/** Instants of the API are UTC texts of one length, so they are in order as texts. */
function newestFirst(a: Trip, b: Trip): number {
  if (a.tripStartTimestamp !== b.tripStartTimestamp) return a.tripStartTimestamp < b.tripStartTimestamp ? 1 : -1
  return Number(b.id) - Number(a.id)
}

/** Routes are most of a trip's size, and no list shows them. */
function withoutRoute(trip: Trip): Trip {
  return { ...trip, aggregations: trip.aggregations.filter(({ aggregationType }) => aggregationType !== 'POLYLINE') }
}

/** What trips add up to. */
export function totalsOf(trips: readonly Trip[]) {
  let [distanceM, durationS] = [0, 0]
  for (const { distance, duration } of trips) {
    // Whole metres add up exactly, kilometres as floats do not.
    distanceM += Math.round(distance * 1000)
    durationS += duration
  }
  return { count: trips.length, distanceKm: distanceM / 1000, durationS }
}

/** @returns undefined for a trip too short to have one */
export function averageSpeedKmh({ distance, duration }: Trip): number | undefined {
  return duration > 0 ? distance / (duration / 3600) : undefined
}

/** A trip, or the day (`YYYY-MM-DD`) in the time zone of the person on which those below it began. */
export type TripLine<T> = T | { readonly id: string; readonly day: string }

/**
 * Trips under their days, in the order in which they come.
 *
 * @param shown what is shown of each
 */
export function tripLines<T>(trips: readonly Trip[], shown: (trip: Trip) => T): readonly TripLine<T>[] {
  let before = ''
  return trips.flatMap((trip): readonly TripLine<T>[] => {
    const day = dayOf(Date.parse(trip.tripStartTimestamp))
    const isNew = day !== before
    before = day
    return isNew ? [{ id: day, day }, shown(trip)] : [shown(trip)]
  })
}
