import type { Address, Trip } from '../api/types.ts'
import { type NameAt } from '../areas/shape.ts'
import { dayOf } from '../calendar/days.ts'
import type { CarEntry } from '../fleet/use-car-directory.ts'
import { formatClock, formatDateTime, formatDistance, formatDuration, formatQuantity } from '../language/format.ts'
import type { Language } from '../language/language.ts'
import { shortAddress } from './short-address.ts'
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

export function tripFacts(trip: Trip, { car, homeCountry, nameAt }: Known, language: Language): TripFacts {
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
    start: formatClock(startMs, language),
    startText: formatDateTime(startMs, language),
    from: placeOf(from) || UNKNOWN,
    end: isRunning ? '' : isSameDay ? formatClock(endMs, language) : formatDateTime(endMs, language),
    to: placeOf(to) || (isRunning ? '' : UNKNOWN),
    distance: formatDistance(trip.distance, language),
    duration: formatDuration(trip.duration),
    speed: speedKmh === undefined ? UNKNOWN : formatQuantity(speedKmh, 'km/h', language, 0),
  }
}
