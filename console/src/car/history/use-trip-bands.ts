import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ask } from '../../api/request.ts'
import type { TimeView } from '../../chart/chart-data.ts'
import type { TimeBand } from '../../chart/line-chart.tsx'
import { useMay } from '../../session/use-session.ts'

/** A trip that began before what is shown may reach into it. */
const LONGEST_TRIP_MS = 24 * 3_600_000

/** With more, only the newest ones are shaded. */
const MOST_TRIPS = 2000

/** Neither in the light nor in the dark it hides a line. */
const COLOR = '#0c8599'

const NONE: readonly TimeBand[] = []

/** When a car was on a trip, in a window of time; none without the permission for trips. */
export function useTripBands(vehicleId: string, window: TimeView): readonly TimeBand[] {
  const mayReadTrips = useMay('trips')
  const { data: trips } = useQuery({ ...tripsInQuery(vehicleId, window), enabled: mayReadTrips })
  return useMemo(
    () =>
      trips?.map(({ tripStartTimestamp, tripEndTimestamp }) => ({
        fromMs: Date.parse(tripStartTimestamp),
        toMs: Date.parse(tripEndTimestamp),
        color: COLOR,
        isSoft: true,
      })) ?? NONE,
    [trips],
  )
}

function tripsInQuery(vehicleId: string, { fromMs, toMs }: TimeView) {
  return queryOptions({
    queryKey: ['trips', 'in-window', vehicleId, fromMs, toMs],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = {
        vehicleId,
        fromTimestamp: new Date(fromMs - LONGEST_TRIP_MS).toISOString(),
        toTimestamp: new Date(toMs).toISOString(),
        maxResults: MOST_TRIPS,
      }
      return (await ask('GET /cc/v2.0/trips', { query, signal })).trips
    },
  })
}
