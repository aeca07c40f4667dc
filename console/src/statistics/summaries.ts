import type { Aggregation } from '../api/types.ts'
import type { Measure, Subject } from './statistics-search.ts'

/** Sum and average, greatest and least trip; km or seconds. */
export type Figures = Readonly<Record<Measure, number>>

/** The trips of a bin of time, or of a car. */
export interface Summary {
  readonly trips: number
  readonly distance: Figures
  readonly duration: Figures
}

export const NOTHING: Summary = {
  trips: 0,
  distance: { sum: 0, average: 0, most: 0, least: 0 },
  duration: { sum: 0, average: 0, most: 0, least: 0 },
}

const SUBJECT_OF: Readonly<Record<Aggregation['eventType'], Subject>> = {
  DRIVEN_DISTANCE: 'distance',
  TRIP_DURATION: 'duration',
}

/** Rows of a bin and a car, by statistic such as `SUM duration`. */
type Rows = Map<string, number>

/** Puts rows of `GET /aggregations` together that agree in what `keyOf` says of them and in their bin. */
function gathered<Key>(rows: readonly Aggregation[], keyOf: (row: Aggregation) => Key): ReadonlyMap<Key, Summary[]> {
  const byKey = new Map<Key, Map<string, Rows>>()
  for (const row of rows) {
    const key = keyOf(row)
    const bins = byKey.get(key) ?? new Map<string, Rows>()
    byKey.set(key, bins)
    const values = bins.get(row.bin) ?? new Map<string, number>()
    bins.set(row.bin, values)
    values.set(`${row.aggregationType} ${SUBJECT_OF[row.eventType]}`, row.value)
  }
  return new Map([...byKey].map(([key, bins]) => [key, [...bins.values()].map(summaryOf)]))
}

function summaryOf(rows: Rows): Summary {
  const figures = (subject: Subject): Figures => ({
    sum: rows.get(`SUM ${subject}`) ?? 0,
    average: rows.get(`AVG ${subject}`) ?? 0,
    most: rows.get(`MAX ${subject}`) ?? 0,
    least: rows.get(`MIN ${subject}`) ?? 0,
  })
  const duration = figures('duration')
  // The service does not say how many trips there are, but sum and average of the same trips do.
  const trips = duration.average > 0 ? Math.round(duration.sum / duration.average) : 0
  return { trips, distance: figures('distance'), duration }
}

/** Several summaries as one: averages are those of all trips. */
export function together(summaries: readonly Summary[]): Summary {
  const driven = summaries.filter(({ trips }) => trips > 0)
  if (driven.length === 0) return NOTHING
  const trips = driven.reduce((sum, summary) => sum + summary.trips, 0)
  const figures = (subject: Subject): Figures => {
    // Whole metres and seconds add up exactly, kilometres as floats do not.
    const sum = driven.reduce((before, summary) => before + Math.round(summary[subject].sum * 1000), 0) / 1000
    const most = driven.reduce((before, summary) => Math.max(before, summary[subject].most), 0)
    const least = driven.reduce((before, summary) => Math.min(before, summary[subject].least), Number.POSITIVE_INFINITY)
    return { sum, average: sum / trips, most, least }
  }
  return { trips, distance: figures('distance'), duration: figures('duration') }
}

export interface Bin {
  readonly startMs: number
  readonly summary: Summary
}

/** Every bin of a calendar with its trips: none where the service has no rows. */
export function summaryOfBins(rows: readonly Aggregation[], startsMs: readonly number[]): readonly Bin[] {
  const byStart = gathered(rows, row => {
    const rowMs = Date.parse(row.bin)
    // The first bin of the service may begin before, and lists of time zones may differ: what counts is the bin it is in.
    return startsMs.findLast(startMs => startMs <= rowMs) ?? startsMs[0]
  })
  return startsMs.map(startMs => ({ startMs, summary: together(byStart.get(startMs) ?? []) }))
}

export interface CarSummary {
  readonly vehicleId: string
  readonly summary: Summary
}

/** All bins of each car as one; the car that drove furthest comes first. */
export function summaryOfCars(rows: readonly Aggregation[]): readonly CarSummary[] {
  const byCar = gathered(rows, row => row.vehicleId)
  const cars = [...byCar].map(([vehicleId, summaries]) => ({ vehicleId, summary: together(summaries) }))
  return cars.sort((a, b) => b.summary.distance.sum - a.summary.distance.sum)
}
