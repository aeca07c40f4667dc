import { Card, Group, ScrollArea, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNameAt } from '../areas/areas-query.ts'
import { dayOf, startOfDayMs } from '../calendar/days.ts'
import type { CarEntry } from '../fleet/use-car-directory.ts'
import { formatDistance, formatDuration, formatNumber } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { PageLink } from '../shell/page-link.tsx'
import { ErrorState } from '../states/error-state.tsx'
import { LoadingState } from '../states/loading-state.tsx'
import { RunningBadge } from '../trips/running-badge.tsx'
import { homeCountryOf } from '../trips/short-address.ts'
import { tripFacts } from '../trips/trip-facts.ts'
import { totalsOf } from '../trips/trip-list.ts'
import { tripsSinceQuery } from './vehicle-queries.ts'

const HEIGHT_PX = 250

interface TodayCardProps {
  readonly vehicleId: string
  readonly entry: CarEntry | undefined
  readonly nowMs: number
}

/** The trips of the car that began today, the newest first. */
export function TodayCard({ vehicleId, entry, nowMs }: TodayCardProps) {
  const texts = useTexts('car')
  const words = useTexts('trips')
  const language = useLanguage()
  const nameAt = useNameAt()
  const maySeePlaces = useMay('positions')
  const { data: trips, error, refetch } = useQuery(tripsSinceQuery(vehicleId, startOfDayMs(dayOf(nowMs))))
  const totals = trips && totalsOf(trips)
  return (
    <Card withBorder component="section" aria-label={texts.today}>
      <Group justify="space-between" mb="xs">
        <Title order={2} fz="h4">
          {texts.today}
        </Title>
        <PageLink to="/trips" search={{ car: vehicleId }} fz="sm">
          {texts.trips}
        </PageLink>
      </Group>
      {!trips && (error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />)}
      {trips?.length === 0 && (
        <Text fz="sm" c="dimmed">
          {texts.noTripsToday}
        </Text>
      )}
      {trips && totals && totals.count > 0 && (
        <>
          <Text fz="sm" mb="xs">
            {[
              words.trips(totals.count, formatNumber(totals.count, language)),
              formatDistance(totals.distanceKm, language),
              formatDuration(totals.durationS),
            ].join(' · ')}
          </Text>
          <ScrollArea.Autosize mah={HEIGHT_PX} viewportProps={{ tabIndex: 0 }}>
            <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
              {trips.map(trip => {
                const known = { car: entry, homeCountry: homeCountryOf(trips), nameAt }
                const facts = tripFacts(trip, known, language)
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
                      <Text fz="sm" c="dimmed" ml="auto" style={{ whiteSpace: 'nowrap' }}>
                        {facts.distance}
                      </Text>
                    </Group>
                    {maySeePlaces && <Text fz="sm">{[facts.from, facts.to].filter(Boolean).join(' → ')}</Text>}
                  </li>
                )
              })}
            </Stack>
          </ScrollArea.Autosize>
        </>
      )}
    </Card>
  )
}
