import { overlap, type TimeRange } from '../../model/time-range.ts'
import { partitionName, partitionStartMs, WEEK_MS, weekStartMs } from './weeks.ts'

/** The time whose samples are in one table: from a Monday to another. */
export interface TableSpan extends TimeRange {
  readonly name: string
}

/** What a table of a known name holds: `samples_2026_11_16` a week, `samples_2003` a year. undefined for any other. */
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

/** The year in which a time lies: of whole weeks, as ISO 8601 has it, so that it can stand for them. */
export function yearSpanAt(timeMs: number): TableSpan {
  return yearSpan(new Date(weekStartMs(timeMs) + 3 * DAY_MS).getUTCFullYear())
}

/**
 * The table to make for a week; undefined when one of those that are there holds it. Of a year that is over for long, all
 * weeks go into one table, unless there are tables of weeks of it already: whoever sends old samples shall not make
 * a table for each of them (docs/adr/0021-fair-shares.md).
 * @param yearlyBeforeMs years that ended before are over for long
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
