import { Stack, Text } from '@mantine/core'
import { useMemo } from 'react'
import { askPage } from '../../api/request.ts'
import type { EventItem } from '../../api/types.ts'
import type { TimeView } from '../../chart/chart-data.ts'
import { type ExportCell, type ExportSource, everyPage } from '../../export/files.ts'
import { formatDate, formatTime, type Texts, timeZoneHere, useTexts } from '../../language/language.ts'
import { eventTypeName, valueText } from '../../measurements/measurement.ts'
import type { Column } from '../../table/column.ts'
import { DataTable } from '../../table/data-table.tsx'
import { type HistoryRow, type HistorySeries, rowsOf, seriesValueText } from './history-series.ts'

interface HistoryTableProps {
  readonly series: readonly HistorySeries[]
  readonly view: TimeView
}

/** What the chart shows, in numbers. */
export function HistoryTable({ series, view }: HistoryTableProps) {
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
      <Text fz="xs" c="dimmed">
        {texts.thinned}
      </Text>
    </Stack>
  )
}

const PAGE_SIZE = 10_000

interface HistoryExport {
  readonly vehicleId: string
  readonly eventTypes: readonly string[]
  readonly view: TimeView
  readonly fileName: string
  readonly texts: Texts<'history'>
}

/** Every value of the lines in view, not only those that the chart needs. */
export function historyCsv({ vehicleId, eventTypes, view, fileName, texts }: HistoryExport): ExportSource {
  const query = {
    vehicleId,
    eventType: eventTypes.join(','),
    fromTimestamp: new Date(view.fromMs).toISOString(),
    toTimestamp: new Date(view.toMs).toISOString(),
    maxResults: PAGE_SIZE,
  }
  return {
    fileName,
    titles: texts.csvTitles(timeZoneHere()),
    pages: async function* (signal) {
      const pages = everyPage(async next => {
        const page = await askPage('GET /cc/v2.0/events', { query, next, signal })
        return { items: page.reply, next: page.next }
      }, signal)
      for await (const events of pages) yield events.map(event => rowOf(event))
    },
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
