import type { Address, Trip } from '../api/types.ts'
import { type NameAt } from '../areas/shape.ts'
import { dayOf } from '../calendar/days.ts'
import type { ExportCell } from '../export/files.ts'
import { type CarEntry, searchable, wordsIn } from '../fleet/car.ts'
import { formatClock, formatDateTime, formatDistance, formatDuration, formatQuantity } from '../language/language.ts'
import { longAddress, shortAddress } from './short-address.ts'
import { averageSpeedKmh } from './trip-list.ts'

const UNKNOWN = '–'

interface Known {
  readonly car: CarEntry | undefined
  readonly homeCountry: string
  readonly nameAt: NameAt
}

export type TripFacts = ReturnType<typeof tripFacts>

/** What a line of the list says, ready to be read. */
export function tripFacts(trip: Trip, { car, homeCountry, nameAt }: Known) {
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
    /** Of a running one: up to when it is known. */
    endMs,
    /** The time of day; the day is shown above. */
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

/** Finds trips by what the list says of their cars and places. What is known of one is put together once. */
export function tripFinder(cars: ReadonlyMap<string, CarEntry>, nameAt: NameAt) {
  const texts = new WeakMap<Trip, string>()
  const textOf = ({ vehicleId, tripStartAddress, tripEndAddress }: Trip) => {
    const { name = vehicleId, makeAndModel = '' } = cars.get(vehicleId) ?? {}
    const places = [tripStartAddress, tripEndAddress].filter(address => address !== null)
    return searchable([name, makeAndModel, ...places.flatMap(place => [nameAt(place), longAddress(place)])])
  }
  return (trips: readonly Trip[], typed: string): readonly Trip[] => {
    const isFound = wordsIn(typed)
    return trips.filter(trip => {
      const text = texts.get(trip) ?? textOf(trip)
      texts.set(trip, text)
      return isFound(text)
    })
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
