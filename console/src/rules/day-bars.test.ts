import { expect, it } from 'vitest'
import { dayBars } from './day-bars.ts'

it('has a bar for every day until today, as high as the share of the day with the most', () => {
  const bars = dayBars(
    [
      { day: '2026-01-13', count: 4 },
      { day: '2026-01-15', count: 1 },
    ],
    4,
    Date.parse('2026-01-15T08:00:00Z'),
  )
  expect(bars.map(({ dayMs, share }) => [new Date(dayMs).toISOString().slice(0, 10), share])).toEqual([
    ['2026-01-12', 0],
    ['2026-01-13', 1],
    ['2026-01-14', 0],
    ['2026-01-15', 0.25],
  ])
})
