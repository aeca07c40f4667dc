import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ask } from '../api/request.ts'
import { timeZoneHere } from '../language/language.ts'
import { atMostEvery } from '../live/at-most-every.ts'
import { binStartsMs } from './bins.ts'
import type { BinnedRange } from './statistics-search.ts'
import { summaryOfBins, summaryOfCars, together } from './summaries.ts'

/** A few rows a bin, but of all trips of the fleet. */
const BINS_EVERY_MS = 10_000

/** A few rows a car, or a row an hour of the week, of all trips. */
const CARS_EVERY_MS = 60_000

/** What the trips of each bin of a period add up to, and all of them; undefined until they are here. */
export function useBins(period: BinnedRange, vehicleId: string | undefined, nowMs: number, enabled = true) {
  const { fromMs, toMs = nowMs, size } = period
  const { data, error, refetch } = useQuery({ ...binsQuery(period, vehicleId), enabled })
  const bins = useMemo(() => data && summaryOfBins(data, binStartsMs(fromMs, toMs, size)), [data, fromMs, toMs, size])
  const all = useMemo(() => bins && together(bins.map(({ summary }) => summary)), [bins])
  return { bins, all, error, refetch }
}

/** The rows of each bin of a period, of one car or of the fleet as a whole. */
export function binsQuery({ fromMs, toMs, size }: BinnedRange, vehicleId: string | undefined) {
  const queryKey = ['statistics', 'bins', { fromMs, toMs, size, vehicleId }] as const
  return pacedQuery(queryKey, BINS_EVERY_MS, () =>
    ask('GET /cc/v2.0/aggregations', {
      query: {
        ...rangeOf(fromMs, toMs),
        vehicleId: vehicleId ?? 'ALL',
        bin: 'FLEET',
        binSize: size,
        timeZone: timeZoneHere(),
        aggregationType: 'SUM,AVG,MIN,MAX',
      },
    }),
  )
}

/** How long the cars of a period drove in each hour of the week, of one car or of the fleet as a whole. */
export function hoursQuery({ fromMs, toMs }: BinnedRange, vehicleId: string | undefined) {
  const queryKey = ['statistics', 'hours', { fromMs, toMs, vehicleId }] as const
  return pacedQuery(queryKey, CARS_EVERY_MS, () =>
    ask('GET /cc/v2.0/aggregations/hours', {
      query: {
        ...rangeOf(fromMs, toMs),
        ...(vehicleId === undefined ? {} : { vehicleId }),
        timeZone: timeZoneHere(),
      },
    }),
  )
}

/**
 * Sums of every car over a period. They are fetched by years, which are few; the trips of a period are found by their
 * start, so it does not matter where in a year it begins and ends, nor in which time zone years do: in UTC the service
 * has whole days at hand.
 */
export function carsQuery({ fromMs, toMs }: BinnedRange) {
  const queryKey = ['statistics', 'cars', { fromMs, toMs }] as const
  return pacedQuery(queryKey, CARS_EVERY_MS, async () =>
    summaryOfCars(
      await ask('GET /cc/v2.0/aggregations', {
        query: { ...rangeOf(fromMs, toMs), bin: 'VEHICLE', binSize: 'YEAR', aggregationType: 'SUM,AVG' },
      }),
    ),
  )
}

/** A query that is asked at most once per interval of milliseconds. */
function pacedQuery<T, Key extends readonly unknown[]>(queryKey: Key, everyMs: number, fetch: () => Promise<T>) {
  return queryOptions({
    queryKey,
    queryFn: ({ client, signal }) => atMostEvery({ client, queryKey, signal, everyMs, ask: fetch }),
  })
}

function rangeOf(fromMs: number, toMs: number | undefined) {
  return {
    fromTimestamp: new Date(fromMs).toISOString(),
    ...(toMs === undefined ? {} : { toTimestamp: new Date(toMs).toISOString() }),
  }
}
