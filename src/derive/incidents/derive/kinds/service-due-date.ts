import { detector, goesOn, type KindOfRule } from '../detector.ts'
import { numberOf, textOf } from '../rule-book.ts'
import { ANY_GAP_MS } from './bounds.ts'
import { reached } from './reached.ts'

/** How many of the dates were due at the last sample. */
type Passed = { readonly dates: number }

const DAY_MS = 86_400_000

/** A date that is due, then every so many months: at the first sample from then on, or as many days ahead. Days are those of UTC. */
export const serviceDueDate: KindOfRule = rule => {
  const first = textOf(rule, 'dueDate')
  const everyMonths = numberOf(rule, 'everyMonths')
  const aheadMs = numberOf(rule, 'aheadDays') * DAY_MS
  const mostDates = everyMonths > 0 ? Number.POSITIVE_INFINITY : 1
  const known = new Map<number, number>()
  const dueMs = (date: number) => {
    const atMs = known.get(date) ?? monthsAfterMs(first, date * everyMonths)
    known.set(date, atMs)
    return atMs
  }
  return detector<Passed>({
    begins: undefined,
    longestGapMs: ANY_GAP_MS,
    step(passed, moment) {
      const before = passed?.dates ?? 0
      const nowMs = moment.timeMs + aheadMs
      let dates = before
      if (dates === 0 && everyMonths > 0 && dueMs(0) <= nowMs)
        // A month has at most 31 days, so this passes none.
        dates = Math.floor((nowMs - dueMs(0)) / (everyMonths * 31 * DAY_MS))
      while (dates < mostDates && dueMs(dates) <= nowMs) dates++
      if (passed && dates === before) return goesOn(passed)
      const last = dueMs(dates - 1)
      const days = Math.floor((last - moment.timeMs) / DAY_MS)
      const detail = new Date(last).toISOString().slice(0, 10)
      return { state: { dates }, done: dates > before ? [reached(moment, days, detail)] : [] }
    },
    goingOn: () => [],
    end: () => [],
  })
}

/** Midnight of a date some months later, or of the last day of a shorter month. */
function monthsAfterMs(date: string, months: number): number {
  const from = new Date(`${date}T00:00:00Z`)
  const [year, month, day] = [from.getUTCFullYear(), from.getUTCMonth() + months, from.getUTCDate()]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(year, month, Math.min(day, lastDay))
}
