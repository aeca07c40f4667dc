import { shownUnit } from '../language/language.ts'

/** One line of a chart. Times ascend. */
export interface ChartSeries {
  readonly name: string
  /** As the API names it; lines of one unit share an axis. */
  readonly unit: string
  readonly timesMs: readonly number[]
  readonly values: readonly number[]
  /** The line is broken between neighbours that are further apart than this. */
  readonly gapMs: number
  /** A value holds until the next one, and is 0 or 1: drawn as steps, on no axis. */
  readonly isSwitch?: boolean
  readonly isHidden?: boolean
  /** Which of the colours it has, if not that of its place among the lines. */
  readonly colorIndex?: number
}

/** A line in the unit in which the person reads it. */
export function inShownUnit(series: ChartSeries): ChartSeries {
  const { unit, convert } = shownUnit(series.unit)
  return unit === series.unit ? series : { ...series, unit, values: series.values.map(convert) }
}

/** Columns for uPlot: times in seconds, then the values of each series at them. */
type ChartColumns = [number[], ...(number | null | undefined)[][]]

/**
 * Puts series with times of their own on one time line. `null` breaks a line, `undefined` is a time of another series
 * that a line passes over (uPlot's own meaning of the two). uPlot breaks a line no further than to the times next to a
 * `null`, so every time within a gap has one.
 */
export function chartColumns(series: readonly ChartSeries[]): ChartColumns {
  const timesMs = [...new Set(series.flatMap(line => [...line.timesMs, ...gapMiddles(line)]))].sort((a, b) => a - b)
  return [timesMs.map(timeMs => timeMs / 1000), ...series.map(line => columnOf(line, timesMs))]
}

/** An instant within every gap, so that there is one to break the line at. */
function gapMiddles({ timesMs, gapMs }: ChartSeries): readonly number[] {
  return timesMs.flatMap((timeMs, index) => {
    const beforeMs = timesMs[index - 1] ?? timeMs
    return timeMs - beforeMs > gapMs ? [(beforeMs + timeMs) / 2] : []
  })
}

function columnOf({ timesMs, values, gapMs }: ChartSeries, allMs: readonly number[]): (number | null | undefined)[] {
  let next = 0
  return allMs.map(timeMs => {
    while ((timesMs[next] ?? Number.POSITIVE_INFINITY) < timeMs) next += 1
    const [beforeMs, afterMs] = [timesMs[next - 1], timesMs[next]]
    if (afterMs === timeMs) return values[next]
    return beforeMs !== undefined && afterMs !== undefined && afterMs - beforeMs > gapMs ? null : undefined
  })
}

/** Where a value is isolated between gaps: no line leads to it, so it needs a point to be seen. */
export function lonelyIndexes(column: readonly (number | null | undefined)[]): readonly number[] {
  const lonely: number[] = []
  let isAfterGap = true
  let candidate: number | undefined
  for (const [index, value] of column.entries()) {
    if (value === undefined) continue
    if (value === null) {
      if (candidate !== undefined) lonely.push(candidate)
      candidate = undefined
      isAfterGap = true
      continue
    }
    candidate = isAfterGap ? index : undefined
    isAfterGap = false
  }
  if (candidate !== undefined) lonely.push(candidate)
  return lonely
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
