import { Stack, Text } from '@mantine/core'
import { useMemo } from 'react'
import type { TimeView } from '../../chart/chart-data.ts'
import { formatDate, formatTime } from '../../language/format.ts'
import { useLanguage, useTexts } from '../../language/language.ts'
import type { Column } from '../../table/column.ts'
import { DataTable } from '../../table/data-table.tsx'
import { type HistoryRow, type HistorySeries, rowsOf, seriesValueText } from './chart-series.ts'

interface HistoryTableProps {
  readonly series: readonly HistorySeries[]
  readonly view: TimeView
}

/** What the chart shows, in numbers. */
export function HistoryTable({ series, view }: HistoryTableProps) {
  const texts = useTexts('history')
  const language = useLanguage()
  const rows = useMemo(() => rowsOf(series, view.fromMs, view.toMs), [series, view])
  const columns = useMemo(
    (): readonly Column<HistoryRow>[] => [
      {
        id: 'time',
        title: texts.time,
        order: row => row.timeMs,
        cell: row => `${formatDate(row.timeMs, language)}, ${formatTime(row.timeMs, language)}`,
      },
      ...series.map((line, index) => ({
        id: line.eventType,
        title: line.name,
        isNumeric: true,
        order: (row: HistoryRow) => row.values[index],
        cell: (row: HistoryRow) => {
          const value = row.values[index]
          return value === undefined ? '' : seriesValueText(line, value, language)
        },
      })),
    ],
    [series, texts, language],
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
