const DAY_MS = 86_400_000

/** For so long every backup is kept, and every instant since can be restored. */
export const EVERY_INSTANT_MS = 7 * DAY_MS

/** Of backups older than a day, the newest one of each of so many days, weeks and months that have any. */
const KEPT = [
  { count: 7, periodOf: (ms: number) => isoDay(ms) },
  // Weeks begin on Monday: the epoch was a Thursday.
  { count: 4, periodOf: (ms: number) => String(Math.floor((ms / DAY_MS + 3) / 7)) },
  { count: 12, periodOf: (ms: number) => isoDay(ms).slice(0, 7) },
]

const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/**
 * Which backups stay (in UTC): all of the last day, and the newest one of each of the last 7 days, 4 weeks and 12 months
 * that have any. The newest backup of all always stays.
 * @param times when they were finished, in milliseconds since 1970
 */
export function keptBackups(times: readonly number[], nowMs: number): Set<number> {
  const newestFirst = [...times].sort((a, b) => b - a)
  const kept = new Set(newestFirst.filter((time, index) => index === 0 || time > nowMs - DAY_MS))
  for (const { count, periodOf } of KEPT) {
    const periods = new Set<string>()
    for (const time of newestFirst) {
      const period = periodOf(time)
      if (periods.has(period) || periods.size === count) continue
      periods.add(period)
      kept.add(time)
    }
  }
  return kept
}
