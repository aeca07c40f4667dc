import { type Language, localeOf } from '../language/language.ts'
import type { BinSize } from './bins.ts'

const SHORT: Readonly<Record<BinSize, Intl.DateTimeFormatOptions>> = {
  DAY: { day: 'numeric', month: 'short' },
  WEEK: { day: 'numeric', month: 'short' },
  MONTH: { month: 'short', year: '2-digit' },
  YEAR: { year: 'numeric' },
}

const LONG: Readonly<Record<BinSize, Intl.DateTimeFormatOptions>> = {
  DAY: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  WEEK: { day: 'numeric', month: 'short', year: 'numeric' },
  MONTH: { month: 'long', year: 'numeric' },
  YEAR: { year: 'numeric' },
}

/** The label under a bar: a week by its Monday. */
export function shortBinNames(startsMs: readonly number[], size: BinSize, language: Language): readonly string[] {
  const format = new Intl.DateTimeFormat(localeOf(language), SHORT[size])
  return startsMs.map(startMs => format.format(startMs))
}

/** A bin in full; a week as its number and its Monday (ISO 8601). */
export function longBinNames(
  startsMs: readonly number[],
  size: BinSize,
  language: Language,
  weekName: (week: number, monday: string) => string,
): readonly string[] {
  const format = new Intl.DateTimeFormat(localeOf(language), LONG[size])
  return startsMs.map(startMs =>
    size === 'WEEK' ? weekName(weekNumber(startMs), format.format(startMs)) : format.format(startMs),
  )
}

/** The number of the week of a day in the time zone of the person: week 1 is that of January 4 (ISO 8601). */
export function weekNumber(timeMs: number): number {
  const time = new Date(timeMs)
  // In UTC all days are of one length.
  const dayMs = Date.UTC(time.getFullYear(), time.getMonth(), time.getDate())
  const thursdayMs = dayMs + (3 - ((time.getDay() + 6) % 7)) * 86_400_000
  const firstMs = Date.UTC(new Date(thursdayMs).getUTCFullYear(), 0, 1)
  return Math.floor((thursdayMs - firstMs) / (7 * 86_400_000)) + 1
}
