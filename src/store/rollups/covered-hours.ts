import { clippedTo, type TimeRange } from '../../model/time-range.ts'
import { DAY_MS } from '../sealed/days.ts'
import { HOUR_MS, hourStartMs } from './hour-rollup.ts'

/** Intervals, divided into what rollups say all of, and what is left to be read from samples. */
interface Covered<Interval extends TimeRange> {
  /** Whole hours, ascending. */
  readonly covered: readonly TimeRange[]
  readonly left: readonly Interval[]
}

/**
 * Divides intervals by days that have rollups.
 * @param intervals of one device, which do not overlap, ascending
 * @param daysMs the starts of the days, ascending
 * @param liesIn whether all that an hour has lies in an interval that begins or ends within the hour
 */
export function coverHours<Interval extends TimeRange>(
  intervals: readonly Interval[],
  daysMs: readonly number[],
  liesIn: (hourMs: number, interval: Interval) => boolean,
): Covered<Interval> {
  const covered: TimeRange[] = []
  const left: Interval[] = []
  for (const interval of intervals) {
    const hours = wholeHours(interval, liesIn)
    let { fromMs } = interval
    for (const dayMs of daysMs) {
      const part = clippedTo(hours, { fromMs: dayMs, toMs: dayMs + DAY_MS })
      if (!part) continue
      if (fromMs < part.fromMs) left.push({ ...interval, fromMs, toMs: part.fromMs })
      covered.push(part)
      fromMs = part.toMs
    }
    if (fromMs < interval.toMs) left.push({ ...interval, fromMs })
  }
  return { covered, left }
}

function wholeHours<Interval extends TimeRange>(
  interval: Interval,
  liesIn: (hourMs: number, interval: Interval) => boolean,
): TimeRange {
  const [firstMs, lastMs] = [hourStartMs(interval.fromMs), hourStartMs(interval.toMs)]
  return {
    fromMs: firstMs === interval.fromMs || liesIn(firstMs, interval) ? firstMs : firstMs + HOUR_MS,
    toMs: lastMs === interval.toMs || !liesIn(lastMs, interval) ? lastMs : lastMs + HOUR_MS,
  }
}
