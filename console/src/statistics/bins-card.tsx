import { Card, Group, SegmentedControl, Select, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { BarChart } from '../chart/bar-chart.tsx'
import { formatDistance, formatDuration, formatNumber, type Texts, useTexts } from '../language/language.ts'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import { type BinSize, longBinNames, shortBinNames } from './bins.ts'
import { MEASURES, type StatisticsSearch, SUBJECTS, type Subject } from './statistics-search.ts'
import { type Bin, together } from './summaries.ts'

const CHART_PX = 280

interface BinsCardProps {
  readonly bins: readonly Bin[]
  readonly size: BinSize
  readonly search: StatisticsSearch
  readonly onChange: (search: StatisticsSearch) => void
}

/** The bins of the period as bars or as a table. */
export function BinsCard({ bins, size, search, onChange }: BinsCardProps) {
  const texts = useTexts('statistics')
  const [form, setForm] = useState<'chart' | 'table'>('chart')
  const [pointed, setPointed] = useState<number>()
  const { subject = 'distance', measure = 'sum' } = search
  const inUnit = useMemo(
    () =>
      scaled(
        bins.map(bin => bin.summary[subject][measure]),
        subject === 'distance',
      ),
    [bins, subject, measure],
  )
  const startsMs = useMemo(() => bins.map(({ startMs }) => startMs), [bins])
  const [short, long] = useMemo(
    () => [shortBinNames(startsMs, size), longBinNames(startsMs, size, texts.week)],
    [startsMs, size, texts],
  )
  const all = useMemo(() => together(bins.map(({ summary }) => summary)), [bins])
  const format = (value: number) => (subject === 'distance' ? formatDistance(value) : formatDuration(value))
  const shownBin = pointed === undefined ? undefined : bins[pointed]
  const what = `${texts.subjects[subject]}, ${texts.measures[measure]}`
  return (
    <Card withBorder p="md">
      <Group gap="sm" mb="sm">
        <SegmentedControl
          aria-label={texts.subject}
          value={subject}
          onChange={chosen => onChange({ ...search, subject: chosen })}
          data={SUBJECTS.map(value => ({ value, label: texts.subjects[value] }))}
        />
        <Select
          aria-label={texts.measure}
          data={MEASURES.map(value => ({ value, label: texts.measures[value] }))}
          value={measure}
          allowDeselect={false}
          onChange={chosen => onChange({ ...search, measure: chosen ?? undefined })}
          w={160}
        />
        <SegmentedControl
          aria-label={texts.form}
          value={form}
          onChange={setForm}
          data={(['chart', 'table'] as const).map(value => ({ value, label: texts.forms[value] }))}
          ml={{ sm: 'auto' }}
        />
      </Group>
      {form === 'table' ? (
        <BinsTable bins={bins} names={long} subject={subject} label={what} />
      ) : (
        <>
          <BarChart
            {...inUnit}
            names={short}
            heightPx={CHART_PX}
            label={texts.chart(what, bins.length, format(all[subject][measure]))}
            onPoint={setPointed}
          />
          <Text fz="sm" ta="center" mt="xs" c={shownBin ? undefined : 'dimmed'} aria-hidden>
            {shownBin ? `${long[pointed ?? 0]}: ${format(shownBin.summary[subject][measure])}` : texts.pointHint}
          </Text>
        </>
      )}
    </Card>
  )
}

const SECONDS = { h: 3600, min: 60 } as const

/** Durations in hours when there are some, else in minutes. */
function scaled(values: readonly number[], isDistance: boolean) {
  if (isDistance) return { values, unit: 'km' }
  const most = values.reduce((before, value) => Math.max(before, value), 0)
  const unit = most >= 2 * SECONDS.h ? 'h' : 'min'
  return { values: values.map(value => value / SECONDS[unit]), unit }
}

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
function BinsTable({ bins, names, subject, label }: BinsTableProps) {
  const texts = useTexts('statistics')
  const rows = useMemo(() => bins.map((bin, index): BinRow => ({ ...bin, name: names[index] ?? '' })), [bins, names])
  const columns = useMemo(() => columnsOf(subject, texts), [subject, texts])
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

function columnsOf(subject: Subject, texts: Texts<'statistics'>): readonly Column<BinRow>[] {
  const format = (value: number, ofSubject: Subject) =>
    ofSubject === 'distance' ? formatDistance(value) : formatDuration(value)
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
      cell: row => formatNumber(row.summary.trips),
    },
    ...perTrip,
  ]
}
