import type { Trip } from '../api/types.ts'
import { dayOf } from '../calendar/days.ts'

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
