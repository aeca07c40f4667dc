import { Box, Card, Group, List, Stack, Text } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { useTexts } from '../language/language.ts'
import { DaySum } from './day-sum.tsx'
import { RunningBadge } from './running-badge.tsx'
import type { TripDay } from './trip-days.ts'
import type { TripFacts } from './trip-facts.ts'

interface TripCardsProps {
  readonly days: readonly TripDay<TripFacts>[]
  /** Else nothing is said of places. */
  readonly maySeePlaces: boolean
}

/** The list on a phone. */
export function TripCards({ days, maySeePlaces }: TripCardsProps) {
  const texts = useTexts('trips')
  return (
    <Stack gap="md" aria-label={texts.title}>
      {days.map(({ day, totals, trips }) => (
        <div key={day}>
          <Box component="h2" m={0} mb={6} fw="normal">
            <DaySum day={day} totals={totals} />
          </Box>
          <List listStyleType="none" spacing="xs" styles={{ itemWrapper: { display: 'block' } }}>
            {trips.map(trip => (
              <List.Item key={trip.id} styles={{ itemLabel: { display: 'block', width: '100%' } }}>
                <TripCard {...trip} maySeePlaces={maySeePlaces} />
              </List.Item>
            ))}
          </List>
        </div>
      ))}
    </Stack>
  )
}

const TripCard = memo(function TripCard({ maySeePlaces, ...trip }: TripFacts & Pick<TripCardsProps, 'maySeePlaces'>) {
  return (
    <Card
      withBorder
      p="sm"
      style={{ color: 'inherit', textDecoration: 'none' }}
      renderRoot={root => <Link {...root} to="/trips/$tripId" params={{ tripId: trip.id }} />}
    >
      <Group justify="space-between" wrap="nowrap">
        <Text fw={600} truncate>
          {trip.carName}
        </Text>
        <Text fz="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {trip.start}
        </Text>
      </Group>
      <Group gap={6} wrap="nowrap">
        {maySeePlaces && (
          <>
            <Text fz="sm" truncate>
              {trip.from}
            </Text>
            <IconArrowRight size={14} stroke={1.6} aria-hidden style={{ flexShrink: 0 }} />
          </>
        )}
        {trip.isRunning && <RunningBadge endMs={trip.endMs} />}
        {maySeePlaces && !trip.isRunning && (
          <Text fz="sm" truncate>
            {trip.to}
          </Text>
        )}
      </Group>
      <Text fz="sm" c="dimmed">
        {`${trip.distance} · ${trip.duration} · ${trip.speed}`}
      </Text>
    </Card>
  )
})
