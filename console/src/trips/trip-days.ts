import type { Trip } from '../api/types.ts'
import { dayOf } from '../calendar/days.ts'
import { type TripTotals, totalsOf } from './trip-list.ts'

/** The trips that began on one day in the time zone of the person. */
export interface TripDay<T> {
  /** `YYYY-MM-DD` */
  readonly day: string
  readonly totals: TripTotals
  readonly trips: readonly T[]
}

/**
 * Trips by day, in the order in which they come.
 *
 * @param shown what is shown of each
 */
export function tripDays<T>(trips: readonly Trip[], shown: (trip: Trip) => T): readonly TripDay<T>[] {
  const days = new Map<string, Trip[]>()
  for (const trip of trips) {
    const day = dayOf(Date.parse(trip.tripStartTimestamp))
    const known = days.get(day)
    if (known) known.push(trip)
    else days.set(day, [trip])
  }
  return [...days].map(([day, ofDay]) => ({ day, totals: totalsOf(ofDay), trips: ofDay.map(shown) }))
}
