import { Stack } from '@mantine/core'
import { useMemo } from 'react'
import type { TimeView } from '../../chart/chart-data.ts'
import { LineChart, type TimeBand } from '../../chart/line-chart.tsx'
import { useTexts } from '../../language/language.ts'
import type { HistorySeries } from './chart-series.ts'
import { stacksOf } from './stacks.ts'

/** Room for a figure with its unit, so that the charts begin below each other. */
const AXIS_PX = 84

const HEIGHT_PX = 130
const ONLY_HEIGHT_PX = 300

/** Switches are on or off. */
const SWITCH_HEIGHT_PX = 70

interface StackedChartsProps {
  readonly series: readonly HistorySeries[]
  readonly view: TimeView
  /** When the car was on a trip. */
  readonly trips: readonly TimeBand[]
  readonly from: string
  readonly to: string
  readonly onView: (view: TimeView) => void
  readonly onReset: () => void
  readonly onPoint: (timeMs: number | undefined) => void
}

/** A small chart for each unit, one below the other over the same time. */
export function StackedCharts({ series, view, trips, from, to, ...handlers }: StackedChartsProps) {
  const texts = useTexts('history')
  const stacks = useMemo(() => stacksOf(series), [series])
  const rest = stacks.length === 1 ? ONLY_HEIGHT_PX : HEIGHT_PX
  return (
    <Stack gap={4}>
      {stacks.map(({ key, isSwitch, lines }, index) => (
        <LineChart
          key={key}
          series={lines}
          fromMs={view.fromMs}
          toMs={view.toMs}
          heightPx={isSwitch ? SWITCH_HEIGHT_PX : rest}
          axisPx={AXIS_PX}
          hasTimes={index === stacks.length - 1}
          label={texts.chartLabel(lines.map(line => line.name).join(', '), from, to)}
          bands={trips}
          {...handlers}
        />
      ))}
    </Stack>
  )
}
