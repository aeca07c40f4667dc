import type { ChartSeries } from '../../chart/chart-data.ts'
import type { Language } from '../../language/language.ts'
import { booleanText, eventTypeName, valueText } from '../../measurements/measurement.ts'
import type { MeasuredSeries } from './series-query.ts'
import { bucketMsOf } from './time-window.ts'

/** The slowest interval of the contract is 300 s (fleet-api-v2.md, *Events*); twice as long without a value is a gap. */
const GAP_MS = 10 * 60_000

/** A switch is reported when it changes, and again when the dongle of a parked car wakes up now and then. */
const SWITCH_GAP_MS = 26 * 3_600_000

/** A line of the chart, and what it is of. */
export interface HistorySeries extends ChartSeries {
  readonly eventType: string
}

export function chartSeriesOf(
  { eventType, unit, isSwitch, window, timesMs, values }: MeasuredSeries,
  language: Language,
  isHidden: boolean,
): HistorySeries {
  return {
    eventType,
    name: eventTypeName(eventType, language),
    unit,
    isSwitch,
    isHidden,
    timesMs,
    values,
    gapMs: Math.max(isSwitch ? SWITCH_GAP_MS : GAP_MS, bucketMsOf(window)),
  }
}

/** A value of a line in words, with its unit. */
export function seriesValueText(
  { eventType, unit, isSwitch }: HistorySeries,
  value: number,
  language: Language,
): string {
  return isSwitch ? booleanText(eventType, value > 0, language) : valueText({ eventType, value, unit }, language)
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
