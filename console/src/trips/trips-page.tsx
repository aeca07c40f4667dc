import { Button, Center, Group, Stack, Text, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconRoute } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useNameAt } from '../areas/areas-query.ts'
import { dayOf } from '../calendar/days.ts'
import { CsvExportButton } from '../export/csv-export-button.tsx'
import { fileNameOf } from '../export/file-name.ts'
import { nameOfCar } from '../fleet/car.ts'
import { useAwaitsCarDirectory, useCarDirectory } from '../fleet/use-car-directory.ts'
import { useNow } from '../fleet/use-now.ts'
import { formatDistance, formatDuration, formatNumber } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { EmptyState } from '../states/empty-state.tsx'
import { ErrorState } from '../states/error-state.tsx'
import { LoadingState } from '../states/loading-state.tsx'
import { homeCountryOf } from './short-address.ts'
import { TripCards } from './trip-cards.tsx'
import { tripDays } from './trip-days.ts'
import { tripFacts } from './trip-facts.ts'
import { shownTrips, totalsOf, withPage } from './trip-list.ts'
import { tripsCsv } from './trips-csv.ts'
import { TripsFilters } from './trips-filters.tsx'
import { askTripPage, type TripFilter, tripCountQuery, tripsQuery } from './trips-query.ts'
import { timeRangeOf } from './trips-search.ts'
import { TripsTable } from './trips-table.tsx'

/** Days begin and end while the page is open. */
const LOOK_AT_CLOCK_MS = 60_000

export function TripsPage() {
  const texts = useTexts('trips')
  const language = useLanguage()
  const search = useSearch({ from: '/trips' })
  const cars = useCarDirectory()
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const { fromMs, toMs } = timeRangeOf(search, useNow(LOOK_AT_CLOCK_MS))
  const filter = useMemo((): TripFilter => ({ vehicleId: search.car, fromMs, toMs }), [search.car, fromMs, toMs])

  const query = tripsQuery(filter, language)
  const { data, error, isPlaceholderData, refetch } = useQuery({ ...query, placeholderData: keepPreviousData })
  const awaitsNames = useAwaitsCarDirectory()
  const list = awaitsNames ? undefined : data
  const client = useQueryClient()
  const more = useMutation({
    mutationFn: async (next: string) => {
      const page = await askTripPage(filter, next, {})
      client.setQueryData(query.queryKey, known => known && withPage(known, page, filter.fromMs))
    },
  })

  const trips = useMemo(() => (list ? shownTrips(list, filter) : []), [list, filter])
  const nameAt = useNameAt()
  const maySeePlaces = useMay('positions')
  const days = useMemo(() => {
    const homeCountry = homeCountryOf(trips)
    return tripDays(trips, trip => tripFacts(trip, { car: cars.get(trip.vehicleId), homeCountry, nameAt }, language))
  }, [trips, cars, language, nameAt])
  const totals = useMemo(() => totalsOf(trips), [trips])
  const next = list?.next
  // Without older ones to load, those that are here are all.
  const { data: total } = useQuery({ ...tripCountQuery(filter), enabled: next !== undefined })

  const csvSource = () => {
    const carName = (vehicleId: string) => nameOfCar(cars, vehicleId)
    const ofCar = search.car === undefined ? '' : carName(search.car)
    const fileName = fileNameOf([texts.csvName, ofCar, dayOf(fromMs), dayOf(toMs ?? Date.now())], 'csv')
    return tripsCsv({ filter, carName, texts, fileName })
  }

  return (
    <Stack p="md" gap="md">
      <Title order={1} fz="h2">
        {texts.title}
      </Title>
      <Group align="end" justify="space-between" gap="sm">
        <TripsFilters search={search} cars={cars} />
        <CsvExportButton file="trips" source={csvSource} disabled={trips.length === 0} />
      </Group>
      {!list && error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!list && !error && <LoadingState />}
      {list && trips.length === 0 && next === undefined && (
        <EmptyState icon={IconRoute} title={texts.empty} hint={texts.emptyHint} />
      )}
      {trips.length > 0 && (
        <Stack gap="xs" opacity={isPlaceholderData ? 0.5 : 1}>
          <Group gap="md" role="status" aria-label={texts.totals}>
            <Text fz="sm" fw={600}>
              {next === undefined || total === undefined
                ? texts.trips(totals.count, formatNumber(totals.count, language))
                : texts.shownOf(formatNumber(totals.count, language), formatNumber(total, language))}
            </Text>
            <Text fz="sm">{formatDistance(totals.distanceKm, language)}</Text>
            <Text fz="sm">{formatDuration(totals.durationS)}</Text>
            {next !== undefined && (
              <Text fz="sm" c="dimmed">
                {texts.soFar}
              </Text>
            )}
          </Group>
          {isPhone ? (
            <TripCards days={days} maySeePlaces={maySeePlaces} />
          ) : (
            <TripsTable days={days} maySeePlaces={maySeePlaces} />
          )}
        </Stack>
      )}
      {next !== undefined && !isPlaceholderData && (
        <Center>
          <Button variant="light" loading={more.isPending} onClick={() => more.mutate(next)}>
            {texts.loadMore}
          </Button>
        </Center>
      )}
      {more.error && <ErrorState error={more.error} />}
    </Stack>
  )
}
