import { Box, Group, Loader, SegmentedControl } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconChartLine } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { Vehicle } from '../../api/types.ts'
import type { TimeView } from '../../chart/chart-data.ts'
import { ExportMenu } from '../../export/export-menu.tsx'
import { useLanguage, useNow, useTexts } from '../../language/language.ts'
import { EmptyState, ErrorState, Hint, LoadingState, Part, useUnlessLeft } from '../../page/page.tsx'
import { HistoryCharts } from './history-charts.tsx'
import { RangeControls, SeriesSelect } from './history-controls.tsx'
import { seriesQuery, useTripBands } from './history-queries.ts'
import { customRange, type HistorySearch, NAMED_RANGE, shownTypes, toggled, typesOf, viewOf } from './history-search.ts'
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
  const { search, view, change, settle } = useHistoryView()
  const [hidden, setHidden] = useState<readonly string[]>([])
  // The car changes while it drives, its request does not.
  const series = shownTypes(search, vehicle).join(',')
  const eventTypes = useMemo(() => typesOf(series), [series])
  const window = windowOf(view)
  const trips = useTripBands(vehicle.id, window)
  const isShaded = trips.some(({ fromMs, toMs }) => toMs > view.fromMs && fromMs < view.toMs)
  const query = useQuery(seriesQuery(vehicle.id, eventTypes, window))
  const lines = useMemo(
    () =>
      (query.data ?? [])
        .filter(({ eventType }) => eventTypes.includes(eventType))
        .map(measured => chartSeriesOf(measured, hidden.includes(measured.eventType))),
    // oxlint-disable-next-line react/exhaustive-deps -- its names are in the language
    [query.data, eventTypes, language, hidden],
  )
  const isEmpty = query.data !== undefined && !query.isPlaceholderData && lines.every(line => line.timesMs.length === 0)
  return (
    <Part
      title={texts.title}
      aside={
        <Group gap="sm">
          {query.isFetching && query.data && <Loader size="xs" role="status" aria-label={texts.loading} />}
          <SegmentedControl
            aria-label={texts.show}
            value={search.show ?? 'chart'}
            onChange={chosen => change({ show: chosen === 'table' ? chosen : undefined })}
            data={[
              { value: 'chart', label: texts.chart },
              { value: 'table', label: texts.table },
            ]}
          />
          <ExportMenu
            file="measurements"
            source={() => historyCsv(vehicle, eventTypes, view, texts)}
            disabled={eventTypes.length === 0}
          />
        </Group>
      }
    >
      <SeriesSelect vehicle={vehicle} chosen={eventTypes} onChoose={types => change({ series: types.join(',') })} />
      <RangeControls search={search} view={view} onChange={change} />
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
            onView={settle}
            onReset={() => change(NAMED_RANGE)}
            onToggle={eventType => setHidden(toggled(hidden, eventType))}
          >
            {isEmpty && (
              <Box pos="absolute" inset={0} style={{ pointerEvents: 'none' }}>
                <EmptyState icon={IconChartLine} title={texts.nothingMeasured} hint={texts.nothingMeasuredHint} />
              </Box>
            )}
          </HistoryCharts>
          <Hint fz="xs" visibleFrom="sm">
            {isShaded && texts.shaded} {texts.gestures}
          </Hint>
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
  const go = (changed: HistorySearch) =>
    void navigate({ replace: true, resetScroll: false, search: { ...search, ...changed } })
  const unlessLeft = useUnlessLeft()
  const settle = useDebouncedCallback((moving: TimeView) => unlessLeft(() => go(customRange(moving))), SETTLED_MS)
  const change = (changed: HistorySearch) => {
    settle.cancel()
    go(changed)
  }
  return { search, view, change, settle }
}
