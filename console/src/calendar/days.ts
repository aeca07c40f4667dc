import { dateFormat, profile } from '../language/language.ts'

/** Whether a text is a day of the calendar, `YYYY-MM-DD`. */
export function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false
  const time = Date.parse(value)
  // JavaScript takes February 30 for March 1 or 2.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}

/** The calendar and clock of the person at an instant, in the UTC fields of the date. */
export function wallClock(timeMs: number): Date {
  return new Date(timeMs + offsetMs(timeMs))
}

/** When the clock of the person shows what the UTC fields of `wallMs` say; where it leaps over that, right after the leap. */
export function instantOfWall(wallMs: number): number {
  const near = wallMs - offsetMs(wallMs)
  const exact = wallMs - offsetMs(near)
  return exact + offsetMs(exact) === wallMs ? exact : Math.max(near, exact)
}

/** How far the clock of the person is before UTC. */
function offsetMs(timeMs: number): number {
  if (profile.get().timeZone === undefined) return new Date(timeMs).getTimezoneOffset() * -60_000
  const parts = dateFormat({ timeZoneName: 'longOffset' }).formatToParts(timeMs)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = 0, minutes = 0] = /([+-])(\d+):(\d+)/.exec(name) ?? []
  return Number(`${sign}${Number(hours) * 60 + Number(minutes)}`) * 60_000
}

/**
 * Where a day begins in the time zone of the person. Days are not always 24 h long, so they are counted by the calendar.
 *
 * @param shift how many days later
 */
export function startOfDayMs(day: string, shift = 0): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return instantOfWall(Date.UTC(year, month - 1, date + shift))
}

/** The day of an instant in the time zone of the person, `YYYY-MM-DD`. */
export function dayOf(timeMs: number): string {
  return wallClock(timeMs).toISOString().slice(0, 10)
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

/** The last part of the year that is over, of so many months: 1 for a month, 3 for a quarter. */
export function lastMonths(count: number, nowMs: number): ReturnType<typeof rangeOfDays> {
  const [year = 0, month = 1] = dayOf(nowMs).split('-').map(Number)
  const firstMs = (shift: number) => {
    const months = year * 12 + month - 1 - ((month - 1) % count) + shift
    return startOfDayMs(`${Math.floor(months / 12)}-${(months % 12) + 1}-1`)
  }
  return { fromMs: firstMs(-count), toMs: firstMs(0) - 1 }
}
