/** What of a trip is shown; the route, unless the address says otherwise. */
interface TripSearch {
  readonly view?: 'explanation'
}

export function readTripSearch({ view }: Record<string, unknown>): TripSearch {
  return view === 'explanation' ? { view } : {}
}
