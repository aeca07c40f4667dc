import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme, useMantineTheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useEffect, useEffectEvent, useMemo, useRef } from 'react'
import uPlot from 'uplot'
import { useLanguage } from '../language/language.ts'
import { type ChartSeries, chartColumns } from './chart-data.ts'
import { chartOptions } from './chart-options.ts'

/** An instant that moves, such as the one that a replay is at: told to the chart without drawing the page again. */
export interface MovingInstant {
  readonly timeMs: () => number
  /** @returns what ends it */
  readonly subscribe: (listener: () => void) => () => void
}

interface LineChartProps {
  readonly series: readonly ChartSeries[]
  readonly fromMs: number
  readonly toMs: number
  readonly heightPx: number
  /** What the chart shows, for those who do not see it. */
  readonly label: string
  /** Marked in the chart as it moves. */
  readonly instant?: MovingInstant
  /** Called with the instant that was clicked. */
  readonly onPick?: (timeMs: number) => void
}

/** Lines over time, in the colours and formats of the console, as wide as its place. */
export function LineChart({ series, fromMs, toMs, heightPx, label, instant, onPick }: LineChartProps) {
  const { ref: place, width } = useElementSize<HTMLDivElement>()
  const canvas = useRef<HTMLDivElement>(null)
  const theme = useMantineTheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  const language = useLanguage()
  const columns = useMemo(() => chartColumns(series), [series])
  const shown = useRef<uPlot>(undefined)
  const pick = useEffectEvent((timeMs: number) => onPick?.(timeMs))

  // What a line looks like does not depend on its values, which may change often.
  const looks = JSON.stringify(series.map(({ name, unit }) => [name, unit]))
  const latest = useEffectEvent(() => ({ columns, range: [fromMs / 1000, toMs / 1000] as const }))
  const isPickable = onPick !== undefined
  const needle = useRef<HTMLDivElement>(null)
  const moveNeedle = useEffectEvent(() => {
    const chart = shown.current
    if (!chart || !needle.current || !instant) return
    const left = chart.over.offsetLeft + chart.valToPos(instant.timeMs() / 1000, 'x')
    needle.current.style.transform = `translateX(${left}px)`
  })

  useEffect(() => {
    if (!canvas.current || width === 0) return
    const { columns: data } = latest()
    const options = chartOptions({
      lines: JSON.parse(looks) as [name: string, unit: string][],
      theme,
      isDark,
      language,
      width,
      heightPx,
      range: () => latest().range,
    })
    const chart = new uPlot(options, data, canvas.current)
    shown.current = chart
    // The same instant stands elsewhere after the chart was drawn anew.
    chart.hooks.draw = [() => moveNeedle()]
    const over = chart.over
    const onClick = (event: MouseEvent) => {
      pick(chart.posToVal(event.clientX - over.getBoundingClientRect().left, 'x') * 1000)
    }
    if (isPickable) {
      over.style.cursor = 'pointer'
      over.addEventListener('click', onClick)
    }
    return () => {
      shown.current = undefined
      chart.destroy()
    }
  }, [looks, theme, isDark, language, width, heightPx, isPickable])

  useEffect(() => {
    shown.current?.setData(columns)
  }, [columns])
  useEffect(() => {
    shown.current?.setScale('x', { min: fromMs / 1000, max: toMs / 1000 })
  }, [fromMs, toMs])

  useEffect(() => {
    if (!instant) return
    moveNeedle()
    return instant.subscribe(() => moveNeedle())
  }, [instant])

  return (
    <div ref={place} role="img" aria-label={label} style={{ position: 'relative', height: heightPx }}>
      <div ref={canvas} />
      {instant && (
        <div
          ref={needle}
          style={{
            position: 'absolute',
            top: 0,
            bottom: 24,
            left: 0,
            borderLeft: '2px solid var(--mantine-primary-color-filled)',
            pointerEvents: 'none',
          }}
        />
      )}
    </div>
  )
}
