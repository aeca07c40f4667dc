import { Badge } from '@mantine/core'
import type { Trip } from '../api/types.ts'
import type { CarEntry } from '../fleet/use-car-directory.ts'
import { formatClock, formatDateTime, formatDistance, formatDuration, formatQuantity } from '../language/format.ts'
import { type Language, useTexts } from '../language/language.ts'
import { shortAddress } from './short-address.ts'
import { tripsTexts } from './texts.ts'
import { averageSpeedKmh } from './trip-list.ts'

/** What a line of the list says, ready to be read. */
export interface TripFacts {
  readonly id: string
  readonly carName: string
  readonly isRunning: boolean
  readonly start: string
  readonly from: string
  readonly end: string
  readonly to: string
  readonly distance: string
  readonly duration: string
  readonly speed: string
}

const UNKNOWN = '–'

export function tripFacts(trip: Trip, car: CarEntry | undefined, homeCountry: string, language: Language): TripFacts {
  const { tripStartAddress: from, tripEndAddress: to } = trip
  const [startMs, endMs] = [Date.parse(trip.tripStartTimestamp), Date.parse(trip.tripEndTimestamp)]
  const isRunning = car?.tripId === trip.id
  const isSameDay = new Date(startMs).toDateString() === new Date(endMs).toDateString()
  const speedKmh = averageSpeedKmh(trip)
  return {
    id: trip.id,
    carName: car?.name ?? trip.vehicleId,
    isRunning,
    start: formatDateTime(startMs, language),
    from: (from && shortAddress(from, homeCountry)) || UNKNOWN,
    end: isRunning ? '' : isSameDay ? formatClock(endMs, language) : formatDateTime(endMs, language),
    to: (to && shortAddress(to, homeCountry)) || (isRunning ? '' : UNKNOWN),
    distance: formatDistance(trip.distance, language),
    duration: formatDuration(trip.duration),
    speed: speedKmh === undefined ? UNKNOWN : formatQuantity(speedKmh, 'km/h', language, 0),
  }
}

export function RunningBadge() {
  const texts = useTexts(tripsTexts)
  return (
    <Badge color="teal" variant="light" tt="none" size="sm">
      {texts.running}
    </Badge>
  )
}
