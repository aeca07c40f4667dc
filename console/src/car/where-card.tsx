import { Box, Card, Stack, Text, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { useNameAt } from '../areas/areas-query.ts'
import { lazyMap, MapGround } from '../base-map/lazy-map.tsx'
import type { Car } from '../fleet/car.ts'
import { formatAge } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { valueText } from '../measurements/measurement.ts'
import { longAddress, placeName } from '../trips/short-address.ts'
import { placeNameQuery } from './place-name-query.ts'
import { useParkingTrip } from './use-parking-trip.ts'

const CarMap = lazyMap(() => import('./car-map.tsx').then(module => module.CarMap))

interface WhereCardProps {
  readonly car: Car
  readonly nowMs: number
}

/** Where the car is, on a map and in words: a place that people named, the address of a parked car, the name of the place of one that drives, else coordinates. */
export function WhereCard({ car, nowMs }: WhereCardProps) {
  const texts = useTexts('car')
  const states = useTexts('carState')
  const language = useLanguage()
  const nameAt = useNameAt()
  const { place } = car.state
  const { trip, parkedFor } = useParkingTrip(car, nowMs, place.kind === 'at')
  const ended = trip?.tripEndAddress ? longAddress(trip.tripEndAddress) : ''
  const { data: around } = useQuery({
    ...placeNameQuery(place.kind === 'at' ? place.latitude : 0, place.kind === 'at' ? place.longitude : 0),
    enabled: place.kind === 'at' && ended === '',
    // A car that drives is at the former place until the next one has its name.
    placeholderData: keepPreviousData,
  })
  if (place.kind !== 'at')
    return (
      <Card withBorder component="section" aria-label={texts.where}>
        <Title order={2} fz="h4" mb="xs">
          {texts.where}
        </Title>
        <Text fz="sm" c="dimmed">
          {place.kind === 'forbidden' ? states.noPositionPermission : states.noPosition}
        </Text>
      </Card>
    )
  const address = ended || (around ? placeName(around) : '')
  const named = nameAt({ lat: place.latitude, lon: place.longitude })
  const coordinates = valueText(
    { eventType: 'POSITION', value: `POINT(${place.longitude} ${place.latitude})` },
    language,
  )
  const [title = '', ...others] = [named, address, coordinates].filter(Boolean)
  return (
    <Card withBorder component="section" aria-label={texts.where} p={0} style={{ overflow: 'hidden' }}>
      <Box h={260}>
        <Suspense fallback={<MapGround />}>
          <CarMap car={car} label={texts.whereMap(car.name, title)} />
        </Suspense>
      </Box>
      <Stack gap={2} p="sm">
        <Text fw={600}>{title}</Text>
        <Text fz="sm" c="dimmed">
          {[...others, parkedFor || texts.positionOf(formatAge(place.measuredMs, nowMs, language))].join(' · ')}
        </Text>
      </Stack>
    </Card>
  )
}
