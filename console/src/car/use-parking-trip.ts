import { useQuery } from '@tanstack/react-query'
import type { Trip } from '../api/types.ts'
import type { Car } from '../fleet/car.ts'
import { parkedText } from '../fleet/state-words.ts'
import { useLanguage } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { newestTripQuery } from './vehicle-queries.ts'

/** The trip that brought a car to where it is parked. */
interface ParkingTrip {
  readonly trip: Trip | undefined
  /** How long ago it ended, in words; empty if there is no such trip, or if it is unknown whether the car is still parked. */
  readonly parkedFor: string
}

/**
 * How a car that is not on a trip came to where it is.
 *
 * @param isWanted whether anybody looks
 */
export function useParkingTrip({ id, tripId, state }: Car, nowMs: number, isWanted = true): ParkingTrip {
  const language = useLanguage()
  const isAsked = useMay('trips') && isWanted && tripId === ''
  const { data } = useQuery({ ...newestTripQuery(id), enabled: isAsked })
  const trip = isAsked && data ? data : undefined
  const isParked = trip && state.movement.kind === 'parked'
  return { trip, parkedFor: isParked ? parkedText(Date.parse(trip.tripEndTimestamp), nowMs, language) : '' }
}
