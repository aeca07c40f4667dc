/** A time range in milliseconds since 1970: start inclusive, end exclusive; infinite where it is open. */
export interface TimeRange {
  readonly fromMs: number
  readonly toMs: number
}

export function isIn({ fromMs, toMs }: TimeRange, timeMs: number): boolean {
  return fromMs <= timeMs && timeMs < toMs
}

export function overlap(a: TimeRange, b: TimeRange): boolean {
  return a.fromMs < b.toMs && b.fromMs < a.toMs
}

/** The range, with its other fields, clipped to the bounds; undefined when nothing is left. */
export function clippedTo<Range extends TimeRange>(bounds: TimeRange, range: Range): Range | undefined {
  const fromMs = Math.max(range.fromMs, bounds.fromMs)
  const toMs = Math.min(range.toMs, bounds.toMs)
  return fromMs < toMs ? { ...range, fromMs, toMs } : undefined
}

/** From the first start to the last end; nothing without intervals. */
export function extentOf(intervals: readonly TimeRange[]): TimeRange {
  let fromMs = Number.POSITIVE_INFINITY
  let toMs = Number.NEGATIVE_INFINITY
  for (const interval of intervals) {
    fromMs = Math.min(fromMs, interval.fromMs)
    toMs = Math.max(toMs, interval.toMs)
  }
  return { fromMs, toMs }
}

export const HOUR_MS = 3_600_000
/** Of UTC, which has no days of another length. */
export const DAY_MS = 24 * HOUR_MS
/** Weeks begin on Monday 00:00 UTC, as in ISO 8601. */
export const WEEK_MS = 7 * DAY_MS
const FIRST_MONDAY_MS = Date.UTC(1970, 0, 5)

export function weekStartMs(timeMs: number): number {
  return Math.floor((timeMs - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS
}
