import { Card, Group, SegmentedControl, Select, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { BarChart } from '../chart/bar-chart.tsx'
import { formatDistance, formatDuration, formatNumber, type Texts, useTexts } from '../language/language.ts'
import { type Column, numberColumn } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import { type BinSize, longBinName, shortBinName } from './bins.ts'
import { MEASURES, type StatisticsSearch, SUBJECTS, type Subject } from './statistics-search.ts'
import type { Bin, Summary } from './summaries.ts'

const CHART_PX = 280

const FORMATS = { distance: formatDistance, duration: formatDuration } as const

interface BinsCardProps {
  readonly bins: readonly Bin[]
  /** All bins together. */
  readonly all: Summary
  readonly size: BinSize
  readonly search: StatisticsSearch
  readonly onChange: (search: StatisticsSearch) => void
}

/** The bins of the period as bars or as a table. */
export function BinsCard({ bins, all, size, search, onChange }: BinsCardProps) {
  const texts = useTexts('statistics')
  const [form, setForm] = useState<'chart' | 'table'>('chart')
  const [pointed, setPointed] = useState<number>()
  const { subject = 'distance', measure = 'sum' } = search
  const bars = useMemo(
    () => ({
      ...scaled(
        bins.map(bin => bin.summary[subject][measure]),
        subject,
      ),
      names: bins.map(({ startMs }) => shortBinName(startMs, size)),
    }),
    [bins, subject, measure, size],
  )
  const columns = useMemo(() => columnsOf(subject, size, texts), [subject, size, texts])
  const textOf = (summary: Summary) => FORMATS[subject](summary[subject][measure])
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
        <DataTable
          label={what}
          rows={bins}
          columns={columns}
          keyOf={bin => bin.startMs}
          firstOrdering={{ columnId: 'start', isDescending: true }}
          height="320px"
        />
      ) : (
        <>
          <BarChart
            {...bars}
            heightPx={CHART_PX}
            label={texts.chart(what, bins.length, textOf(all))}
            onPoint={setPointed}
          />
          <Text fz="sm" ta="center" mt="xs" c={shownBin ? undefined : 'dimmed'} aria-hidden>
            {shownBin
              ? `${longBinName(shownBin.startMs, size, texts.week)}: ${textOf(shownBin.summary)}`
              : texts.pointHint}
          </Text>
        </>
      )}
    </Card>
  )
}

const SECONDS = { h: 3600, min: 60 } as const

/** Durations in hours when there are some, else in minutes. */
function scaled(values: readonly number[], subject: Subject) {
  if (subject === 'distance') return { values, unit: 'km' }
  const most = values.reduce((before, value) => Math.max(before, value), 0)
  const unit = most >= 2 * SECONDS.h ? 'h' : 'min'
  return { values: values.map(value => value / SECONDS[unit]), unit }
}

/** What the bars of a chart say, and more of the same trips. */
function columnsOf(subject: Subject, size: BinSize, texts: Texts<'statistics'>): readonly Column<Bin>[] {
  const sums = SUBJECTS.map(sum => numberColumn<Bin>(sum, texts[sum], ({ summary }) => summary[sum].sum, FORMATS[sum]))
  const perTrip = (['average', 'most', 'least'] as const).map(measure =>
    numberColumn<Bin>(
      measure,
      texts[measure],
      ({ summary }) => (summary.trips === 0 ? undefined : summary[subject][measure]),
      FORMATS[subject],
    ),
  )
  return [
    {
      id: 'start',
      title: texts.period,
      order: bin => bin.startMs,
      cell: bin => longBinName(bin.startMs, size, texts.week),
    },
    ...sums,
    numberColumn('trips', texts.trips, bin => bin.summary.trips, formatNumber),
    ...perTrip,
  ]
}
