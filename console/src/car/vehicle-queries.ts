import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask } from '../api/request.ts'
import type { Settings } from '../api/schema.ts'
import type { Car } from '../fleet/car.ts'
import { parkedText } from '../fleet/state-marks.tsx'
import { languageHere as languageNow } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'

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

/** More trips than anybody looks at. */
const MOST_TRIPS = 2000

/** The trips of a car that began in a range of time, in its order. */
export function tripsOfQuery(vehicleId: string, fromMs: number, toMs?: number) {
  return queryOptions({
    queryKey: ['trips', 'of', vehicleId, fromMs, toMs],
    queryFn: async ({ signal }) => {
      const until = toMs === undefined ? {} : { toTimestamp: new Date(toMs).toISOString() }
      const query = { vehicleId, fromTimestamp: new Date(fromMs).toISOString(), ...until, maxResults: MOST_TRIPS }
      return (await ask('GET /cc/v2.0/trips', { query, signal })).trips
    },
  })
}

/**
 * How a car that is not on a trip came to where it is: its newest trip, and how long ago that ended, in words; they are empty if there is no such
 * trip, or if it is unknown whether the car is still parked.
 *
 * @param isWanted whether anybody looks
 */
export function useParkingTrip({ id, tripId, state }: Car, nowMs: number, isWanted = true) {
  const isAsked = useMay('trips') && isWanted && tripId === ''
  const { data } = useQuery({
    // Asked again when a trip of this car changes, and not one of any car.
    queryKey: ['newest-trip', id],
    queryFn: async ({ signal }) =>
      (await ask('GET /cc/v2.0/trips', { query: { vehicleId: id, maxResults: 1 }, signal })).trips[0] ?? null,
    enabled: isAsked,
  })
  const trip = isAsked && data ? data : undefined
  const isParked = trip && state.movement.kind === 'parked'
  return { trip, parkedFor: isParked ? parkedText(Date.parse(trip.tripEndTimestamp), nowMs) : '' }
}

/** About 100 m: a car that drives is not asked about with each of its positions. */
const DIGITS = 3

/** What a position is called, as far as the service knows without asking anybody: suburb, town, country. */
export function placeNameQuery(latitude: number, longitude: number) {
  const position = `${latitude.toFixed(DIGITS)},${longitude.toFixed(DIGITS)}`
  return queryOptions({
    queryKey: ['place-name', position, languageNow()],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => ask('GET /cc/v2.0/addresses/{position}', { path: { position }, signal }),
  })
}

/** Changes settings of a car, and refetches the car before it counts as done. */
export function useChangeSettings(vehicleId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (settings: Settings) => {
      await ask('PUT /cc/v2.0/vehicles/{vehicleId}/settings', { path: { vehicleId }, body: { settings } })
      await client.invalidateQueries({ queryKey: vehicleQuery(vehicleId).queryKey })
    },
  })
}
