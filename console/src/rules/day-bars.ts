const DAY_MS = 86_400_000

/** A day of UTC with how many incidents began in it. */
interface DayBar {
  readonly dayMs: number
  readonly count: number
  /** Of the day with the most, from 0 to 1. */
  readonly share: number
}

/** A bar for each of the last `days` days, those without incidents too; the last one is that of `nowMs`. */
export function dayBars(
  byDay: readonly { readonly day: string; readonly count: number }[],
  days: number,
  nowMs: number,
): readonly DayBar[] {
  const counts = new Map(byDay.map(({ day, count }) => [Date.parse(day), count]))
  const most = Math.max(1, ...counts.values())
  const lastMs = nowMs - (nowMs % DAY_MS)
  return Array.from({ length: days }, (_none, index) => {
    const dayMs = lastMs - (days - 1 - index) * DAY_MS
    const count = counts.get(dayMs) ?? 0
    return { dayMs, count, share: count / most }
  })
}
