import { Button, Center, Group, Stack, Text, Title } from '@mantine/core'
import { IconRoute } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
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
import { EmptyState, ErrorState, LoadingState } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import { binStartsMs } from '../statistics/bins.ts'
import { binsQuery } from '../statistics/statistics-queries.ts'
import { summaryOfBins, together } from '../statistics/summaries.ts'
import { CarSelect, PeriodSelect } from '../table/filters.tsx'
import { homeCountryOf } from './short-address.ts'
import { tripFacts, tripRow } from './trip-facts.ts'
import { shownTrips, tripLines, withPage } from './trip-list.ts'
import { TripsTable } from './trip-views.tsx'
import { askTripPage, type TripFilter, tripCountQuery, tripPages, tripsQuery } from './trips-query.ts'
import { RANGES, rangeNameOf, type TripsSearch, timeRangeOf } from './trips-search.ts'

/** Days begin and end while the page is open. */
const LOOK_AT_CLOCK_MS = 60_000

export function TripsPage() {
  const texts = useTexts('trips')
  const language = useLanguage()
  const search = useSearch({ from: '/trips' })
  const navigate = useNavigate({ from: '/trips' })
  const cars = useCarDirectory()
  const nowMs = useNow(LOOK_AT_CLOCK_MS)
  const { fromMs, toMs } = timeRangeOf(search, nowMs)
  const filter = useMemo((): TripFilter => ({ vehicleId: search.car, fromMs, toMs }), [search.car, fromMs, toMs])

  const query = tripsQuery(filter)
  const { data, error, isPlaceholderData, refetch } = useQuery({ ...query, placeholderData: keepPreviousData })
  const list = useAwaitsCarDirectory() ? undefined : data
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
  const lines = useMemo(() => {
    const homeCountry = homeCountryOf(trips)
    return tripLines(trips, trip => tripFacts(trip, { car: cars.get(trip.vehicleId), homeCountry, nameAt }))
    // oxlint-disable-next-line react/memo-dependencies -- it says all in the language
  }, [trips, cars, language, nameAt])
  const sums = useSums(filter, nowMs)
  const next = list?.next
  // Without older ones to load, those that are here are all.
  const { data: total } = useQuery({ ...tripCountQuery(filter), enabled: next !== undefined })
  const shown = formatNumber(trips.length)

  /** What is chosen goes into the address. */
  const show = (changed: TripsSearch) => void navigate({ search: changed })
  const ofCar = search.car === undefined ? '' : nameOfCar(cars, search.car)
  const exportSource = () => ({
    fileName: fileNameOf([texts.csvName, ofCar, dayOf(fromMs), dayOf(toMs ?? nowMs)]),
    titles: texts.csvTitles(timeZoneHere()),
    pages: async function* (signal: AbortSignal) {
      for await (const page of tripPages(filter, signal))
        yield page.map(trip => tripRow(trip, nameOfCar(cars, trip.vehicleId), nameAt))
    },
  })

  return (
    <Stack p="md" gap="md">
      <Title order={1} fz="h2">
        {texts.title}
      </Title>
      <Group align="end" justify="space-between" gap="sm">
        <Group align="end" gap="sm">
          <CarSelect cars={cars} value={search.car} onChange={car => show({ ...search, car })} />
          <PeriodSelect
            label={texts.period}
            names={RANGES}
            texts={texts.ranges}
            value={rangeNameOf(search)}
            days={search}
            onChange={chosen => show({ car: search.car, ...chosen })}
          />
        </Group>
        <ExportMenu file="trips" source={exportSource} disabled={trips.length === 0} />
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
                ? texts.trips(trips.length, shown)
                : texts.shownOf(shown, formatNumber(total))}
            </Text>
            {sums && (
              <>
                <Text fz="sm">{formatDistance(sums.all.distance.sum)}</Text>
                <Text fz="sm">{formatDuration(sums.all.duration.sum)}</Text>
              </>
            )}
          </Group>
          <TripsTable lines={lines} sums={sums?.days} maySeePlaces={maySeePlaces} />
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

/**
 * What all trips of the filter add up to, by day and together, whichever of them are loaded: from the statistics, as on
 * their page. Undefined while or where that cannot be known.
 */
function useSums({ vehicleId, fromMs, toMs }: TripFilter, nowMs: number) {
  const period = { fromMs, toMs, size: 'DAY', sizes: [] } as const
  const { data: rows } = useQuery({ ...binsQuery(period, vehicleId), enabled: useMay('aggregations') })
  return useMemo(() => {
    const bins = rows && summaryOfBins(rows, binStartsMs(fromMs, toMs ?? nowMs, 'DAY'))
    return (
      bins && {
        all: together(bins.map(({ summary }) => summary)),
        days: new Map(bins.map(({ startMs, summary }) => [dayOf(startMs), summary])),
      }
    )
  }, [rows, fromMs, toMs, nowMs])
}
