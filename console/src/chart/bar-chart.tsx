import { useMemo, useRef } from 'react'
import uPlot from 'uplot'
import { shownUnit } from '../language/language.ts'
import { Plot } from './plot.tsx'

interface BarChartProps {
  readonly values: readonly number[]
  /** The label under each bar; those without room are left out. */
  readonly names: readonly string[]
  /** Of the values, as the API names it. */
  readonly unit: string
  readonly heightPx: number
  /** What the chart shows, for screen readers. */
  readonly label: string
  /** Called with the index of the bar that is pointed at, and with undefined when none is any more. */
  readonly onPoint: (index: number | undefined) => void
}

/** Bars from zero. */
export function BarChart({ values, names, heightPx, label, onPoint, unit: measuredIn }: BarChartProps) {
  const { unit } = shownUnit(measuredIn)
  const data = useMemo(
    (): uPlot.AlignedData => [values.map((_, index) => index), values.map(shownUnit(measuredIn).convert)],
    [values, measuredIn],
  )
  const chart = useRef<uPlot>(undefined)
  return (
    <Plot
      chartRef={chart}
      data={data}
      looks={JSON.stringify([unit, names])}
      heightPx={heightPx}
      label={label}
      hooks={{ setCursor: ({ cursor }) => onPoint(cursor.idx ?? undefined) }}
      options={({ axis, valueAxis, colorOf }) => ({
        padding: [8, 12, 0, 0],
        cursor: { drag: { x: false, y: false }, y: false, points: { show: false } },
        scales: {
          x: { time: false, range: ({ data: [indexes] }) => [-0.5, indexes.length - 0.5] },
          y: { range: (_chart, _least, most) => [0, most > 0 ? most * 1.05 : 1] },
        },
        axes: [
          {
            ...axis,
            size: 28,
            gap: 4,
            space: 60,
            // Bars are counted, so there is nothing between them to name.
            incrs: [1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 100],
            grid: { show: false },
            ticks: { show: false },
            values: (_chart, indexes) => indexes.map(index => names[index] ?? ''),
          },
          valueAxis(unit),
        ],
        series: [
          {},
          {
            fill: colorOf(0),
            stroke: colorOf(0),
            width: 0,
            points: { show: false },
            ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.7, 64, 1], radius: 0.1 }) }),
          },
        ],
      })}
    />
  )
}
