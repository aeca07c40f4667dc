import uPlot from 'uplot'
import { shownUnit } from '../language/language.ts'

/** One line of a chart. Times ascend. */
export interface ChartSeries {
  readonly name: string
  /** As the API names it. */
  readonly unit: string
  readonly timesMs: readonly number[]
  readonly values: readonly number[]
  /** The line is broken between neighbours that are further apart than this. */
  readonly gapMs: number
  /** A value holds until the next one, and is 0 or 1: drawn as steps, on no axis. */
  readonly isSwitch?: boolean
  /** Which of the colours it has, if not that of its place among the lines. */
  readonly colorIndex?: number
}

/** uPlot's `NULL_EXPAND`: a line is broken at every time within its gap, also at those of other lines. */
const BREAKS_ALL = 2

/**
 * Puts series with times of their own on one time line, in seconds and in the person's units. `null` breaks a line,
 * `undefined` is a time of another series that a line passes over (uPlot's own meaning of the two).
 */
export function chartColumns(series: readonly ChartSeries[]): uPlot.AlignedData {
  const tables = series.map(({ unit, timesMs, values, gapMs }): uPlot.AlignedData => {
    const { convert } = shownUnit(unit)
    const points = timesMs.flatMap((timeMs, index): (readonly [timeMs: number, value: number | null])[] => {
      const beforeMs = timesMs[index - 1] ?? timeMs
      const point = [timeMs, convert(values[index] ?? 0)] as const
      // An instant within every gap, so that there is one to break the line at.
      return timeMs - beforeMs > gapMs ? [[(beforeMs + timeMs) / 2, null], point] : [point]
    })
    return [points.map(([timeMs]) => timeMs / 1000), points.map(([, value]) => value)]
  })
  return uPlot.join(
    tables,
    tables.map(() => [BREAKS_ALL, BREAKS_ALL]),
  )
}

/** Where a value is isolated between gaps: no line leads to it, so it needs a point to be seen. */
export function lonelyIndexes(column: Iterable<number | null | undefined>): number[] {
  const measured = [...column].map((value, index) => [index, value] as const).filter(([, value]) => value !== undefined)
  const isGap = (at: number) => (measured[at]?.[1] ?? null) === null
  return measured.flatMap(([index], at) => (!isGap(at) && isGap(at - 1) && isGap(at + 1) ? [index] : []))
}

/** The value of a series at an instant: the latest one measured by then, unless that is further away than a gap. */
export function valueAt(
  { timesMs, values, gapMs }: Pick<ChartSeries, 'timesMs' | 'values' | 'gapMs'>,
  timeMs: number,
): number | undefined {
  let low = 0
  let high = timesMs.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((timesMs[middle] ?? 0) <= timeMs) low = middle + 1
    else high = middle
  }
  const measuredMs = timesMs[low - 1]
  return measuredMs !== undefined && timeMs - measuredMs <= gapMs ? values[low - 1] : undefined
}

/** The part of time that a chart shows, in milliseconds since 1970. */
export interface TimeView {
  readonly fromMs: number
  readonly toMs: number
}

/** Samples are not closer than this, and a fleet's past is not longer than that. */
const SHORTEST_MS = 10_000
const LONGEST_MS = 5 * 366 * 86_400_000

/** Nothing was measured before dongles can be right about the time (decisions.md, *Vehicles and devices*). */
const EARLIEST_MS = Date.UTC(2000, 0, 1)

/** How much of the view may lie behind the latest instant, so that the newest values do not stick to the edge. */
const BEYOND_SHARE = 0.05

/** The view with `factor` times its length; the instant `aroundMs` stays where it is. Below 1 it shows more detail. */
export function zoomed({ fromMs, toMs }: TimeView, factor: number, aroundMs: number): TimeView {
  const lengthMs = Math.min(Math.max((toMs - fromMs) * factor, SHORTEST_MS), LONGEST_MS)
  const share = (aroundMs - fromMs) / (toMs - fromMs)
  const beginMs = aroundMs - share * lengthMs
  return { fromMs: beginMs, toMs: beginMs + lengthMs }
}

export function moved({ fromMs, toMs }: TimeView, byMs: number): TimeView {
  return { fromMs: fromMs + byMs, toMs: toMs + byMs }
}

/** The view as close as possible to where something can have been measured, in whole milliseconds, as long as it was. */
export function within({ fromMs, toMs }: TimeView, latestMs: number): TimeView {
  const lengthMs = Math.round(Math.min(Math.max(toMs - fromMs, SHORTEST_MS), LONGEST_MS))
  const lastFromMs = latestMs + lengthMs * BEYOND_SHARE - lengthMs
  const beginMs = Math.round(Math.max(Math.min(fromMs, lastFromMs), EARLIEST_MS))
  return { fromMs: beginMs, toMs: beginMs + lengthMs }
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
