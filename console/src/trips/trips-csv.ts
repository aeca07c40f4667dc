import type { Trip } from '../api/types.ts'
import { type CsvCell, csvTime, csvTimeZone } from '../export/csv.ts'
import { everyPage } from '../export/every-page.ts'
import type { CsvSource } from '../export/use-csv-export.ts'
import { longAddress } from './short-address.ts'
import type { tripsTexts } from './texts.ts'
import { averageSpeedKmh } from './trip-list.ts'
import { askTripPage, type TripFilter } from './trips-query.ts'

/** Larger than for the eye: fewer requests, each still bounded. */
const PAGE_SIZE = 500

interface TripsCsvOptions {
  readonly filter: TripFilter
  readonly carName: (vehicleId: string) => string
  readonly texts: (typeof tripsTexts)['en']
  readonly fileName: string
}

/** All trips of the filter, the newest first, as the list has them. */
export function tripsCsv({ filter, carName, texts, fileName }: TripsCsvOptions): CsvSource {
  const { fromMs } = filter
  return {
    fileName,
    titles: texts.csvTitles(csvTimeZone()),
    pages: async function* (signal) {
      const ask = async (next: string | undefined) => {
        const page = await askTripPage(filter, next, { signal, pageSize: PAGE_SIZE })
        const items = page.trips.filter(trip => Date.parse(trip.tripStartTimestamp) >= fromMs)
        const isLast = items.length < page.trips.length
        return { items: items.toReversed(), next: isLast ? undefined : page.next }
      }
      for await (const trips of everyPage(ask, signal)) yield trips.map(trip => tripRow(trip, carName(trip.vehicleId)))
    },
  }
}

/** In the order of `csvTitles`. */
export function tripRow(trip: Trip, carName: string): readonly CsvCell[] {
  const { tripStartAddress: start, tripEndAddress: end } = trip
  const speedKmh = averageSpeedKmh(trip)
  return [
    carName,
    trip.vehicleId,
    csvTime(Date.parse(trip.tripStartTimestamp)),
    start ? longAddress(start) : '',
    csvTime(Date.parse(trip.tripEndTimestamp)),
    end ? longAddress(end) : '',
    trip.distance,
    Math.round(trip.duration / 6) / 10,
    speedKmh === undefined ? undefined : Math.round(speedKmh * 10) / 10,
    numberAt(trip, 'MILEAGE', 'START'),
    numberAt(trip, 'MILEAGE', 'END'),
    trip.id,
  ]
}

function numberAt(trip: Trip, eventType: string, aggregationType: 'START' | 'END'): number | undefined {
  const found = trip.aggregations.find(item => item.eventType === eventType && item.aggregationType === aggregationType)
  return typeof found?.value === 'number' ? found.value : undefined
}
