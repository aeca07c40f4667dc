import { Card, Group, SegmentedControl, Select, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { BarChart } from '../chart/bar-chart.tsx'
import { formatDistance, formatDuration } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { longBinNames, shortBinNames } from './bin-name.ts'
import type { BinSize } from './bins.ts'
import { BinsTable } from './bins-table.tsx'
import { MEASURES, type StatisticsSearch, SUBJECTS } from './statistics-search.ts'
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
  const language = useLanguage()
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
  const short = useMemo(() => shortBinNames(startsMs, size, language), [startsMs, size, language])
  const long = useMemo(() => longBinNames(startsMs, size, language, texts.week), [startsMs, size, language, texts])
  const all = useMemo(() => together(bins.map(({ summary }) => summary)), [bins])
  const format = (value: number) => (subject === 'distance' ? formatDistance(value, language) : formatDuration(value))
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
