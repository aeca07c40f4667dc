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
