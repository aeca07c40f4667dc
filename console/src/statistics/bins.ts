import { instantOfWall, wallClock } from '../calendar/days.ts'
import { dateFormat, type Texts } from '../language/language.ts'
import type { Period } from './statistics-search.ts'

export const BIN_SIZES = ['DAY', 'WEEK', 'MONTH', 'YEAR'] as const
export type BinSize = (typeof BIN_SIZES)[number]

/**
 * The first instant of the bin of an instant, in the time zone of the person; weeks start on Monday (ISO 8601). Days are
 * not always 24 h long, so they are counted by the calendar. Where a day has no midnight or two, it begins at the first
 * instant of it, as the bins of the service do.
 *
 * @param shift how many bins later
 */
export function startOfBinMs(timeMs: number, size: BinSize, shift = 0): number {
  const time = wallClock(timeMs)
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()]
  const daysSinceMonday = (time.getUTCDay() + 6) % 7
  switch (size) {
    case 'DAY':
      return instantOfWall(Date.UTC(year, month, day + shift))
    case 'WEEK':
      return instantOfWall(Date.UTC(year, month, day - daysSinceMonday + 7 * shift))
    case 'MONTH':
      return instantOfWall(Date.UTC(year, month + shift))
    case 'YEAR':
      return instantOfWall(Date.UTC(year + shift, 0))
  }
}

/** The first instants of all bins of a range, both ends included, whether anything happened in them or not. */
export function binStartsMs(fromMs: number, toMs: number, size: BinSize): readonly number[] {
  const starts: number[] = []
  for (let startMs = startOfBinMs(fromMs, size); startMs <= toMs; startMs = startOfBinMs(startMs, size, 1))
    starts.push(startMs)
  return starts
}

/** More bars than this cannot be distinguished. */
const MOST_BINS = 400

const SHORTEST_MS: Readonly<Record<BinSize, number>> = {
  DAY: 23 * 3_600_000,
  WEEK: 167 * 3_600_000,
  MONTH: 671 * 3_600_000,
  YEAR: 8759 * 3_600_000,
}

/** The sizes of bins in which a range can be shown: not more bins than can be distinguished. */
export function fittingSizes(fromMs: number, toMs: number): readonly BinSize[] {
  return BIN_SIZES.filter(size => size === 'YEAR' || (toMs - fromMs) / SHORTEST_MS[size] <= MOST_BINS)
}

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
export function shortBinName(startMs: number, size: BinSize): string {
  return dateFormat(SHORT[size]).format(startMs)
}

/** A bin in full; a week as its number and its Monday (ISO 8601). */
export function longBinName(startMs: number, size: BinSize, weekName: Texts<'statistics'>['week']): string {
  const name = dateFormat(LONG[size]).format(startMs)
  return size === 'WEEK' ? weekName(weekNumber(startMs), name) : name
}

/** The number of the week of a day in the time zone of the person: week 1 is that of January 4 (ISO 8601). */
export function weekNumber(timeMs: number): number {
  // In UTC all days are of one length.
  const time = wallClock(timeMs)
  const dayMs = Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate())
  const thursdayMs = dayMs + (3 - ((time.getUTCDay() + 6) % 7)) * 86_400_000
  const firstMs = Date.UTC(new Date(thursdayMs).getUTCFullYear(), 0, 1)
  return Math.floor((thursdayMs - firstMs) / (7 * 86_400_000)) + 1
}

const HOUR_MS = 3_600_000

/** Half an hour more or less at the end of a period is not worth asking the service again each minute. */
const ROUNDED_MS = HOUR_MS

/**
 * The period of the same length that ended where this one begins: as many days, weeks, months or years, and of one that goes
 * on only as much as has passed of it, so that a day that has just begun is not compared with a whole one.
 */
export function periodBefore(period: Period, nowMs: number): Period & { readonly toMs: number } {
  const { fromMs, toMs, size } = period
  const endMs = toMs ?? nowMs
  // Days are not always 24 h long, so bins are counted by the calendar; chosen days need not be whole weeks or months.
  const unit = toMs === undefined ? size : 'DAY'
  let count = 0
  while (startOfBinMs(fromMs, unit, count) <= endMs) count += 1
  const beforeMs = startOfBinMs(fromMs, unit, -count)
  const passedMs = toMs === undefined ? Math.floor((nowMs - fromMs) / ROUNDED_MS) * ROUNDED_MS : fromMs - beforeMs
  return { ...period, fromMs: beforeMs, toMs: Math.min(beforeMs + passedMs, fromMs) - 1 }
}
