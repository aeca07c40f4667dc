import type { TimeRange } from '../../model/time-range.ts'

/** A sealed day is a day of UTC. */
export const DAY_MS = 24 * 3600 * 1000

/** The start of the day of a time, in milliseconds since 1970. */
export function dayStartMs(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS) * DAY_MS
}

/** The day as PostgreSQL reads a date; infinite times are infinite days. */
export function dayText(timeMs: number): string {
  if (timeMs === Number.NEGATIVE_INFINITY) return '-infinity'
  if (timeMs === Number.POSITIVE_INFINITY) return 'infinity'
  return new Date(timeMs).toISOString().slice(0, 10)
}

/** The first and the last day that a range touches. */
export function daysOf({ fromMs, toMs }: TimeRange): { readonly first: string; readonly last: string } {
  return { first: dayText(fromMs), last: dayText(Number.isFinite(toMs) ? toMs - 1 : toMs) }
}

/** The days that a finite range touches. */
export function touchedDays({ fromMs, toMs }: TimeRange): string[] {
  const days: string[] = []
  for (let dayMs = dayStartMs(fromMs); dayMs < toMs; dayMs += DAY_MS) days.push(dayText(dayMs))
  return days
}

/** The day that PostgreSQL wrote, as the range of its times. */
export function rangeOfDay(text: string): TimeRange {
  const fromMs = Date.parse(`${text}T00:00:00Z`)
  return { fromMs, toMs: fromMs + DAY_MS }
}
