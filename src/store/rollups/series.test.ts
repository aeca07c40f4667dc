import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, isIn, type TimeRange } from '../../model/time-range.ts'
import { dayStartMs } from '../sealed/days.ts'
import { hourStartMs } from './hours.ts'
import { coverHours } from './series.ts'

const anyTime = fc.oneof(
  fc.integer({ min: 0, max: 96 }).map(hour => hour * HOUR_MS),
  fc.integer({ min: 0, max: 4 * DAY_MS }),
)
const anyIntervals = fc.uniqueArray(anyTime, { maxLength: 8 }).map(times => {
  const ascending = times.toSorted((a, b) => a - b)
  return ascending.flatMap((fromMs, index): TimeRange[] => {
    const toMs = ascending[index + 1]
    return index % 2 === 0 && toMs !== undefined ? [{ fromMs, toMs }] : []
  })
})

it('every value of the intervals is in a covered hour or in what is left, and never in both; no other value is in either', () => {
  const anyDays = fc.subarray([0, 1, 2, 3]).map(days => days.map(day => day * DAY_MS))
  fc.assert(
    fc.property(anyIntervals, anyDays, fc.uniqueArray(anyTime, { maxLength: 40 }), (intervals, days, times) => {
      const hourOf = (hourMs: number) => times.filter(timeMs => hourStartMs(timeMs) === hourMs)
      const { covered, left } = coverHours(intervals, days, (hourMs, interval) =>
        hourOf(hourMs).every(timeMs => isIn(interval, timeMs)),
      )
      for (const timeMs of times) {
        const among = (ranges: readonly TimeRange[]) => ranges.filter(range => isIn(range, timeMs)).length
        expect(among(covered) + among(left)).toBe(among(intervals))
        expect(among(covered) === 0 || days.includes(dayStartMs(timeMs))).toBe(true)
      }
      for (const { fromMs, toMs } of covered) expect([fromMs % HOUR_MS, toMs % HOUR_MS]).toEqual([0, 0])
    }),
    { numRuns: 500 },
  )
})
