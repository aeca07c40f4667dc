import type { Trip } from '../api/types.ts'
import { type CsvCell, csvTime } from '../export/csv.ts'
import { longAddress } from './short-address.ts'
import { averageSpeedKmh } from './trip-list.ts'

/** A trip as a row of the CSV file, in the order of `csvTitles` of the texts. */
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
