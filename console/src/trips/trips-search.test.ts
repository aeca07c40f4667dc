import { expect, it } from 'vitest'
import { readTripsSearch, TRIP_PERIODS } from './trips-search.ts'

const NOW = new Date(2026, 10, 21, 13, 45).getTime()
const local = (month: number, day: number, ms = 0) => new Date(2026, month - 1, day).getTime() + ms

it.each([
  [{}, {}, 'week'],
  [{ range: 'today', car: 'VIN1' }, { range: 'today', car: 'VIN1' }, 'today'],
  [{ from: '2026-02-01', to: '2026-02-28' }, { from: '2026-02-01', to: '2026-02-28' }, 'custom'],
  [{ from: '2026-02-01', to: '2026-02-28', range: 'today' }, { from: '2026-02-01', to: '2026-02-28' }, 'custom'],
  [{ from: '2026-02-28', to: '2026-02-01' }, {}, 'week'],
  [{ from: '2026-02-28', to: '2026-02-30' }, {}, 'week'],
  [{ from: '2026-02-28' }, {}, 'week'],
  [{ range: 'century', car: '' }, {}, 'week'],
  [{ range: ['today'], car: ['7'], from: 1, to: 2 }, {}, 'week'],
])('the address of the list %j counts as %j, which is the range %s', (given, read, name) => {
  expect(readTripsSearch(given)).toEqual(read)
  expect(TRIP_PERIODS.nameOf(readTripsSearch(given))).toBe(name)
})

it.each([
  [{ range: 'today' }, local(11, 21), undefined],
  [{ range: 'yesterday' }, local(11, 20), local(11, 21, -1)],
  [{}, local(11, 15), undefined],
  [{ range: 'month' }, local(11, 1), undefined],
  [{ range: 'lastMonth' }, local(10, 1), local(11, 1, -1)],
  [{ range: 'lastQuarter' }, local(7, 1), local(10, 1, -1)],
  [{ from: '2026-03-28', to: '2026-03-29' }, local(3, 28), local(3, 30, -1)],
] as const)('the time that is listed: %j', (search, fromMs, toMs) => {
  expect(TRIP_PERIODS.timeOf(search, NOW)).toEqual({ fromMs, toMs })
})
