import { Box, Group, Loader, SegmentedControl, Text } from '@mantine/core'
import { IconChartLine } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Vehicle } from '../../api/types.ts'
import type { TimeView } from '../../chart/chart-data.ts'
import { ExportMenu } from '../../export/export-menu.tsx'
import { fileNameOf } from '../../export/files.ts'
import { nameOf } from '../../fleet/car.ts'
import { formatDateTime, useLanguage, useNow, useTexts } from '../../language/language.ts'
import { EmptyState, ErrorState, LoadingState, Part } from '../../page/page.tsx'
import { HistoryCharts } from './history-charts.tsx'
import { RangeControls, SeriesSelect } from './history-controls.tsx'
import { seriesQuery, useTripBands } from './history-queries.ts'
import {
  customRange,
  type HistorySearch,
  type RangeName,
  rangeNameOf,
  shownTypes,
  typesOf,
  viewOf,
} from './history-search.ts'
import { chartSeriesOf, windowOf } from './history-series.ts'
import { HistoryTable, historyCsv } from './history-table.tsx'

const route = getRouteApi('/cars/$vehicleId')

const HEIGHT_PX = 340

/** A range that is named ends now, and now moves on. */
const LOOK_AT_CLOCK_MS = 30_000

/** A movement through time has ended after this long without further movement. */
const SETTLED_MS = 250

/** How any measurement of a car developed over any period, as a chart or a table. */
export function HistoryCard({ vehicle }: { readonly vehicle: Vehicle }) {
  const texts = useTexts('history')
  const language = useLanguage()
  const { search, view, name, change, showView, settleView, showRange, reset } = useHistoryView()
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  // The car changes while it drives, its request does not.
  const series = shownTypes(search, vehicle).join(',')
  const eventTypes = useMemo(() => typesOf(series), [series])
  const window = windowOf(view)
  const trips = useTripBands(vehicle.id, window)
  const query = useQuery(seriesQuery(vehicle.id, eventTypes, window))
  const lines = useMemo(
    () =>
      (query.data ?? [])
        .filter(({ eventType }) => eventTypes.includes(eventType))
        .map(measured => chartSeriesOf(measured, hidden.has(measured.eventType))),
    // oxlint-disable-next-line react/exhaustive-deps -- its names are in the language
    [query.data, eventTypes, language, hidden],
  )
  const isEmpty = query.data !== undefined && !query.isPlaceholderData && lines.every(line => line.timesMs.length === 0)
  const [from, to] = [formatDateTime(view.fromMs), formatDateTime(view.toMs)]

  const onToggle = (eventType: string) => {
    const changed = new Set(hidden)
    if (!changed.delete(eventType)) changed.add(eventType)
    setHidden(changed)
  }
  const csvSource = () => {
    const fileName = fileNameOf([texts.csvName, nameOf(vehicle), customRange(view).from.slice(0, 10)])
    return historyCsv({ vehicleId: vehicle.id, eventTypes, view, fileName, texts })
  }

  return (
    <Part
      title={texts.title}
      aside={
        <Group gap="sm">
          {query.isFetching && query.data && <Loader size="xs" role="status" aria-label={texts.loading} />}
          <SegmentedControl
            aria-label={texts.show}
            value={search.show ?? 'chart'}
            onChange={chosen => {
              const { show: _show, ...others } = search
              change({ ...others, ...(chosen === 'table' ? { show: chosen } : {}) })
            }}
            data={[
              { value: 'chart', label: texts.chart },
              { value: 'table', label: texts.table },
            ]}
          />
          <ExportMenu file="measurements" source={csvSource} disabled={eventTypes.length === 0} />
        </Group>
      }
    >
      <SeriesSelect
        vehicle={vehicle}
        chosen={eventTypes}
        onChoose={types => change({ ...search, series: types.join(',') })}
      />
      <RangeControls name={name} view={view} onRange={showRange} onView={showView} onReset={reset} />
      {eventTypes.length === 0 ? (
        <EmptyState icon={IconChartLine} title={texts.nothingChosen} hint={texts.nothingChosenHint} />
      ) : query.error && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <Box h={HEIGHT_PX}>
          <LoadingState />
        </Box>
      ) : search.show === 'table' ? (
        <HistoryTable series={lines} view={view} />
      ) : (
        <>
          <HistoryCharts
            series={lines}
            view={view}
            trips={trips}
            from={from}
            to={to}
            onView={settleView}
            onReset={reset}
            onToggle={onToggle}
          >
            {isEmpty && (
              <Box pos="absolute" inset={0} style={{ pointerEvents: 'none' }}>
                <EmptyState icon={IconChartLine} title={texts.nothingMeasured} hint={texts.nothingMeasuredHint} />
              </Box>
            )}
          </HistoryCharts>
          <Text fz="xs" c="dimmed" visibleFrom="sm">
            {[trips.length > 0 ? texts.shaded : '', texts.gestures].join(' ').trim()}
          </Text>
        </>
      )}
    </Part>
  )
}

/** What the address says of the chart, and how to change it; movements get there when they have ended. */
function useHistoryView() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const nowMs = useNow(LOOK_AT_CLOCK_MS)
  const view = useMemo(() => viewOf(search, nowMs), [search, nowMs])
  const name = rangeNameOf(search)
  const lastRange = useRef<RangeName>(undefined)
  const settling = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (name !== 'custom') lastRange.current = name
  }, [name])
  useEffect(() => () => clearTimeout(settling.current), [])

  const change = (changed: HistorySearch) => {
    clearTimeout(settling.current)
    void navigate({ replace: true, resetScroll: false, search: changed })
  }
  const { range: _range, from: _from, to: _to, ...kept } = search
  const showRange = (range: RangeName | undefined) => change({ ...kept, ...(range ? { range } : {}) })
  const showView = (shown: TimeView) => change({ ...kept, ...customRange(shown) })
  const settleView = (moving: TimeView) => {
    clearTimeout(settling.current)
    settling.current = setTimeout(() => showView(moving), SETTLED_MS)
  }
  return { search, view, name, change, showView, settleView, showRange, reset: () => showRange(lastRange.current) }
}
