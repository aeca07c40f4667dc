import { Badge, Box, Card, Group, List, Stack, Table, Text } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { memo } from 'react'
import { startOfDayMs } from '../calendar/days.ts'
import { isOfNow } from '../fleet/dongle-state.ts'
import { useNow } from '../fleet/use-now.ts'
import { formatDay, formatDistance, formatDuration, formatNumber } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { PageLink } from '../shell/page-link.tsx'
import type { Summary } from '../statistics/summaries.ts'
import type { TripFacts } from './trip-facts.ts'
import type { TripDay } from './trip-list.ts'

interface TripsTableProps {
  readonly days: readonly TripDay<TripFacts>[]
  /** What all trips of a day add up to, by day; a day that is not known has none. */
  readonly sums: ReadonlyMap<string, Summary> | undefined
  /** Else nothing is said of places: an empty column would say that they are not known. */
  readonly maySeePlaces: boolean
}

/** The list on a screen with room for a table. */
export function TripsTable({ days, sums, maySeePlaces }: TripsTableProps) {
  const texts = useTexts('trips')
  return (
    <Table.ScrollContainer minWidth={860} type="native">
      <Table highlightOnHover stickyHeader aria-label={texts.title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.start}</Table.Th>
            <Table.Th>{texts.car}</Table.Th>
            {maySeePlaces && <Table.Th>{texts.from}</Table.Th>}
            <Table.Th>{texts.end}</Table.Th>
            {maySeePlaces && <Table.Th>{texts.to}</Table.Th>}
            <Table.Th ta="right">{texts.distance}</Table.Th>
            <Table.Th ta="right">{texts.duration}</Table.Th>
            <Table.Th ta="right" style={{ whiteSpace: 'nowrap' }}>
              {texts.speed}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        {days.map(({ day, trips }) => (
          <Table.Tbody key={day}>
            <Table.Tr bg="var(--mantine-color-default-hover)">
              <Table.Th colSpan={maySeePlaces ? 8 : 6} scope="rowgroup" fw="normal">
                <DaySum day={day} sum={sums?.get(day)} />
              </Table.Th>
            </Table.Tr>
            {trips.map(trip => (
              <TripLine key={trip.id} {...trip} maySeePlaces={maySeePlaces} />
            ))}
          </Table.Tbody>
        ))}
      </Table>
    </Table.ScrollContainer>
  )
}

/** Drawn again only when one of its texts changed. */
const TripLine = memo(function TripLine({ maySeePlaces, ...trip }: TripFacts & Pick<TripsTableProps, 'maySeePlaces'>) {
  const texts = useTexts('trips')
  const navigate = useNavigate()
  const { id: tripId } = trip
  return (
    <Table.Tr
      style={{ cursor: 'pointer' }}
      // The link in the first cell is for keyboards; this is for clicks beside it.
      onClick={() => void navigate({ to: '/trips/$tripId', params: { tripId } })}
    >
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <PageLink
          to="/trips/$tripId"
          params={{ tripId }}
          fz="sm"
          aria-label={texts.showOf(trip.carName, trip.startText)}
          onClick={event => event.stopPropagation()}
        >
          {trip.start}
        </PageLink>
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{trip.carName}</Table.Td>
      {maySeePlaces && <Table.Td>{trip.from}</Table.Td>}
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        {trip.isRunning ? <RunningBadge endMs={trip.endMs} /> : trip.end}
      </Table.Td>
      {maySeePlaces && <Table.Td>{trip.to}</Table.Td>}
      <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
        {trip.distance}
      </Table.Td>
      <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
        {trip.duration}
      </Table.Td>
      <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
        {trip.speed}
      </Table.Td>
    </Table.Tr>
  )
})

interface TripCardsProps {
  readonly days: readonly TripDay<TripFacts>[]
  /** What all trips of a day add up to, by day; a day that is not known has none. */
  readonly sums: ReadonlyMap<string, Summary> | undefined
  /** Else nothing is said of places. */
  readonly maySeePlaces: boolean
}

/** The list on a phone. */
export function TripCards({ days, sums, maySeePlaces }: TripCardsProps) {
  const texts = useTexts('trips')
  return (
    <Stack gap="md" aria-label={texts.title}>
      {days.map(({ day, trips }) => (
        <div key={day}>
          <Box component="h2" m={0} mb={6} fw="normal">
            <DaySum day={day} sum={sums?.get(day)} />
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

interface DaySumProps {
  /** `YYYY-MM-DD` */
  readonly day: string
  readonly sum: Summary | undefined
}

/** A day with what its trips add up to, also those that are not loaded, above them. */
function DaySum({ day, sum }: DaySumProps) {
  const texts = useTexts('trips')
  const language = useLanguage()
  return (
    <Group component="span" gap="sm" justify="space-between">
      <Text span fw={600} fz="sm">
        {formatDay(startOfDayMs(day), language)}
      </Text>
      {sum && (
        <Text span fz="sm" c="dimmed">
          {[
            texts.trips(sum.trips, formatNumber(sum.trips, language)),
            formatDistance(sum.distance.sum, language),
            formatDuration(sum.duration.sum),
          ].join(' · ')}
        </Text>
      )}
    </Group>
  )
}

interface RunningBadgeProps {
  /** Up to when the trip is known. */
  readonly endMs: number
  readonly size?: 'sm' | 'md'
}

/** Says that a trip is running, or, if its newest value is old, that its end is unknown: its dongle is silent or catching up. */
export function RunningBadge({ endMs, size = 'sm' }: RunningBadgeProps) {
  const isNow = isOfNow(endMs, useNow())
  const texts = useTexts('trips')
  return (
    <Badge color={isNow ? 'teal' : 'gray'} variant="light" tt="none" size={size}>
      {isNow ? texts.running : texts.endUnknown}
    </Badge>
  )
}
