import type { MantineTheme } from '@mantine/core'
import uPlot from 'uplot'
import { wallClock } from '../calendar/days.ts'
import { dateFormat, formatNumber, formatQuantity, timeZoneHere } from '../language/language.ts'

/** Distinguishable with colour vision deficiency, too, in light and dark (Okabe and Ito's order of hues). */
const LINE_COLORS = ['cyan', 'orange', 'violet', 'green', 'pink', 'blue'] as const

/** Each axis takes room from the lines. Lines on a scale without one are read at the pointer. */
const MOST_AXES = 3
const MOST_AXES_NARROW = 2
const NARROW_PX = 600

/** The width of a figure of 12 pixels; tick and gap are beside it. */
const CHARACTER_PX = 7
const AXIS_SPACE_PX = 12
const LEAST_CHARACTERS = 3

/** The scale of switches: 0 and 1, with some room. */
const SWITCH_SCALE = 'switch'

export interface LineLooks {
  readonly name: string
  readonly unit: string
  readonly isSwitch: boolean
  readonly colorIndex: number
}

interface ChartLooks {
  readonly lines: readonly LineLooks[]
  readonly theme: MantineTheme
  readonly isDark: boolean
  readonly width: number
  readonly heightPx: number
  /** The seconds that are shown, called whenever the data changes. */
  readonly range: () => readonly [from: number, to: number]
  /** Where values of a line are isolated. */
  readonly lonely: (lineIndex: number) => readonly number[]
  /** Whether a range can be chosen by dragging. */
  readonly isZoomable: boolean
  /** The width of the axis on the left, for charts below each other; undefined: as wide as its figures. */
  readonly axisPx: number | undefined
  /** Whether times are shown below. */
  readonly hasTimes: boolean
}

/** The colour of the line with this index, for legends beside a chart. */
export function lineColor(theme: MantineTheme, isDark: boolean, index: number): string {
  const hue = LINE_COLORS[index % LINE_COLORS.length] ?? 'cyan'
  return theme.colors[hue][isDark ? 4 : 8]
}

/** How the axes of all charts look. */
export function axisLooks({ colors, fontFamily }: MantineTheme, isDark: boolean) {
  const line = { stroke: isDark ? colors.dark[5] : colors.gray[2], width: 1 }
  const stroke = isDark ? colors.dark[1] : colors.gray[7]
  return { stroke, font: `12px ${fontFamily}`, grid: line, ticks: { ...line, size: 4 } }
}

/** The texts of an axis of values: the uppermost one has the unit. */
export function valueTicks(values: readonly number[], unit: string): string[] {
  return values.map((value, at) => (at === values.length - 1 ? formatQuantity(value, unit, 2) : formatNumber(value, 2)))
}

