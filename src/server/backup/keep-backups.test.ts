import { expect, test } from 'vitest'
import { keptBackups } from './make-backup.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW_MS = Date.UTC(2026, 5, 15, 12)

const days = (kept: Iterable<number>) => [...kept].map(ms => new Date(ms).toISOString().slice(0, 10)).sort()

test('of one backup a day for two years, 7 days, 4 weeks and 12 months stay', () => {
  const times = Array.from({ length: 730 }, (_, index) => NOW_MS - HOUR_MS - index * DAY_MS)
  const months = ['07-31', '08-31', '09-30', '10-31', '11-30', '12-31'].map(day => `2025-${day}`)
  expect(days(keptBackups(times, NOW_MS))).toEqual([
    ...months,
    ...['01-31', '02-28', '03-31', '04-30', '05-31'].map(day => `2026-${day}`),
    // Sundays, the last days of their weeks.
    ...['06-07', '06-09', '06-10', '06-11', '06-12', '06-13', '06-14', '06-15'].map(day => `2026-${day}`),
  ])
})

test('all of the last day stay, and the newest whatever its age', () => {
  const hourly = Array.from({ length: 48 }, (_, index) => NOW_MS - index * HOUR_MS)
  expect(keptBackups(hourly, NOW_MS).size).toBe(24 + 1)
  expect([...keptBackups([NOW_MS - 900 * DAY_MS], NOW_MS)]).toHaveLength(1)
  expect(keptBackups([], NOW_MS).size).toBe(0)
})

test('what is kept stays so as days go by, until its period is over', () => {
  let kept: number[] = []
  for (let day = 0; day < 400; day++) {
    const nowMs = NOW_MS + day * DAY_MS
    kept = [...keptBackups([...kept, nowMs], nowMs)]
  }
  expect(kept.length).toBeGreaterThan(18)
  expect(kept.length).toBeLessThanOrEqual(1 + 7 + 4 + 12)
  expect(Math.min(...kept)).toBeLessThan(NOW_MS + 80 * DAY_MS)
})
