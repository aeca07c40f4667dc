import { Group, Select, Stack, Title } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { dayOf } from '../calendar/days.ts'
import { ExportMenu } from '../export/export-menu.tsx'
import { fileNameOf } from '../export/files.ts'
import { Figure, Figures } from '../figures/figures.tsx'
import { useCarDirectory } from '../fleet/use-cars.ts'
import {
  formatChange,
  formatDistance,
  formatDuration,
  formatNumber,
  timeZoneHere,
  useNow,
  useTexts,
} from '../language/language.ts'
import { EmptyState, ErrorState, LoadingState } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import { CarSelect, PeriodSelect } from '../table/filters.tsx'
import { binStartsMs, periodBefore, startOfBinMs } from './bins.ts'
import { BinsCard } from './bins-card.tsx'
import { DrivingHoursCard } from './driving-hours.tsx'
import { PerCar } from './per-car.tsx'
import { binsCsv } from './statistics-csv.ts'
import { binsQuery, carsQuery, hoursQuery } from './statistics-queries.ts'
import { type Period, PRESET_NAMES, periodOf, presetNameOf, type StatisticsSearch } from './statistics-search.ts'
import { type Summary, summaryOfBins, together } from './summaries.ts'

/** Days begin and end while the page is open. */
const LOOK_AT_CLOCK_MS = 60_000

const HOUR_MS = 3_600_000

/** What the trips of the fleet or of one car add up to, by day, week, month or year. */
export function StatisticsPage() {
  const texts = useTexts('statistics')
  const search = useSearch({ from: '/statistics' })
  const navigate = useNavigate({ from: '/statistics' })
  const directory = useCarDirectory()
  const nowMs = useNow(LOOK_AT_CLOCK_MS)
  const todayMs = startOfBinMs(nowMs, 'DAY')
  const hourMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS
  const period = useMemo(() => periodOf(search, todayMs), [search, todayMs])
  const bins = useQuery(binsQuery(period, search.car))
  const cars = useQuery({ ...carsQuery(period), enabled: search.car === undefined })
  const hours = useQuery(hoursQuery(period, search.car))
  const rows = bins.data
  const calendar = useMemo(
    () => rows && summaryOfBins(rows, binStartsMs(period.fromMs, period.toMs ?? todayMs, period.size)),
    [rows, period, todayMs],
  )
  const all = useMemo(() => calendar && together(calendar.map(({ summary }) => summary)), [calendar])
  const past = useMemo(() => periodBefore(period, hourMs), [period, hourMs])
  const { data: pastRows } = useQuery({ ...binsQuery(past, search.car), enabled: (all?.trips ?? 0) > 0 })
  const before = useMemo(
    () =>
      pastRows &&
      together(summaryOfBins(pastRows, binStartsMs(past.fromMs, past.toMs, past.size)).map(bin => bin.summary)),
    [pastRows, past],
  )
  const show = (changed: StatisticsSearch) => void navigate({ search: changed, replace: true })
  const csvSource = () => {
    const car = search.car === undefined ? '' : (directory.get(search.car)?.name ?? search.car)
    const fileName = fileNameOf([texts.csvName, car, dayOf(period.fromMs), dayOf(period.toMs ?? nowMs)])
    return binsCsv(calendar ?? [], texts.csvTitles(timeZoneHere()), fileName)
  }
  return (
    <Stack p="md" gap="md">
      <Title order={1} fz="h2">
        {texts.title}
      </Title>
      <Group align="end" justify="space-between" gap="sm">
        <StatisticsFilters search={search} period={period} onChange={show} />
        <ExportMenu file="statistics" source={csvSource} disabled={!all?.trips} />
      </Group>
      {!calendar && bins.error && <ErrorState error={bins.error} onRetry={() => void bins.refetch()} />}
      {!calendar && !bins.error && <LoadingState />}
      {all?.trips === 0 && <EmptyState icon={IconChartBar} title={texts.empty} hint={texts.emptyHint} />}
      {calendar && all && all.trips > 0 && (
        <>
          <Totals all={all} before={before} />
          <BinsCard bins={calendar} size={period.size} search={search} onChange={show} />
          {hours.data && <DrivingHoursCard hours={hours.data} />}
          {hours.error && !hours.data && <ErrorState error={hours.error} onRetry={() => void hours.refetch()} />}
          {hours.isPending && <LoadingState />}
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

interface TotalsProps {
  readonly all: Summary
  /** Of the period before; undefined until it is there. */
  readonly before: Summary | undefined
}

function Totals({ all: { trips, distance, duration }, before }: TotalsProps) {
  const { figures, against, nothingBefore } = useTexts('statistics')
  const change = (now: number, then: number | undefined, format: (value: number) => string) => {
    // That there was nothing is said once, beside the number of trips.
    if (then === undefined || then === 0) return undefined
    return against(formatChange(now / then - 1), format(then))
  }
  const km = (value: number) => formatDistance(value)
  const count = (value: number) => formatNumber(value)
  return (
    <Figures>
      <Figure label={figures.distance} hint={change(distance.sum, before?.distance.sum, km)}>
        {km(distance.sum)}
      </Figure>
      <Figure label={figures.duration} hint={change(duration.sum, before?.duration.sum, formatDuration)}>
        {formatDuration(duration.sum)}
      </Figure>
      <Figure label={figures.trips} hint={before?.trips === 0 ? nothingBefore : change(trips, before?.trips, count)}>
        {count(trips)}
      </Figure>
      <Figure label={figures.averageDistance} hint={change(distance.average, before?.distance.average, km)}>
        {`${km(distance.average)} · ${formatDuration(duration.average)}`}
      </Figure>
      <Figure label={figures.mostDistance} hint={change(distance.most, before?.distance.most, km)}>
        {km(distance.most)}
      </Figure>
      <Figure label={figures.mostDuration} hint={change(duration.most, before?.duration.most, formatDuration)}>
        {formatDuration(duration.most)}
      </Figure>
    </Figures>
  )
}

interface StatisticsFiltersProps {
  readonly search: StatisticsSearch
  readonly period: Period
  readonly onChange: (search: StatisticsSearch) => void
}

/** Which trips are counted, and in what bins. */
function StatisticsFilters({ search, period, onChange }: StatisticsFiltersProps) {
  const texts = useTexts('statistics')
  const cars = useCarDirectory()
  const mayReadVehicles = useMay('vehicles')
  const { preset: _preset, from, to: _to, by: _by, ...rest } = search
  return (
    <Group align="end" gap="sm">
      {mayReadVehicles && <CarSelect cars={cars} value={search.car} onChange={car => onChange({ ...search, car })} />}
      <PeriodSelect
        label={texts.period}
        names={PRESET_NAMES}
        texts={texts.presets}
        value={presetNameOf(search)}
        days={search}
        onChange={chosen =>
          onChange('range' in chosen ? { ...rest, preset: chosen.range } : { ...rest, ...chosen, by: search.by })
        }
        w={{ base: '100%', xs: 160 }}
      />
      {from !== undefined && (
        <Select
          label={texts.by}
          data={period.sizes.map(value => ({ value, label: texts.sizes[value] }))}
          value={period.size}
          allowDeselect={false}
          onChange={size => onChange({ ...search, by: size ?? undefined })}
          w={{ base: '100%', xs: 120 }}
        />
      )}
    </Group>
  )
}
