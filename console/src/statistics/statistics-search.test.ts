import { describe, expect, it } from 'vitest'
import { periodOf, readStatisticsSearch, STATISTICS_PERIODS } from './statistics-search.ts'

const local = (year: number, month: number, day: number) => new Date(year, month - 1, day).getTime()
/** A Saturday. */
const NOW = new Date(2026, 10, 21, 13, 45).getTime()

it.each([
  [{}, {}, 'days'],
  [{ range: 'weeks', car: 'VIN1', subject: 'duration', measure: 'most' }, undefined, 'weeks'],
  [{ from: '2026-02-01', to: '2026-02-28', by: 'WEEK' }, undefined, 'custom'],
  [{ from: '2026-02-01', to: '2026-02-28', range: 'weeks' }, { from: '2026-02-01', to: '2026-02-28' }, 'custom'],
  // Links from before have it as `preset`.
  [{ preset: 'years', by: 'DAY' }, { range: 'years' }, 'years'],
  [{ from: '2026-02-28', to: '2026-02-01', range: 'constructor', car: '', subject: 1, measure: 'SUM' }, {}, 'days'],
])('the address %j counts as %j, which is %s', (given, read, name) => {
  expect(readStatisticsSearch(given)).toEqual(read ?? given)
  expect(STATISTICS_PERIODS.nameOf(readStatisticsSearch(given))).toBe(name)
})

describe('the period', () => {
  it.each([
    ['days', local(2026, 10, 23), 'DAY'],
    ['weeks', local(2026, 8, 31), 'WEEK'],
    ['months', local(2025, 12, 1), 'MONTH'],
    ['years', local(2022, 1, 1), 'YEAR'],
  ] as const)('of %s begins with a bin and has today in it', (range, fromMs, size) => {
    expect(periodOf({ range }, NOW)).toEqual({ fromMs, toMs: undefined, size, sizes: [size] })
  })

  it.each([
    ['lastMonth', local(2026, 10, 1), local(2026, 11, 1), 'DAY'],
    ['lastQuarter', local(2026, 7, 1), local(2026, 10, 1), 'WEEK'],
  ] as const)('of %s is over', (range, fromMs, endMs, size) => {
    expect(periodOf({ range }, NOW)).toEqual({ fromMs, toMs: endMs - 1, size, sizes: [size] })
  })

  it('of days of one’s own has all of both', () => {
    expect(periodOf({ from: '2026-02-01', to: '2026-02-28', by: 'MONTH' }, NOW)).toMatchObject({
      fromMs: local(2026, 2, 1),
      toMs: local(2026, 3, 1) - 1,
      size: 'MONTH',
    })
  })

  it('has no more bins than can be told apart', () => {
    expect(periodOf({ from: '2020-01-01', to: '2026-12-31', by: 'DAY' }, NOW).size).toBe('WEEK')
  })
})
