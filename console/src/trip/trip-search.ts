/** What of a trip is shown; the route, unless the address says otherwise. */
interface TripSearch {
  readonly view?: 'explanation' | undefined
  /** The instant at which the replay begins, in milliseconds since 1970; by default the start of the trip. */
  readonly at?: number
}

export function readTripSearch({ view, at }: Record<string, unknown>): TripSearch {
  return {
    view: view === 'explanation' ? view : undefined,
    at: Number.isSafeInteger(at) ? Number(at) : undefined,
  }
}
