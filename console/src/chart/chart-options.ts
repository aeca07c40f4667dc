import type { MantineTheme } from '@mantine/core'
import type uPlot from 'uplot'
import { formatNumber, formatQuantity } from '../language/format.ts'
import type { Language } from '../language/language.ts'
import { timeTick } from './time-ticks.ts'

/** Told apart by people who see colours differently too, in light and dark (Okabe and Ito's order of hues). */
const LINE_COLORS = ['cyan', 'orange', 'violet', 'green', 'pink', 'blue'] as const

interface ChartLooks {
  readonly lines: readonly (readonly [name: string, unit: string])[]
  readonly theme: MantineTheme
  readonly isDark: boolean
  readonly language: Language
  readonly width: number
  readonly heightPx: number
  /** The seconds that are shown, asked for whenever the data changes. */
  readonly range: () => readonly [from: number, to: number]
}

/** The colour of the line with this index, for legends beside a chart. */
export function lineColor(theme: MantineTheme, isDark: boolean, index: number): string {
  const hue = LINE_COLORS[index % LINE_COLORS.length] ?? 'cyan'
  return theme.colors[hue][isDark ? 4 : 8]
}

/** What uPlot is told about a chart: a scale and an axis for each unit, colours and formats of the console. */
export function chartOptions({ lines, theme, isDark, language, width, heightPx, range }: ChartLooks): uPlot.Options {
  const text = isDark ? theme.colors.dark[1] : theme.colors.gray[7]
  const grid = isDark ? theme.colors.dark[5] : theme.colors.gray[2]
  const units = [...new Set(lines.map(([, unit]) => unit))]
  const font = `12px ${theme.fontFamily}`
  const axis = { stroke: text, font, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1, size: 4 } }
  return {
    width,
    height: heightPx,
    legend: { show: false },
    padding: [8, 12, 0, 0],
    cursor: { drag: { x: false, y: false }, points: { size: 7 } },
    scales: { x: { time: true, range: () => [...range()] as [number, number] } },
    axes: [
      {
        ...axis,
        size: 24,
        gap: 2,
        space: 70,
        values: (_chart, seconds) => seconds.map((second, index) => timeTick(second, seconds[index - 1], language)),
      },
      ...units.map(
        (unit, index): uPlot.Axis => ({
          ...axis,
          ...(index === 0 ? {} : { grid: { show: false } }),
          scale: scaleOf(unit),
          side: index === 0 ? 3 : 1,
          gap: 4,
          size: 64,
          space: 24,
          values: (_chart, values) =>
            values.map((value, at) =>
              at === values.length - 1 ? formatQuantity(value, unit, language, 2) : formatNumber(value, language, 2),
            ),
        }),
      ),
    ],
    series: [
      {},
      ...lines.map(
        ([name, unit], index): uPlot.Series => ({
          label: name,
          scale: scaleOf(unit),
          stroke: lineColor(theme, isDark, index),
          width: 1.5,
          points: { show: false },
        }),
      ),
    ],
  }
}

/** uPlot has a scale `x` of its own. */
function scaleOf(unit: string): string {
  return `in ${unit}`
}
