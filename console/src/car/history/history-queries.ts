import { keepPreviousData, type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { ask } from '../../api/request.ts'
import type { Trip } from '../../api/types.ts'
import type { TimeView } from '../../chart/chart-data.ts'
import type { TimeBand } from '../../chart/line-chart.tsx'
import { useMay } from '../../session/use-session.ts'
import { tripsOfQuery } from '../vehicle-queries.ts'
import { type MeasuredSeries, MOST_POINTS } from './history-series.ts'

/** Until then a fetched range counts as the newest, so that adding a line fetches only that line. */
const FRESH_MS = 20_000

/** A car that drives adds values; a window that contains the present is refetched this often. */
const PRESENT_AGAIN_MS = 30_000

/** Windows of long ago are kept for a while, for zooming out again. */
const KEPT_MS = 120_000

/**
 * Lines of a car in a window, each fetched and cached separately; until they arrive, the previous ones stay.
 *
 * @param eventTypes in the order in which the lines come
 */
export function seriesQuery(vehicleId: string, eventTypes: readonly string[], window: TimeView) {
  return queryOptions({
    queryKey: ['events', vehicleId, 'together', eventTypes, window.fromMs, window.toMs],
    queryFn: ({ client }) => Promise.all(eventTypes.map(eventType => askOne(client, vehicleId, eventType, window))),
    enabled: eventTypes.length > 0,
    staleTime: FRESH_MS,
    gcTime: KEPT_MS,
    refetchInterval: () => (window.toMs > Date.now() ? PRESENT_AGAIN_MS : false),
    placeholderData: keepPreviousData,
  })
}

function askOne(client: QueryClient, vehicleId: string, eventType: string, window: TimeView): Promise<MeasuredSeries> {
  return client.fetchQuery({
    queryKey: ['events', vehicleId, eventType, window.fromMs, window.toMs],
    staleTime: FRESH_MS,
    gcTime: KEPT_MS,
    queryFn: async ({ signal }): Promise<MeasuredSeries> => {
      const events = await ask('GET /cc/v2.0/events', {
        query: {
          vehicleId,
          eventType,
          fromTimestamp: new Date(window.fromMs).toISOString(),
          toTimestamp: new Date(window.toMs).toISOString(),
          maxPoints: MOST_POINTS,
        },
        signal,
      })
      return {
        eventType,
        unit: events[0]?.unit ?? '',
        isSwitch: events[0]?.data_type === 'BOOLEAN',
        window,
        timesMs: events.map(event => Date.parse(event.recorded_timestamp)),
        values: events.map(event => Number(event.value)),
      }
    },
  })
}

/** Every event type of the service. */
export const eventTypesQuery = queryOptions({
  queryKey: ['event-types'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }) => ask('GET /cc/v2.0/eventTypes', { signal }),
})

/** A trip that began before what is shown may reach into it. */
const LONGEST_TRIP_MS = 24 * 3_600_000

/** Neither in the light nor in the dark it hides a line. */
const TRIP_COLOR = '#0c8599'

const NO_TRIPS: readonly TimeBand[] = []

/** When a car was on a trip, in a window of time; none without the permission for trips. */
export function useTripBands(vehicleId: string, window: TimeView): readonly TimeBand[] {
  const { data = NO_TRIPS } = useQuery({
    ...tripsOfQuery(vehicleId, window.fromMs - LONGEST_TRIP_MS, window.toMs),
    enabled: useMay('trips'),
    placeholderData: keepPreviousData,
    select: bandsOf,
  })
  return data
}

function bandsOf(trips: readonly Trip[]): readonly TimeBand[] {
  return trips.map(({ tripStartTimestamp, tripEndTimestamp }) => ({
    fromMs: Date.parse(tripStartTimestamp),
    toMs: Date.parse(tripEndTimestamp),
    color: TRIP_COLOR,
    isSoft: true,
  }))
}
