/** What of a trip is shown; the route, unless the address says otherwise. */
interface TripSearch {
  readonly view?: 'explanation' | undefined
  /** The instant at which the replay begins, in milliseconds since 1970; by default the start of the trip. */
  readonly at?: number
}

export function readTripSearch({ view, at }: Record<string, unknown>): TripSearch {
  return {
    ...(view === 'explanation' ? { view } : {}),
    ...(typeof at === 'number' && Number.isSafeInteger(at) ? { at } : {}),
  }
}
