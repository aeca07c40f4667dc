import { Group, Stack, Title } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { dayOf } from '../calendar/days.ts'
import { csvTimeZone } from '../export/csv.ts'
import { CsvExportButton } from '../export/csv-export-button.tsx'
import { fileNameOf } from '../export/file-name.ts'
import { Figure, Figures } from '../figures/figure.tsx'
import { useCarDirectory } from '../fleet/use-car-directory.ts'
import { useNow } from '../fleet/use-now.ts'
import { formatDistance, formatDuration, formatNumber } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { EmptyState } from '../states/empty-state.tsx'
import { ErrorState } from '../states/error-state.tsx'
import { LoadingState } from '../states/loading-state.tsx'
import { binStartsMs, startOfBinMs } from './bins.ts'
import { BinsCard } from './bins-card.tsx'
import { PerCar } from './per-car.tsx'
import { binsCsv } from './statistics-csv.ts'
import { StatisticsFilters } from './statistics-filters.tsx'
import { binsQuery, carsQuery } from './statistics-queries.ts'
import { periodOf, type StatisticsSearch } from './statistics-search.ts'
import { type Summary, summaryOfBins, together } from './summaries.ts'
import { statisticsTexts } from './texts.ts'

/** Days begin and end while the page is open. */
const LOOK_AT_CLOCK_MS = 60_000

/** What the trips of the fleet or of one car add up to, by day, week, month or year. */
export function StatisticsPage() {
  const texts = useTexts(statisticsTexts)
  const search = useSearch({ from: '/statistics' })
  const navigate = useNavigate({ from: '/statistics' })
  const directory = useCarDirectory()
  const nowMs = useNow(LOOK_AT_CLOCK_MS)
  const todayMs = startOfBinMs(nowMs, 'DAY')
  const period = useMemo(() => periodOf(search, todayMs), [search, todayMs])
  const bins = useQuery(binsQuery(period, search.car))
  const cars = useQuery({ ...carsQuery(period), enabled: search.car === undefined })
  const rows = bins.data
  const calendar = useMemo(
    () => rows && summaryOfBins(rows, binStartsMs(period.fromMs, period.toMs ?? todayMs, period.size)),
    [rows, period, todayMs],
  )
  const all = useMemo(() => calendar && together(calendar.map(({ summary }) => summary)), [calendar])
  const show = (changed: StatisticsSearch) => void navigate({ search: changed, replace: true })
  const csvSource = () => {
    const car = search.car === undefined ? '' : (directory.get(search.car)?.name ?? search.car)
    const fileName = fileNameOf([texts.csvName, car, dayOf(period.fromMs), dayOf(period.toMs ?? nowMs)], 'csv')
    return binsCsv(calendar ?? [], texts.csvTitles(csvTimeZone()), fileName)
  }
  return (
    <Stack p="md" gap="md">
      <Title order={1} fz="h2">
        {texts.title}
      </Title>
      <Group align="end" justify="space-between" gap="sm">
        <StatisticsFilters search={search} period={period} onChange={show} />
        <CsvExportButton file="statistics" source={csvSource} disabled={!all?.trips} />
      </Group>
      {!calendar && bins.error && <ErrorState error={bins.error} onRetry={() => void bins.refetch()} />}
      {!calendar && !bins.error && <LoadingState />}
      {all?.trips === 0 && <EmptyState icon={IconChartBar} title={texts.empty} hint={texts.emptyHint} />}
      {calendar && all && all.trips > 0 && (
        <>
          <Totals all={all} />
          <BinsCard bins={calendar} size={period.size} search={search} onChange={show} />
          {search.car === undefined && cars.data && <PerCar cars={cars.data} />}
          {search.car === undefined && cars.error && !cars.data && (
            <ErrorState error={cars.error} onRetry={() => void cars.refetch()} />
          )}
          {search.car === undefined && cars.isPending && <LoadingState />}
        </>
      )}
    </Stack>
  )
}

function Totals({ all: { trips, distance, duration } }: { readonly all: Summary }) {
  const { figures } = useTexts(statisticsTexts)
  const language = useLanguage()
  return (
    <Figures>
      <Figure label={figures.distance}>{formatDistance(distance.sum, language)}</Figure>
      <Figure label={figures.duration}>{formatDuration(duration.sum)}</Figure>
      <Figure label={figures.trips}>{formatNumber(trips, language)}</Figure>
      <Figure label={figures.averageDistance}>
        {`${formatDistance(distance.average, language)} · ${formatDuration(duration.average)}`}
      </Figure>
      <Figure label={figures.mostDistance}>{formatDistance(distance.most, language)}</Figure>
      <Figure label={figures.mostDuration}>{formatDuration(duration.most)}</Figure>
    </Figures>
  )
}
