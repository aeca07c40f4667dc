import { Group, Select, Stack, Title } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { dayOf } from '../calendar/days.ts'
import { ExportMenu } from '../export/export-menu.tsx'
import { fileNameOf } from '../export/files.ts'
import { Figure, Figures } from '../figures/figures.tsx'
import { nameOfCar } from '../fleet/car.ts'
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
import { EmptyState, RequestState } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import { CarSelect, PeriodSelect } from '../table/filters.tsx'
import { periodBefore, startOfBinMs } from './bins.ts'
import { BinsCard } from './bins-card.tsx'
import { DrivingHoursCard } from './driving-hours.tsx'
import { PerCar } from './per-car.tsx'
import { binCells } from './statistics-csv.ts'
import { carsQuery, hoursQuery, useBins } from './statistics-queries.ts'
import { periodOf, STATISTICS_PERIODS, type StatisticsSearch } from './statistics-search.ts'
import { type Summary, summaryOfCars } from './summaries.ts'

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
  const bins = useBins(period, search.car, todayMs)
  const { bins: calendar, all } = bins
  const past = useMemo(() => periodBefore(period, hourMs), [period, hourMs])
  const { all: before } = useBins(past, search.car, hourMs, (all?.trips ?? 0) > 0)
  const hours = useQuery(hoursQuery(period, search.car))
  const cars = useQuery({ ...carsQuery(period), enabled: search.car === undefined, select: summaryOfCars })
  const show = (changed: StatisticsSearch) => void navigate({ search: changed, replace: true })
  const ofCar = search.car === undefined ? '' : nameOfCar(directory, search.car)
  const exportSource = () => ({
    fileName: fileNameOf([texts.csvName, ofCar, dayOf(period.fromMs), dayOf(period.toMs ?? nowMs)]),
    titles: texts.csvTitles(timeZoneHere()),
    pages: () => [(calendar ?? []).map(binCells)],
  })
  return (
    <Stack p="md" gap="md">
      <Title order={1} fz="h2">
        {texts.title}
      </Title>
      <Group align="end" justify="space-between" gap="sm">
        <Group align="end" gap="sm">
          {useMay('vehicles') && <CarSelect value={search.car} onChange={car => show({ ...search, car })} />}
          <PeriodSelect
            label={texts.period}
            periods={STATISTICS_PERIODS}
            texts={texts.presets}
            search={search}
            onChange={chosen => show({ ...search, ...chosen })}
            w={{ base: '100%', xs: 160 }}
          />
          {search.from !== undefined && (
            <Select
              label={texts.by}
              data={period.sizes.map(value => ({ value, label: texts.sizes[value] }))}
              value={period.size}
              allowDeselect={false}
              onChange={size => show({ ...search, by: size ?? undefined })}
              w={{ base: '100%', xs: 120 }}
            />
          )}
        </Group>
        <ExportMenu file="statistics" source={exportSource} disabled={!all?.trips} />
      </Group>
      {!calendar && <RequestState {...bins} />}
      {all?.trips === 0 && <EmptyState icon={IconChartBar} title={texts.empty} hint={texts.emptyHint} />}
      {calendar && all && all.trips > 0 && (
        <>
          <Totals all={all} before={before} />
          <BinsCard bins={calendar} all={all} size={period.size} search={search} onChange={show} />
          {hours.data ? <DrivingHoursCard hours={hours.data} /> : <RequestState {...hours} />}
          {search.car === undefined && (cars.data ? <PerCar cars={cars.data} /> : <RequestState {...cars} />)}
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
  const shown = [
    ['distance', distance.sum, before?.distance.sum, formatDistance],
    ['duration', duration.sum, before?.duration.sum, formatDuration],
    ['trips', trips, before?.trips, formatNumber],
    ['averageDistance', distance.average, before?.distance.average, formatDistance],
    ['mostDistance', distance.most, before?.distance.most, formatDistance],
    ['mostDuration', duration.most, before?.duration.most, formatDuration],
  ] as const
  return (
    <Figures>
      {shown.map(([name, now, then, format]) => (
        <Figure
          key={name}
          label={figures[name]}
          hint={name === 'trips' && then === 0 ? nothingBefore : change(now, then, format)}
        >
          {name === 'averageDistance' ? `${format(now)} · ${formatDuration(duration.average)}` : format(now)}
        </Figure>
      ))}
    </Figures>
  )
}
