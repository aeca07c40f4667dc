import { Button, Center, Group, Stack, Text, Title } from '@mantine/core'
import { IconRoute, IconSearch } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo } from 'react'
import { useNameAt } from '../areas/areas-query.ts'
import { dayOf } from '../calendar/days.ts'
import { ExportMenu } from '../export/export-menu.tsx'
import { fileNameOf } from '../export/files.ts'
import { nameOfCar } from '../fleet/car.ts'
import { useAwaitsCarDirectory, useCarDirectory } from '../fleet/use-cars.ts'
import {
  formatDistance,
  formatDuration,
  formatNumber,
  timeZoneHere,
  useLanguage,
  useNow,
  useTexts,
} from '../language/language.ts'
import { readOlder, useSyncedList } from '../live/synced-list.ts'
import { EmptyState, ErrorState, RequestState } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import { useBins } from '../statistics/statistics-queries.ts'
import { CarSelect, PeriodSelect, SearchField, useSearchText } from '../table/filters.tsx'
import { homeCountryOf } from './short-address.ts'
import { tripFacts, tripFinder, tripRow } from './trip-facts.ts'
import { totalsOf, tripLines } from './trip-list.ts'
import { TripsTable } from './trip-views.tsx'
import { shownTrips, type TripFilter, tripPages, tripsSource } from './trips-query.ts'
import { TRIP_PERIODS, type TripsSearch } from './trips-search.ts'

/** Days begin and end while the page is open. */
const LOOK_AT_CLOCK_MS = 60_000

export function TripsPage() {
  const texts = useTexts('trips')
  const language = useLanguage()
  const search = useSearch({ from: '/trips' })
  const navigate = useNavigate({ from: '/trips' })
  const cars = useCarDirectory()
  const nameAt = useNameAt()
  const nowMs = useNow(LOOK_AT_CLOCK_MS)
  const { field, wanted } = useSearchText()
  const { fromMs, toMs } = TRIP_PERIODS.timeOf(search, nowMs)
  const filter = useMemo((): TripFilter => ({ vehicleId: search.car, fromMs, toMs }), [search.car, fromMs, toMs])
  const source = tripsSource(filter)
  const { list: read, counted, error, refetch, isPlaceholderData } = useSyncedList(source)
  const list = useAwaitsCarDirectory() ? undefined : read
  const next = list?.next
  const client = useQueryClient()
  const more = useMutation({ mutationFn: () => readOlder(client, source) })
  const { mutate: readMore, isPending: isReading } = more
  const isWanting = wanted !== '' && next !== undefined && !isPlaceholderData && !isReading && !more.error
  // What is searched may be in any of the period. A page that was read between two drawings left no other trace than where the next is.
  useEffect(() => {
    if (isWanting && next !== undefined) readMore()
  }, [isWanting, next, readMore])

  const trips = useMemo(() => (list ? shownTrips(list, filter) : []), [list, filter])
  const findTrips = useMemo(() => tripFinder(cars, nameAt), [cars, nameAt])
  const found = useMemo(() => findTrips(trips, wanted), [findTrips, trips, wanted])
  const lines = useMemo(() => {
    const homeCountry = homeCountryOf(trips)
    return tripLines(found, trip => tripFacts(trip, { car: cars.get(trip.vehicleId), homeCountry, nameAt }))
    // oxlint-disable-next-line react/exhaustive-deps -- it says all in the language
  }, [trips, found, cars, language, nameAt])
  const period = { fromMs, toMs, size: 'DAY' } as const
  const { bins, all } = useBins(period, search.car, nowMs, useMay('aggregations'))
  const daySums = useMemo(() => new Map(bins?.map(({ startMs, summary }) => [dayOf(startMs), summary])), [bins])
  const { distanceKm = all?.distance.sum, durationS = all?.duration.sum } = wanted === '' ? {} : totalsOf(found)
  const count = next === undefined ? trips.length : counted
  const shown = formatNumber(found.length)

  /** What is chosen goes into the address. */
  const show = (changed: TripsSearch) => void navigate({ search: changed })
  const ofCar = search.car === undefined ? '' : nameOfCar(cars, search.car)
  const exportSource = () => ({
    fileName: fileNameOf([texts.csvName, ofCar, dayOf(fromMs), dayOf(toMs ?? nowMs)]),
    titles: texts.csvTitles(timeZoneHere()),
    pages: async function* (signal: AbortSignal) {
      for await (const page of tripPages(filter, signal))
        yield findTrips(page, wanted).map(trip => tripRow(trip, nameOfCar(cars, trip.vehicleId), nameAt))
    },
  })

  return (
    <Stack p="md" gap="md">
      <Title order={1} fz="h2">
        {texts.title}
      </Title>
      <Group align="end" justify="space-between" gap="sm">
        <Group align="end" gap="sm">
          <CarSelect value={search.car} onChange={car => show({ ...search, car })} />
          <PeriodSelect
            label={texts.period}
            periods={TRIP_PERIODS}
            texts={texts.ranges}
            search={search}
            onChange={chosen => show({ ...search, ...chosen })}
          />
          <SearchField label={texts.search} {...field} w={{ base: '100%', xs: 230 }} />
        </Group>
        <ExportMenu file="trips" source={exportSource} disabled={found.length === 0} />
      </Group>
      {!list && <RequestState error={error} refetch={refetch} />}
      {list && found.length === 0 && next === undefined && (
        <EmptyState
          icon={wanted === '' ? IconRoute : IconSearch}
          title={wanted === '' ? texts.empty : texts.noMatch}
          hint={wanted === '' ? texts.emptyHint : texts.noMatchHint}
        />
      )}
      {found.length > 0 && (
        <Stack gap="xs" opacity={isPlaceholderData ? 0.5 : 1}>
          <Group gap="md" role="status" aria-label={texts.totals}>
            <Text fz="sm" fw={600}>
              {count === undefined || count === found.length
                ? texts.trips(found.length, shown)
                : texts.shownOf(shown, formatNumber(count))}
            </Text>
            {distanceKm !== undefined && !isPlaceholderData && <Text fz="sm">{formatDistance(distanceKm)}</Text>}
            {durationS !== undefined && !isPlaceholderData && <Text fz="sm">{formatDuration(durationS)}</Text>}
          </Group>
          <TripsTable lines={lines} sums={wanted === '' ? daySums : undefined} />
        </Stack>
      )}
      {next !== undefined && !isPlaceholderData && (
        <Center>
          <Button variant="light" loading={isReading} onClick={() => readMore()}>
            {texts.loadMore}
          </Button>
        </Center>
      )}
      {more.error && <ErrorState error={more.error} />}
    </Stack>
  )
}
