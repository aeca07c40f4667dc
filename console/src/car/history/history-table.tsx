import { Stack } from '@mantine/core'
import { useMemo } from 'react'
import { askPage } from '../../api/request.ts'
import type { EventItem, Vehicle } from '../../api/types.ts'
import type { TimeView } from '../../chart/chart-data.ts'
import { type ExportCell, type ExportSource, everyPage, fileNameOf } from '../../export/files.ts'
import { nameOf } from '../../fleet/car.ts'
import { formatDate, formatTime, type Texts, timeZoneHere, useTexts } from '../../language/language.ts'
import { eventTypeName, valueText } from '../../measurements/measurement.ts'
import { Hint } from '../../page/page.tsx'
import type { Column } from '../../table/column.ts'
import { DataTable } from '../../table/data-table.tsx'
import { customRange } from './history-search.ts'
import { type HistoryRow, type HistorySeries, rowsOf, seriesValueText } from './history-series.ts'

/** What the chart shows, in numbers. */
export function HistoryTable({ series, view }: { readonly series: readonly HistorySeries[]; readonly view: TimeView }) {
  const texts = useTexts('history')
  const rows = useMemo(() => rowsOf(series, view.fromMs, view.toMs), [series, view])
  const columns = useMemo(
    (): readonly Column<HistoryRow>[] => [
      {
        id: 'time',
        title: texts.time,
        order: row => row.timeMs,
        cell: row => `${formatDate(row.timeMs)}, ${formatTime(row.timeMs)}`,
      },
      ...series.map((line, index) => ({
        id: line.eventType,
        title: line.name,
        isNumeric: true,
        order: (row: HistoryRow) => row.values[index],
        cell: (row: HistoryRow) => {
          const value = row.values[index]
          return value === undefined ? '' : seriesValueText(line, value)
        },
      })),
    ],
    [series, texts],
  )
  return (
    <Stack gap="xs">
      <DataTable
        label={texts.title}
        rows={rows}
        columns={columns}
        keyOf={row => row.timeMs}
        firstOrdering={{ columnId: 'time', isDescending: true }}
        height="360px"
      />
      <Hint fz="xs">{texts.thinned}</Hint>
    </Stack>
  )
}

const PAGE_SIZE = 10_000

/** Every value of the lines in view, not only those that the chart needs. */
export function historyCsv(
  vehicle: Vehicle,
  eventTypes: readonly string[],
  view: TimeView,
  texts: Texts<'history'>,
): ExportSource {
  const { from, to } = customRange(view)
  const range = { fromTimestamp: from, toTimestamp: to }
  const query = { vehicleId: vehicle.id, eventType: eventTypes.join(','), ...range, maxResults: PAGE_SIZE }
  return {
    fileName: fileNameOf([texts.csvName, nameOf(vehicle), from.slice(0, 10)]),
    titles: texts.csvTitles(timeZoneHere()),
    pages: signal =>
      everyPage(async next => {
        const page = await askPage('GET /cc/v2.0/events', { query, next, signal })
        return { items: page.reply.map(rowOf), next: page.next }
      }, signal),
  }
}

function rowOf({ event_type, recorded_timestamp, value, unit }: EventItem): readonly ExportCell[] {
  return [
    new Date(recorded_timestamp),
    eventTypeName(event_type),
    typeof value === 'number' ? value : valueText({ eventType: event_type, value }),
    unit ?? '',
    event_type,
  ]
}
