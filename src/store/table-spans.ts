import { overlap, type TimeRange, WEEK_MS, weekStartMs } from '../model/time-range.ts'

import { partitionName, partitionStartMs } from './weeks.ts'

/** The time that one table covers: from one Monday to another. */
export interface TableSpan extends TimeRange {
  readonly name: string
}

/** The time that a table covers, by its name: `samples_2026_11_16` a week, `samples_2003` a year; undefined for any other. */
export function spanOfTable(name: string): TableSpan | undefined {
  const weekMs = partitionStartMs(name)
  if (weekMs !== undefined) return { name, fromMs: weekMs, toMs: weekMs + WEEK_MS }
  const year = /^samples_(\d{4})$/.exec(name)?.[1]
  return year === undefined ? undefined : yearSpan(Number(year))
}

/** The week in which a time lies. */
export function weekSpanAt(timeMs: number): TableSpan {
  const fromMs = weekStartMs(timeMs)
  return { name: partitionName(fromMs), fromMs, toMs: fromMs + WEEK_MS }
}

/** The ISO 8601 year of a time, which consists of whole weeks. */
export function yearSpanAt(timeMs: number): TableSpan {
  return yearSpan(new Date(weekStartMs(timeMs) + 3 * DAY_MS).getUTCFullYear())
}

/**
 * The table to create for a week; undefined when an existing one covers it. All weeks of a past year go into
 * one table, unless it already has tables of weeks: a sender of old samples must not cause
 * a table for each week (docs/adr/0021-fair-shares.md).
 * @param yearlyBeforeMs years that ended before this have one table
 */
export function missingTable(
  weekMs: number,
  existing: readonly TableSpan[],
  yearlyBeforeMs: number,
): TableSpan | undefined {
  const week = weekSpanAt(weekMs)
  if (existing.some(table => overlap(table, week))) return undefined
  const year = yearSpanAt(weekMs)
  return year.toMs <= yearlyBeforeMs && !existing.some(table => overlap(table, year)) ? year : week
}

const DAY_MS = 24 * 3600 * 1000

/** The first week of a year is the one with 4 January in it. */
function yearSpan(year: number): TableSpan {
  const startOf = (which: number) => weekStartMs(Date.UTC(which, 0, 4))
  return { name: `samples_${year}`, fromMs: startOf(year), toMs: startOf(year + 1) }
}
