import { Badge, Card, Group, Text } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { startOfDayMs } from '../calendar/days.ts'
import { isOfNow } from '../fleet/dongle-state.ts'
import {
  formatDay,
  formatDistance,
  formatDuration,
  formatNumber,
  type Texts,
  useNow,
  useTexts,
} from '../language/language.ts'
import { Hint, PageLink } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import type { Summary } from '../statistics/summaries.ts'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import { TwoLines } from '../table/plain-table.tsx'
import type { TripFacts } from './trip-facts.ts'
import type { TripLine } from './trip-list.ts'

interface TripsTableProps {
  readonly lines: readonly TripLine<TripFacts>[]
  /** What all trips of a day add up to, by day; a day that is not known has none. */
  readonly sums: ReadonlyMap<string, Summary> | undefined
}

/** Trips under their days, which say what all their trips add up to. */
export function TripsTable({ lines, sums }: TripsTableProps) {
  const texts = useTexts('trips')
  // Else nothing is said of places: an empty column would say that they are not known.
  const maySeePlaces = useMay('positions')
  const navigate = useNavigate()
  const columns = useMemo(() => tripColumns(texts, maySeePlaces), [texts, maySeePlaces])
  return (
    <DataTable
      label={texts.title}
      rows={lines}
      columns={columns}
      keyOf={line => line.id}
      renderHeading={line => 'day' in line && <DaySum day={line.day} sum={sums?.get(line.day)} />}
      // The link in the first cell is for keyboards; this is for clicks beside it.
      onOpen={({ id }) => void navigate({ to: '/trips/$tripId', params: { tripId: id } })}
      renderCard={line => 'day' in line || <TripCard {...line} />}
      height="max(320px, calc(100dvh - 310px))"
    />
  )
}

function tripColumns(texts: Texts<'trips'>, maySeePlaces: boolean): readonly Column<TripLine<TripFacts>>[] {
  const column = (id: string, title: string, cell: Column<TripFacts>['cell'], look = {}) => ({
    id,
    title,
    cell: (line: TripLine<TripFacts>) => 'day' in line || cell(line),
    ...look,
  })
  const place = (id: 'from' | 'to') =>
    maySeePlaces ? [column(id, texts[id], trip => <TwoLines>{trip[id]}</TwoLines>, { isWide: true })] : []
  const number = (id: 'distance' | 'duration' | 'speed') => column(id, texts[id], trip => trip[id], { isNumeric: true })
  return [
    column('start', texts.start, ({ id, start, carName, startText }) => (
      <PageLink
        to="/trips/$tripId"
        params={{ tripId: id }}
        fz="sm"
        aria-label={texts.showOf(carName, startText)}
        onClick={event => event.stopPropagation()}
      >
        {start}
      </PageLink>
    )),
    column('car', texts.car, trip => trip.carName),
    ...place('from'),
    column('end', texts.end, trip => (trip.isRunning ? <RunningBadge endMs={trip.endMs} /> : trip.end)),
    ...place('to'),
    number('distance'),
    number('duration'),
    number('speed'),
  ]
}

/** A trip on a phone. */
function TripCard(trip: TripFacts) {
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
        <Hint style={{ whiteSpace: 'nowrap' }}>{trip.start}</Hint>
      </Group>
      <Group gap={6}>
        {useMay('positions') && <Text fz="sm">{`${trip.from} → ${trip.isRunning ? '' : trip.to}`}</Text>}
        {trip.isRunning && <RunningBadge endMs={trip.endMs} />}
      </Group>
      <Hint>{`${trip.distance} · ${trip.duration} · ${trip.speed}`}</Hint>
    </Card>
  )
}

/** A day with what its trips add up to, also those that are not loaded, above them. */
function DaySum({ day, sum }: { readonly day: string; readonly sum: Summary | undefined }) {
  const texts = useTexts('trips')
  return (
    <Group component="span" gap="sm" justify="space-between">
      <Text span fw={600} fz="sm">
        {formatDay(startOfDayMs(day))}
      </Text>
      {sum && (
        <Text span fz="sm" c="dimmed">
          {[
            texts.trips(sum.trips, formatNumber(sum.trips)),
            formatDistance(sum.distance.sum),
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
    <Badge color={isNow ? 'teal' : 'gray'} variant="light" tt="none" size={size} miw="max-content">
      {isNow ? texts.running : texts.endUnknown}
    </Badge>
  )
}
