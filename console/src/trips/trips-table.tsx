import { Table } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { memo } from 'react'
import { useTexts } from '../language/language.ts'
import { PageLink } from '../shell/page-link.tsx'
import { DaySum } from './day-sum.tsx'
import { RunningBadge } from './running-badge.tsx'
import type { TripDay } from './trip-days.ts'
import type { TripFacts } from './trip-facts.ts'

interface TripsTableProps {
  readonly days: readonly TripDay<TripFacts>[]
  /** Else nothing is said of places: an empty column would say that they are not known. */
  readonly maySeePlaces: boolean
}

/** The list on a screen with room for a table. */
export function TripsTable({ days, maySeePlaces }: TripsTableProps) {
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
        {days.map(({ day, totals, trips }) => (
          <Table.Tbody key={day}>
            <Table.Tr bg="var(--mantine-color-default-hover)">
              <Table.Th colSpan={maySeePlaces ? 8 : 6} scope="rowgroup" fw="normal">
                <DaySum day={day} totals={totals} />
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
