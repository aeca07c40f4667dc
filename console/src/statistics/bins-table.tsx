import { useMemo } from 'react'
import { formatDistance, formatDuration, formatNumber } from '../language/format.ts'
import { type Language, type Texts, useLanguage, useTexts } from '../language/language.ts'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import type { Subject } from './statistics-search.ts'
import type { Bin } from './summaries.ts'

interface BinsTableProps {
  readonly bins: readonly Bin[]
  /** Of the bins, in full. */
  readonly names: readonly string[]
  readonly subject: Subject
  readonly label: string
}

interface BinRow extends Bin {
  readonly name: string
}

/** What the bars of a chart say, and more of the same trips. */
export function BinsTable({ bins, names, subject, label }: BinsTableProps) {
  const texts = useTexts('statistics')
  const language = useLanguage()
  const rows = useMemo(() => bins.map((bin, index): BinRow => ({ ...bin, name: names[index] ?? '' })), [bins, names])
  const columns = useMemo(() => columnsOf(subject, texts, language), [subject, texts, language])
  return (
    <DataTable
      label={label}
      rows={rows}
      columns={columns}
      keyOf={row => row.startMs}
      firstOrdering={{ columnId: 'start', isDescending: true }}
      height="320px"
    />
  )
}

function columnsOf(subject: Subject, texts: Texts<'statistics'>, language: Language): readonly Column<BinRow>[] {
  const format = (value: number, ofSubject: Subject) =>
    ofSubject === 'distance' ? formatDistance(value, language) : formatDuration(value)
  const sums = (['distance', 'duration'] as const).map(
    (sum): Column<BinRow> => ({
      id: sum,
      title: texts[sum],
      isNumeric: true,
      order: row => row.summary[sum].sum,
      cell: row => format(row.summary[sum].sum, sum),
    }),
  )
  const perTrip = (['average', 'most', 'least'] as const).map(
    (measure): Column<BinRow> => ({
      id: measure,
      title: texts[measure],
      isNumeric: true,
      order: row => (row.summary.trips === 0 ? undefined : row.summary[subject][measure]),
      cell: row => (row.summary.trips === 0 ? '–' : format(row.summary[subject][measure], subject)),
    }),
  )
  return [
    { id: 'start', title: texts.period, order: row => row.startMs, cell: row => row.name },
    ...sums,
    {
      id: 'trips',
      title: texts.trips,
      isNumeric: true,
      order: row => row.summary.trips,
      cell: row => formatNumber(row.summary.trips, language),
    },
    ...perTrip,
  ]
}
