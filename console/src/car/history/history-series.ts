import type { ChartSeries, TimeView } from '../../chart/chart-data.ts'
import { booleanText, eventTypeName, valueText } from '../../measurements/measurement.ts'

/** The measured values of one event type in a window; switches are 0 and 1. */
export interface MeasuredSeries {
  readonly eventType: string
  readonly unit: string
  readonly isSwitch: boolean
  readonly window: TimeView
  readonly timesMs: readonly number[]
  readonly values: readonly number[]
}

/** Values that one series has at most in a window: more than two for each pixel of a usual chart. */
export const MOST_POINTS = 8000

/** The service keeps up to four values of each of its buckets (docs of `maxPoints`). */
const POINTS_OF_A_BUCKET = 4

const HOUR_MS = 3_600_000
/** From this length on, its buckets are whole hours, beginning at a full hour. */
const HOURLY_FROM_MS = 2 * HOUR_MS

/** Windows begin and end at multiples of this share of their view's length. */
const STEPS_OF_A_VIEW = 4

/**
 * The range to fetch for a view: with room on both sides for panning, and rounded, so that views close to
 * each other use the same range and find it in the cache.
 */
export function windowOf({ fromMs, toMs }: TimeView): TimeView {
  const stepMs = 2 ** Math.ceil(Math.log2(toMs - fromMs)) / STEPS_OF_A_VIEW
  return {
    fromMs: (Math.floor(fromMs / stepMs) - 1) * stepMs,
    toMs: (Math.ceil(toMs / stepMs) + 1) * stepMs,
  }
}

/** The length of a bucket of the thinned window: neighbours that are closer may have had others between them. */
export function bucketMsOf({ fromMs, toMs }: TimeView): number {
  const buckets = MOST_POINTS / POINTS_OF_A_BUCKET
  const bucketMs = Math.ceil((toMs - fromMs) / buckets)
  if (bucketMs < HOURLY_FROM_MS) return bucketMs
  return Math.ceil((toMs - Math.floor(fromMs / HOUR_MS) * HOUR_MS) / buckets / HOUR_MS) * HOUR_MS
}

/** The slowest interval of the contract is 300 s (fleet-api-v2.md, *Events*); twice as long without a value is a gap. */
const GAP_MS = 10 * 60_000

/** A switch is reported when it changes, and again when the dongle of a parked car wakes up now and then. */
const SWITCH_GAP_MS = 26 * 3_600_000

/** A line of the chart, and what it is of. */
export interface HistorySeries extends ChartSeries {
  readonly eventType: string
  readonly isHidden?: boolean
}

export function chartSeriesOf({ window, ...measured }: MeasuredSeries, isHidden: boolean): HistorySeries {
  const gapMs = Math.max(measured.isSwitch ? SWITCH_GAP_MS : GAP_MS, bucketMsOf(window))
  return { ...measured, name: eventTypeName(measured.eventType), isHidden, gapMs }
}

/** A value of a line in words, with its unit. */
export function seriesValueText({ eventType, unit, isSwitch }: HistorySeries, value: number): string {
  return isSwitch ? booleanText(eventType, value > 0) : valueText({ eventType, value, unit })
}

/** A row of the table: an instant and what each line had measured at it. */
export interface HistoryRow {
  readonly timeMs: number
  readonly values: readonly (number | undefined)[]
}

/** Rows for every instant of the range at which any of the lines has a value. */
export function rowsOf(series: readonly ChartSeries[], fromMs: number, toMs: number): readonly HistoryRow[] {
  const rows = new Map<number, (number | undefined)[]>()
  for (const [index, { timesMs, values }] of series.entries()) {
    for (const [at, timeMs] of timesMs.entries()) {
      if (timeMs < fromMs || timeMs > toMs) continue
      const row = rows.get(timeMs) ?? Array<number | undefined>(series.length).fill(undefined)
      row[index] = values[at]
      rows.set(timeMs, row)
    }
  }
  return [...rows].map(([timeMs, values]) => ({ timeMs, values })).toSorted((a, b) => a.timeMs - b.timeMs)
}

interface HistoryStack {
  readonly key: string
  readonly isSwitch: boolean
  readonly lines: readonly HistorySeries[]
}

/**
 * Lines of one unit share a chart, and switches do; each keeps the colour that it has in the legend. Hidden ones have none, nor
 * have those without a value beside others that have some: their axis would say nothing.
 */
export function stacksOf(series: readonly HistorySeries[]): readonly HistoryStack[] {
  const stacks = new Map<string, HistorySeries[]>()
  const isEmpty = series.every(line => line.isHidden || line.timesMs.length === 0)
  for (const [colorIndex, line] of series.entries()) {
    if (line.isHidden || (line.timesMs.length === 0 && !isEmpty)) continue
    const key = line.isSwitch ? 'switches' : `in ${line.unit}`
    const known = stacks.get(key)
    const shown = { ...line, colorIndex }
    if (known) known.push(shown)
    else stacks.set(key, [shown])
  }
  return [...stacks].map(([key, lines]) => ({ key, isSwitch: key === 'switches', lines }))
}
