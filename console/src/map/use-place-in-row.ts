import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { placeNameQuery } from '../car/place-name-query.ts'
import type { CarState } from '../fleet/car-state.ts'
import { useThrottled } from '../fleet/use-throttled.ts'

/** A list shows twenty cars that drive: it may ask the service for fewer than one place a second. */
const ASK_AGAIN_MS = 30_000

/**
 * Suburb or town where a car is, as few words as a row of a list has room for; empty for one that is nowhere.
 *
 * @param isWanted whether nothing better is known, and anybody looks
 */
export function usePlaceInRow({ place }: CarState, isWanted: boolean): string {
  const asked = useThrottled(place, ASK_AGAIN_MS)
  const isAsked = isWanted && place.kind === 'at' && asked.kind === 'at'
  const { data } = useQuery({
    ...placeNameQuery(asked.kind === 'at' ? asked.latitude : 0, asked.kind === 'at' ? asked.longitude : 0),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  })
  return isAsked && data ? data.suburb || data.locality : ''
}
