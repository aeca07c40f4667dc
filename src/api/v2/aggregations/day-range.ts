import { instantMs } from '../../../db/values.ts'

/** A range of time, both ends inclusive, and the whole days (UTC) in it. */
export interface DayRange {
  /** As PostgreSQL reads them; infinite where the range has no end. */
  readonly from: string
  readonly to: string
  /** Days since 1970-01-01: the first whole day, and the one after the last; equal when there is none. */
  readonly firstDay: number
  readonly endDay: number
  /** Whether the range has more than its whole days: instants before the first or after the last one. */
  readonly hasPartialDays: boolean
  /** The day of `from`. */
  readonly dayOfFrom: number
}

const DAY_MS = 24 * 3_600_000
/** Timestamps of requests are of the years 1 to 9999. */
const BEFORE_ALL_DAYS = Date.parse('0001-01-01T00:00:00Z') / DAY_MS
const AFTER_ALL_DAYS = Date.parse('+010000-01-01T00:00:00Z') / DAY_MS

/**
 * Which days of a range are whole. Trips begin at whole milliseconds, so 23:59:59.999 is the end of a day.
 * @param countsDays false when UTC days can not be used, because bins begin at other times: then no day is whole
 */
export function dayRange(
  fromTimestamp: string | undefined,
  toTimestamp: string | undefined,
  countsDays: boolean,
): DayRange {
  const from = fromTimestamp ?? '-infinity'
  const to = toTimestamp ?? 'infinity'
  const fromMs = instantMs(from)
  const dayOfFrom = within(Math.floor(fromMs / DAY_MS))
  if (!countsDays)
    return { from, to, firstDay: AFTER_ALL_DAYS, endDay: AFTER_ALL_DAYS, hasPartialDays: true, dayOfFrom }
  const firstMs = isWholeMillisecond(from) ? fromMs : fromMs + 1
  const firstDay = within(Math.ceil(firstMs / DAY_MS))
  const endDay = Math.max(firstDay, within(Math.floor((instantMs(to) + 1) / DAY_MS)))
  const hasFirstPart = fromTimestamp !== undefined && firstMs < firstDay * DAY_MS
  const hasLastPart = toTimestamp !== undefined && instantMs(to) >= endDay * DAY_MS
  return { from, to, firstDay, endDay, hasPartialDays: hasFirstPart || hasLastPart, dayOfFrom }
}

function isWholeMillisecond(instant: string): boolean {
  return !/[1-9]/.test(instant.slice(23))
}

function within(day: number): number {
  return Math.min(Math.max(day, BEFORE_ALL_DAYS), AFTER_ALL_DAYS)
}
