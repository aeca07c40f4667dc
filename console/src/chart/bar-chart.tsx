import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme, useMantineTheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useEffect, useEffectEvent, useMemo, useRef } from 'react'
import uPlot from 'uplot'
import { shownUnit, useLanguage } from '../language/language.ts'
import { axisLooks, lineColor, valueTicks } from './chart-options.ts'

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

/** Bars from zero, in the colours and formats of the console, as wide as its place. */
export function BarChart({ names, heightPx, label, onPoint, ...given }: BarChartProps) {
  const { unit, convert } = shownUnit(given.unit)
  const values = useMemo(() => given.values.map(convert), [given.values, convert])
  const { ref: place, width } = useElementSize<HTMLDivElement>()
  const canvas = useRef<HTMLDivElement>(null)
  const shown = useRef<uPlot>(undefined)
  const theme = useMantineTheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  const language = useLanguage()
  const point = useEffectEvent((index: number | undefined) => onPoint(index))
  const latest = useEffectEvent(() => ({ data: columnsOf(values), names, count: values.length }))

  useEffect(() => {
    if (!canvas.current || width === 0) return
    const color = lineColor(theme, isDark, 0)
    const axis = axisLooks(theme, isDark)
    const bars = uPlot.paths.bars?.({ size: [0.7, 64, 1], radius: 0.1 })
    const chart = new uPlot(
      {
        width,
        height: heightPx,
        legend: { show: false },
        padding: [8, 12, 0, 0],
        cursor: { drag: { x: false, y: false }, y: false, points: { show: false } },
        scales: {
          x: { time: false, range: () => [-0.5, latest().count - 0.5] },
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
            values: (_chart, indexes) => indexes.map(index => latest().names[index] ?? ''),
          },
          {
            ...axis,
            size: 72,
            gap: 4,
            space: 32,
            values: (_chart, ticks) => valueTicks(ticks, unit),
          },
        ],
        series: [
          {},
          {
            label: unit,
            fill: color,
            stroke: color,
            width: 0,
            points: { show: false },
            ...(bars ? { paths: bars } : {}),
          },
        ],
        hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? undefined)] },
      },
      latest().data,
      canvas.current,
    )
    shown.current = chart
    return () => {
      shown.current = undefined
      chart.destroy()
    }
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- axes are written in the language
  }, [unit, theme, isDark, language, width, heightPx])

  useEffect(() => {
    shown.current?.setData(columnsOf(values))
  }, [values])
  return (
    <div ref={place} role="img" aria-label={label} style={{ height: heightPx }}>
      <div ref={canvas} />
    </div>
  )
}

function columnsOf(values: readonly number[]): [number[], number[]] {
  return [values.map((_value, index) => index), [...values]]
}
