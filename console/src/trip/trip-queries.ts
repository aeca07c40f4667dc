import { queryOptions } from '@tanstack/react-query'
import { ask, askAll } from '../api/request.ts'
import type { EventItem, Trip } from '../api/types.ts'
import { RECORDING_TYPES } from './recording.ts'

/** Refetched on changes from the live stream while the trip is running. */
export function tripQuery(tripId: string) {
  return queryOptions({
    queryKey: ['trip', tripId],
    queryFn: ({ signal }) => ask('GET /cc/v2.0/trips/{tripId}', { path: { tripId }, signal }),
  })
}

const PAGE_SIZE = 10_000

/** New events of a running trip are fetched from this long before its last known event, to include late ones. */
const OVERLAP_MS = 60_000

/**
 * The events that a replay is made of, all of them in order of time. When a running trip changes, only what is
 * new is fetched; when one that has ended changes, everything.
 */
export function tripEventsQuery(trip: Trip, isRunning: boolean) {
  const queryKey = ['trip', trip.id, 'events'] as const
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<readonly EventItem[]> => {
      const known = isRunning ? (client.getQueryData<readonly EventItem[]>(queryKey) ?? []) : []
      const last = known.at(-1)
      const fromMs = last ? Date.parse(last.recorded_timestamp) - OVERLAP_MS : Date.parse(trip.tripStartTimestamp)
      const fromTimestamp = new Date(fromMs).toISOString()
      const query = { tripId: trip.id, eventType: RECORDING_TYPES.join(','), fromTimestamp }
      const events = await askAll('GET /cc/v2.0/events', { query, signal }, reply => reply)
      return [...known.filter(event => event.recorded_timestamp < fromTimestamp), ...events]
    },
  })
}

/** On a trip there are not more incidents than anybody looks at. */
const MOST_INCIDENTS = 1000

/** What rules found on a trip. Refetched with the lists of incidents; texts are of one language. */
export function tripIncidentsQuery({ id, vehicleId, tripStartTimestamp, tripEndTimestamp }: Trip) {
  return queryOptions({
    queryKey: ['incidents', 'of-trip', id, tripEndTimestamp],
    queryFn: async ({ signal }) => {
      const range = { fromTimestamp: tripStartTimestamp, toTimestamp: tripEndTimestamp }
      const query = { vehicleId, ...range, maxResults: MOST_INCIDENTS }
      return (await ask('GET /cc/v2.0/incidents', { query, signal })).incidents
    },
  })
}

/** The fault codes that the car reported first while it was on the trip, also those that it does not report any more. */
export function tripCodesQuery({ id, vehicleId, tripStartTimestamp, tripEndTimestamp }: Trip) {
  return queryOptions({
    queryKey: ['vehicle-dtcs', vehicleId, 'of-trip', id, tripEndTimestamp],
    queryFn: async ({ signal }) => {
      const range = { fromTimestamp: tripStartTimestamp, toTimestamp: tripEndTimestamp }
      const query = { vehicleId, ...range, includeDeleted: true, maxResults: PAGE_SIZE }
      return (await ask('GET /cc/v2.0/dtcs', { query, signal })).dtcs
    },
  })
}

/** While a trip is running, its explanation is refetched this often. */
const EXPLAIN_EVERY_MS = 30_000

export function explanationQuery(tripId: string, isRunning: boolean) {
  return queryOptions({
    queryKey: ['trip-explanation', tripId],
    queryFn: ({ signal }) => ask('GET /cc/v2.0/trips/{tripId}/explain', { path: { tripId }, signal }),
    staleTime: EXPLAIN_EVERY_MS,
    refetchInterval: isRunning ? EXPLAIN_EVERY_MS : false,
  })
}
