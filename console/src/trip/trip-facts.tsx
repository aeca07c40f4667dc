import { Group } from '@mantine/core'
import type { Address, Trip } from '../api/types.ts'
import { useNameAt } from '../areas/areas-query.ts'
import { Fact } from '../figures/figures.tsx'
import {
  formatDateTime,
  formatDistance,
  formatDuration,
  formatNumber,
  formatQuantity,
  useTexts,
} from '../language/language.ts'
import { shortAddress } from '../trips/short-address.ts'
import { averageSpeedKmh } from '../trips/trip-list.ts'
import { RunningBadge } from '../trips/trip-views.tsx'
import { metersOf, mostKmhOf, type Recording, stopsOf } from './recording.ts'

interface TripFactsProps {
  readonly trip: Trip
  readonly isRunning: boolean
  readonly maySeePlaces: boolean
  /** Undefined until it is there, and without the permission for measurements. */
  readonly recording: Recording | undefined
}

/** What is known of a trip as a whole. */
export function TripFacts({ trip, isRunning, maySeePlaces, recording }: TripFactsProps) {
  const texts = useTexts('trip')
  const speedKmh = averageSpeedKmh(trip)
  const nameAt = useNameAt()
  const [startMs, endMs] = [Date.parse(trip.tripStartTimestamp), Date.parse(trip.tripEndTimestamp)]
  const driven = recording && recording.speed.timesMs.length > 0 ? recording : undefined
  const stops = driven ? stopsOf(driven.standing, startMs, endMs) : []
  const place = (address: Address | null) =>
    maySeePlaces ? (address && (nameAt(address) || shortAddress(address, ''))) || texts.noPlace : ''
  return (
    <Group component="dl" m={0} gap="8px 32px" align="start">
      <Fact name={texts.start} hint={place(trip.tripStartAddress)}>
        {formatDateTime(startMs)}
      </Fact>
      <Fact name={texts.end} hint={isRunning ? '' : place(trip.tripEndAddress)}>
        {isRunning ? <RunningBadge endMs={endMs} /> : formatDateTime(endMs)}
      </Fact>
      <Fact name={texts.distance}>{formatDistance(trip.distance)}</Fact>
      <Fact name={texts.duration}>{formatDuration(trip.duration)}</Fact>
      {speedKmh !== undefined && <Fact name={texts.averageSpeed}>{formatQuantity(speedKmh, 'km/h', 0)}</Fact>}
      {driven && (
        <>
          <Fact name={texts.mostSpeed}>{formatQuantity(mostKmhOf(driven.speed), 'km/h', 0)}</Fact>
          <Fact name={driven.knowsIgnition ? texts.idling : texts.standing}>
            {formatDuration(driven.idlingMs / 1000)}
          </Fact>
          <Fact name={texts.stops} hint={stops.length === 0 ? '' : texts.stopsHint}>
            {formatNumber(stops.length)}
          </Fact>
        </>
      )}
      {metersOf(trip).map(({ kind, start, end, unit, digits, used, per100Km }) => {
        const [from, to] = [start, end].map(value => (value === undefined ? '–' : formatQuantity(value, unit, digits)))
        const consumption = [
          used === undefined ? '' : texts.used(formatQuantity(used, unit)),
          per100Km === undefined ? '' : texts.per100Km(formatQuantity(per100Km, unit)),
        ]
        return (
          <Fact key={kind} name={texts[kind]} hint={consumption.filter(Boolean).join(', ')}>
            {from === to ? from : `${from} → ${to}`}
          </Fact>
        )
      })}
    </Group>
  )
}