/** Options of uPlot for a chart: a scale and an axis for each unit, colours and formats of the console. */
export function chartOptions(looks: ChartLooks): uPlot.Options {
  const { lines, theme, isDark, width, heightPx, range, lonely, isZoomable, axisPx, hasTimes } = looks
  const units = [...new Set(lines.filter(line => !line.isSwitch).map(line => line.unit))]
  const axes = units.slice(0, width < NARROW_PX ? MOST_AXES_NARROW : MOST_AXES)
  const axis = axisLooks(theme, isDark)
  return {
    width,
    height: heightPx,
    legend: { show: false },
    tzDate: seconds => uPlot.tzDate(new Date(seconds * 1000), timeZoneHere()),
    padding: [8, 24, 0, axes.length === 0 ? (axisPx ?? 0) : 0],
    cursor: {
      drag: { x: isZoomable, y: false, setScale: false },
      points: { size: 7 },
      bind: {
        // Dragging with Shift is for panning, and the double-click is handled by the owner of the range.
        mousedown: (_chart, _target, handler) => event => (event.shiftKey ? null : handler(event)),
        dblclick: () => null,
      },
    },
    scales: {
      x: { time: true, range: () => [...range()] as [number, number] },
      [SWITCH_SCALE]: { range: [-0.05, 1.05] },
      ...Object.fromEntries(
        axes.map(unit => [
          scaleOf(unit),
          { range: (_chart: uPlot, min: number, max: number) => valueRange(min, max, unit) },
        ]),
      ),
    },
    axes: [
      {
        ...axis,
        size: hasTimes ? 24 : 6,
        gap: 2,
        space: 70,
        values: (_chart, seconds) =>
          seconds.map((second, index) => (hasTimes ? timeTick(second, seconds[index - 1]) : '')),
      },
      ...axes.map(
        (unit, index): uPlot.Axis => ({
          ...axis,
          ...(index === 0 ? {} : { grid: { show: false } }),
          scale: scaleOf(unit),
          side: index === 0 ? 3 : 1,
          gap: 4,
          size: (_chart, texts) => (index === 0 ? axisPx : undefined) ?? roomFor(texts),
          space: 24,
          values: (_chart, values) => valueTicks(values, unit),
        }),
      ),
    ],
    series: [
      {},
      ...lines.map(({ name, unit, isSwitch, colorIndex }, index): uPlot.Series => {
        const color = lineColor(theme, isDark, colorIndex)
        return {
          label: name,
          scale: isSwitch ? SWITCH_SCALE : scaleOf(unit),
          stroke: color,
          width: 1.5,
          points: { show: false, filter: () => [...lonely(index)], size: 4, fill: color, width: 0 },
          ...(isSwitch && uPlot.paths.stepped
            ? { paths: uPlot.paths.stepped({ align: 1 }), fill: `${color}1f`, fillTo: 0 }
            : {}),
        }
      }),
    ],
  }
}

/** uPlot has a scale `x` of its own. */
function scaleOf(unit: string): string {
  return `in ${unit}`
}

/** How wide an axis is for its texts, which uPlot does not know in the first round. */
function roomFor(texts: readonly string[] | null): number {
  const longest = Math.max(...(texts ?? []).map(({ length }) => length), LEAST_CHARACTERS)
  return longest * CHARACTER_PX + AXIS_SPACE_PX
}

/** The text under a tick of a time axis: the day where it begins, else the time, with seconds only where they differ. */
function timeTick(second: number, before: number | undefined): string {
  const timeMs = second * 1000
  const isDay = wallClock(timeMs).getTime() % 86_400_000 === 0
  if (isDay) return dateFormat({ day: 'numeric', month: 'short' }).format(timeMs)
  const isFine = second % 60 !== 0 || (before !== undefined && second - before < 60)
  const clock = { hour: '2-digit', minute: '2-digit', ...(isFine && { second: '2-digit' as const }) } as const
  return dateFormat(clock).format(timeMs)
}

/** Units of what is measured from nothing, not from where it happens to be. */
const FROM_NOTHING = new Set(['km/h', 'mph', '1/min', 'l', 'l/h', 'kWh', 'Ah'])

/**
 * The range of an axis: a little beyond what is drawn. A value that never changes is in the middle of a
 * tenth of itself, where the library would show everything from nothing to twice as much.
 *
 * A share is of a whole, and what is measured from nothing begins there: a speed that falls by a tenth is not to look like a
 * car that stops.
 *
 * @param min the lowest value in view; null when there is none
 * @param unit as the API names it
 */
export function valueRange(min: number | null, max: number | null, unit = ''): [from: number, to: number] {
  if (unit === '%' && (min ?? 0) >= 0 && (max ?? 0) <= 100) return [0, 100]
  if (min === null || max === null) return [0, 1]
  if (FROM_NOTHING.has(unit) && min >= 0) return [0, max === 0 ? 1 : max * 1.05]
  const room = min === max ? Math.max(Math.abs(min) / 20, 0.5) : (max - min) / 20
  // What is never negative does not begin below nothing.
  return [min >= 0 ? Math.max(0, min - room) : min - room, max + room]
}
