import { startOfBinMs } from './bins.ts'
import type { Period } from './statistics-search.ts'

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
