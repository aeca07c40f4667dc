import type { Address, Trip } from '../api/types.ts'
import { type NameAt } from '../areas/shape.ts'
import { dayOf } from '../calendar/days.ts'
import type { ExportCell } from '../export/files.ts'
import type { CarEntry } from '../fleet/car.ts'
import { formatClock, formatDateTime, formatDistance, formatDuration, formatQuantity } from '../language/language.ts'
import { longAddress, shortAddress } from './short-address.ts'
import { averageSpeedKmh } from './trip-list.ts'

/** What a line of the list says, ready to be read. */
export interface TripFacts {
  readonly id: string
  readonly carName: string
  readonly isRunning: boolean
  /** Of a running one: up to when it is known. */
  readonly endMs: number
  /** The time of day; the day is shown above. */
  readonly start: string
  /** Day and time. */
  readonly startText: string
  readonly from: string
  readonly end: string
  readonly to: string
  readonly distance: string
  readonly duration: string
  readonly speed: string
}

const UNKNOWN = '–'

interface Known {
  readonly car: CarEntry | undefined
  readonly homeCountry: string
  readonly nameAt: NameAt
}

export function tripFacts(trip: Trip, { car, homeCountry, nameAt }: Known): TripFacts {
  const { tripStartAddress: from, tripEndAddress: to } = trip
  const [startMs, endMs] = [Date.parse(trip.tripStartTimestamp), Date.parse(trip.tripEndTimestamp)]
  const isRunning = car?.tripId === trip.id
  const isSameDay = dayOf(startMs) === dayOf(endMs)
  const placeOf = (address: Address | null) => (address ? nameAt(address) || shortAddress(address, homeCountry) : '')
  const speedKmh = averageSpeedKmh(trip)
  return {
    id: trip.id,
    carName: car?.name ?? trip.vehicleId,
    isRunning,
    endMs,
    start: formatClock(startMs),
    startText: formatDateTime(startMs),
    from: placeOf(from) || UNKNOWN,
    end: isRunning ? '' : isSameDay ? formatClock(endMs) : formatDateTime(endMs),
    to: placeOf(to) || (isRunning ? '' : UNKNOWN),
    distance: formatDistance(trip.distance),
    duration: formatDuration(trip.duration),
    speed: speedKmh === undefined ? UNKNOWN : formatQuantity(speedKmh, 'km/h', 0),
  }
}

/** A trip as a row of an exported file, in the order of `csvTitles` of the texts; places have the names that the list has. */
export function tripRow(trip: Trip, carName: string, nameAt: NameAt): readonly ExportCell[] {
  const { tripStartAddress: start, tripEndAddress: end } = trip
  const speedKmh = averageSpeedKmh(trip)
  return [
    carName,
    trip.vehicleId,
    new Date(trip.tripStartTimestamp),
    start ? nameAt(start) || longAddress(start) : '',
    new Date(trip.tripEndTimestamp),
    end ? nameAt(end) || longAddress(end) : '',
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
