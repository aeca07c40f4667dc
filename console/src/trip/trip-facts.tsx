import { SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Address, Trip } from '../api/types.ts'
import { formatDateTime, formatDistance, formatDuration, formatQuantity } from '../language/format.ts'
import { type Language, useLanguage, useTexts } from '../language/language.ts'
import { longAddress } from '../trips/short-address.ts'
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
  const place = (address: Address | null) => (maySeePlaces ? (address && longAddress(address)) || texts.noPlace : '')
  return (
    <SimpleGrid component="dl" cols={{ base: 2, sm: 3, lg: 5 }} m={0} spacing="md" verticalSpacing="xs">
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
    </SimpleGrid>
  )
}

function Fact({
  name,
  hint,
  children,
}: {
  readonly name: string
  readonly hint?: string
  readonly children: ReactNode
}) {
  return (
    <Stack gap={0}>
      <Text component="dt" fz="xs" c="dimmed">
        {name}
      </Text>
      <Text component="dd" m={0} fw={600}>
        {children}
      </Text>
      {hint && (
        <Text component="dd" m={0} fz="sm">
          {hint}
        </Text>
      )}
    </Stack>
  )
}

const METERS = [
  ['MILEAGE', 'odometer'],
  ['FUEL_LEVEL', 'fuel'],
  ['FUEL_LEVEL_PERCENT', 'fuel'],
  ['HV_BATTERY_SOC', 'battery'],
] as const

/** What the car's own instruments showed at both ends; litres of fuel where they are known, else percent. */
function meterFacts({ aggregations }: Trip, texts: TripTexts, language: Language) {
  const facts = new Map<string, string>()
  for (const [eventType, key] of METERS) {
    const at = (end: 'START' | 'END') => {
      const found = aggregations.find(item => item.eventType === eventType && item.aggregationType === end)
      return typeof found?.value === 'number' ? formatQuantity(found.value, found.unit ?? '', language) : undefined
    }
    const [start, end] = [at('START'), at('END')]
    const name = texts[key]
    if (facts.has(name) || (start === undefined && end === undefined)) continue
    facts.set(name, start === end ? (start ?? '') : texts.fromTo(start ?? '–', end ?? '–'))
  }
  return [...facts].map(([name, value]) => ({ name, value }))
}
