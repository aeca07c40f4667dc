/** What of a trip is shown; the route, unless the address says otherwise. */
interface TripSearch {
  readonly view?: 'explanation'
  /** The instant at which the replay stands first, in milliseconds since 1970; the begin unless it is said. */
  readonly at?: number
}

export function readTripSearch({ view, at }: Record<string, unknown>): TripSearch {
  return {
    ...(view === 'explanation' ? { view } : {}),
    ...(typeof at === 'number' && Number.isSafeInteger(at) ? { at } : {}),
  }
}
