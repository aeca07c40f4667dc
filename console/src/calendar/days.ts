/** Whether a text is a day of the calendar, `YYYY-MM-DD`. */
function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false
  const time = Date.parse(value)
  // JavaScript takes February 30 for March 1 or 2.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}

/**
 * Where a day begins in the time zone of the person. Days are not always 24 h long, so they are counted by the calendar.
 *
 * @param shift how many days later
 */
export function startOfDayMs(day: string, shift = 0): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + shift).getTime()
}

/** The day of an instant in the time zone of the person, `YYYY-MM-DD`. */
export function dayOf(timeMs: number): string {
  const time = new Date(timeMs)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
}

/** Milliseconds, both ends included; open towards now without `toMs`. */
export interface TimeRange {
  readonly fromMs: number
  readonly toMs: number | undefined
}

/** Chosen days in the address of a page, both ends included; undefined if they make no sense. */
export function readDays(from: unknown, to: unknown): { readonly from: string; readonly to: string } | undefined {
  return isDay(from) && isDay(to) && from <= to ? { from, to } : undefined
}

/** Whole days in the time zone of the person, both included. */
export function rangeOfDays({ from = '', to = '' }: { readonly from?: string; readonly to?: string }) {
  return { fromMs: startOfDayMs(from), toMs: startOfDayMs(to, 1) - 1 } satisfies TimeRange
}

/** The time zone of the person, as an IANA name. */
export function timeZoneHere(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}
