import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ask } from '../api/request.ts'
import type { TimeRange } from '../calendar/days.ts'
import { timeZoneHere } from '../language/language.ts'
import { atMostEvery } from '../live/at-most-every.ts'
import { binStartsMs } from './bins.ts'
import type { BinnedRange } from './statistics-search.ts'
import { summaryOfBins, together } from './summaries.ts'

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
function binsQuery(range: BinnedRange, vehicleId = 'ALL') {
  const query = {
    ...instantsOf(range),
    vehicleId,
    bin: 'FLEET',
    binSize: range.size,
    timeZone: timeZoneHere(),
    aggregationType: 'SUM,AVG,MIN,MAX',
  } as const
  return pacedQuery('GET /cc/v2.0/aggregations', BINS_EVERY_MS, { query })
}

/** How long the cars of a period drove in each hour of the week, of one car or of the fleet as a whole. */
export function hoursQuery(range: TimeRange, vehicleId: string | undefined) {
  const query = { ...instantsOf(range), vehicleId, timeZone: timeZoneHere() }
  return pacedQuery('GET /cc/v2.0/aggregations/hours', CARS_EVERY_MS, { query })
}

/**
 * Sums of every car over a period. They are fetched by years, which are few; the trips of a period are found by their
 * start, so it does not matter where in a year it begins and ends, nor in which time zone years do: in UTC the service
 * has whole days at hand.
 */
export function carsQuery(range: TimeRange) {
  const query = { ...instantsOf(range), bin: 'VEHICLE', binSize: 'YEAR', aggregationType: 'SUM,AVG' } as const
  return pacedQuery('GET /cc/v2.0/aggregations', CARS_EVERY_MS, { query })
}

/** A query that is asked at most once per interval of milliseconds. */
function pacedQuery<N extends 'GET /cc/v2.0/aggregations' | 'GET /cc/v2.0/aggregations/hours'>(
  name: N,
  everyMs: number,
  input: Parameters<typeof ask<N>>[1],
) {
  const queryKey = ['statistics', name, input] as const
  return queryOptions({
    queryKey,
    queryFn: ({ client, signal }) => atMostEvery({ client, queryKey, signal, everyMs, ask: () => ask(name, input) }),
  })
}

function instantsOf({ fromMs, toMs }: TimeRange) {
  return {
    fromTimestamp: new Date(fromMs).toISOString(),
    toTimestamp: toMs === undefined ? undefined : new Date(toMs).toISOString(),
  }
}
