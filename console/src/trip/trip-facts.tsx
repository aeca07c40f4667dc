import { Group } from '@mantine/core'
import type { Address, Trip } from '../api/types.ts'
import { Fact } from '../figures/fact.tsx'
import { formatDateTime, formatDistance, formatDuration, formatQuantity } from '../language/format.ts'
import { type Language, useLanguage, useTexts } from '../language/language.ts'
import { shortAddress } from '../trips/short-address.ts'
import { averageSpeedKmh } from '../trips/trip-list.ts'
import { type TripTexts, tripTexts } from './texts.ts'

interface TripFactsProps {
  readonly trip: Trip
  readonly isRunning: boolean
  readonly maySeePlaces: boolean
}

/** What is known of a trip as a whole. */
export function TripFacts({ trip, isRunning, maySeePlaces }: TripFactsProps) {
  const texts = useTexts(tripTexts)
  const language = useLanguage()
  const speedKmh = averageSpeedKmh(trip)
  const place = (address: Address | null) =>
    maySeePlaces ? (address && shortAddress(address, '')) || texts.noPlace : ''
  return (
    <Group component="dl" m={0} gap="8px 32px" align="start">
      <Fact name={texts.start} hint={place(trip.tripStartAddress)}>
        {formatDateTime(Date.parse(trip.tripStartTimestamp), language)}
      </Fact>
      <Fact name={texts.end} hint={isRunning ? '' : place(trip.tripEndAddress)}>
        {isRunning ? texts.running : formatDateTime(Date.parse(trip.tripEndTimestamp), language)}
      </Fact>
      <Fact name={texts.distance}>{formatDistance(trip.distance, language)}</Fact>
      <Fact name={texts.duration}>{formatDuration(trip.duration)}</Fact>
      {speedKmh !== undefined && <Fact name={texts.averageSpeed}>{formatQuantity(speedKmh, 'km/h', language, 0)}</Fact>}
      {meterFacts(trip, texts, language).map(({ name, value }) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </Group>
  )
}

/** With how many digits each is worth reading. */
const METERS = [
  ['MILEAGE', 'odometer', 0],
  ['FUEL_LEVEL', 'fuel', 1],
  ['FUEL_LEVEL_PERCENT', 'fuel', 0],
  ['HV_BATTERY_SOC', 'battery', 0],
] as const

/** What the car's own instruments showed at both ends; litres of fuel where they are known, else percent. */
function meterFacts({ aggregations }: Trip, texts: TripTexts, language: Language) {
  const facts = new Map<string, string>()
  for (const [eventType, key, digits] of METERS) {
    const at = (end: 'START' | 'END') => {
      const found = aggregations.find(item => item.eventType === eventType && item.aggregationType === end)
      return typeof found?.value === 'number'
        ? formatQuantity(found.value, found.unit ?? '', language, digits)
        : undefined
    }
    const [start, end] = [at('START'), at('END')]
    const name = texts[key]
    if (facts.has(name) || (start === undefined && end === undefined)) continue
    facts.set(name, start === end ? (start ?? '') : texts.fromTo(start ?? '–', end ?? '–'))
  }
  return [...facts].map(([name, value]) => ({ name, value }))
}
