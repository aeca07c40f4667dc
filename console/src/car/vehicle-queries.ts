import { queryOptions } from '@tanstack/react-query'
import { ask } from '../api/request.ts'

/** One car with all its latest values; refetched when the live stream reports a change. */
export function vehicleQuery(vehicleId: string) {
  return queryOptions({
    queryKey: ['vehicle', vehicleId],
    queryFn: ({ signal }) => ask('GET /cc/v2.0/vehicles/{vehicleId}', { path: { vehicleId }, signal }),
  })
}

/** The fault codes that a car reports now; those that it does not report any more are left out (decisions.md, *Replies*). */
export function vehicleDtcsQuery(vehicleId: string) {
  return queryOptions({
    queryKey: ['vehicle-dtcs', vehicleId],
    queryFn: async ({ signal }) => {
      const { dtcs } = await ask('GET /cc/v2.0/dtcs', { query: { vehicleId, maxResults: 10_000 }, signal })
      return dtcs.toReversed()
    },
  })
}

/** The trip of a car that began last, if it ever drove; refetched when one of the car changes, and not one of any car. */
export function newestTripQuery(vehicleId: string) {
  return queryOptions({
    queryKey: ['newest-trip', vehicleId],
    queryFn: async ({ signal }) => {
      const { trips } = await ask('GET /cc/v2.0/trips', { query: { vehicleId, maxResults: 1 }, signal })
      return trips[0] ?? null
    },
  })
}

/**
 * When a car's newest trip ended, for lists of cars: without positions, so that the security log does not say of each car in view that
 * somebody read where it had been.
 */
export function newestTripEndQuery(vehicleId: string) {
  return queryOptions({
    queryKey: ['newest-trip', vehicleId, 'end'],
    queryFn: async ({ signal }) => {
      const query = { vehicleId, maxResults: 1, positions: false }
      const { trips } = await ask('GET /cc/v2.0/trips', { query, signal })
      return trips[0] ? Date.parse(trips[0].tripEndTimestamp) : null
    },
  })
}

/** A car does not begin more trips in a day. */
const MOST_TRIPS = 500

/** The trips of a car that began since an instant, the newest first. */
export function tripsSinceQuery(vehicleId: string, fromMs: number) {
  return queryOptions({
    queryKey: ['trips', 'since', vehicleId, fromMs],
    queryFn: async ({ signal }) => {
      const query = { vehicleId, fromTimestamp: new Date(fromMs).toISOString(), maxResults: MOST_TRIPS }
      return (await ask('GET /cc/v2.0/trips', { query, signal })).trips.toReversed()
    },
  })
}
