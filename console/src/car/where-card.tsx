import { Box, Card, Group, ScrollArea, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { useNameAt } from '../areas/areas-query.ts'
import { lazyMap, MapGround } from '../base-map/lazy-map.tsx'
import { dayOf, startOfDayMs } from '../calendar/days.ts'
import type { Car } from '../fleet/car.ts'
import { formatAge, formatDistance, formatDuration, formatNumber, useTexts } from '../language/language.ts'
import { valueText } from '../measurements/measurement.ts'
import { ErrorState, Hint, LoadingState, PageLink, Part } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import { homeCountryOf, longAddress } from '../trips/short-address.ts'
import { tripFacts } from '../trips/trip-facts.ts'
import { totalsOf } from '../trips/trip-list.ts'
import { RunningBadge } from '../trips/trip-views.tsx'
import { placeNameQuery, tripsOfQuery, useParkingTrip } from './vehicle-queries.ts'

const CarMap = lazyMap(() => import('./car-map.tsx').then(module => module.CarMap))

interface WhereCardProps {
  readonly car: Car
  readonly nowMs: number
}

/** Where the car is, on a map and in words: a place that people named, the address of a parked car, the name of the place of one that drives, else coordinates. */
export function WhereCard({ car, nowMs }: WhereCardProps) {
  const texts = useTexts('car')
  const states = useTexts('carState')
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
      <Part title={texts.where}>
        <Hint>{place.kind === 'forbidden' ? states.noPositionPermission : states.noPosition}</Hint>
      </Part>
    )
  const address = ended || (around ? longAddress(around) : '')
  const named = nameAt({ lat: place.latitude, lon: place.longitude })
  const coordinates = valueText({ eventType: 'POSITION', value: `POINT(${place.longitude} ${place.latitude})` })
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
        <Hint>{[...others, parkedFor || texts.positionOf(formatAge(place.measuredMs, nowMs))].join(' · ')}</Hint>
      </Stack>
    </Card>
  )
}

const LIST_HEIGHT_PX = 250

/** The trips of the car that began today, the newest first. */
export function TodayCard({ car, nowMs }: WhereCardProps) {
  const texts = useTexts('car')
  const words = useTexts('trips')
  const nameAt = useNameAt()
  const maySeePlaces = useMay('positions')
  const { data: trips, error, refetch } = useQuery(tripsOfQuery(car.id, startOfDayMs(dayOf(nowMs))))
  const totals = trips && totalsOf(trips)
  return (
    <Part
      title={texts.today}
      aside={
        <PageLink to="/trips" search={{ car: car.id }} fz="sm">
          {texts.trips}
        </PageLink>
      }
    >
      {!trips && (error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />)}
      {trips?.length === 0 && <Hint>{texts.noTripsToday}</Hint>}
      {trips && totals && totals.count > 0 && (
        <>
          <Text fz="sm">
            {[
              words.trips(totals.count, formatNumber(totals.count)),
              formatDistance(totals.distanceKm),
              formatDuration(totals.durationS),
            ].join(' · ')}
          </Text>
          <ScrollArea.Autosize mah={LIST_HEIGHT_PX} viewportProps={{ tabIndex: 0 }}>
            <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
              {trips.toReversed().map(trip => {
                const facts = tripFacts(trip, { car, homeCountry: homeCountryOf(trips), nameAt })
                return (
                  <li key={trip.id}>
                    <Group gap="xs" wrap="nowrap" align="baseline">
                      <PageLink
                        to="/trips/$tripId"
                        params={{ tripId: trip.id }}
                        fz="sm"
                        style={{ whiteSpace: 'nowrap' }}
                        aria-label={words.showOf(facts.carName, facts.startText)}
                      >
                        {facts.isRunning ? facts.start : `${facts.start} – ${facts.end}`}
                      </PageLink>
                      {facts.isRunning && <RunningBadge endMs={facts.endMs} />}
                      <Hint ml="auto" style={{ whiteSpace: 'nowrap' }}>
                        {facts.distance}
                      </Hint>
                    </Group>
                    {maySeePlaces && <Text fz="sm">{[facts.from, facts.to].filter(Boolean).join(' → ')}</Text>}
                  </li>
                )
              })}
            </Stack>
          </ScrollArea.Autosize>
        </>
      )}
    </Part>
  )
}
