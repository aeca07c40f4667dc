import { expect, it } from 'vitest'
import { FAULT_PERIODS, readFaultsSearch } from './faults-search.ts'

it.each([
  [{}, {}, 'quarter'],
  [{ view: 'history', group: 'code', kind: 'SPORADIC', range: 'year', sort: '-car' }, undefined, 'year'],
  [{ search: 102 }, { search: '102' }, 'quarter'],
  [{ view: 'current', group: 'none', kind: 'LOUD', range: 'toString', search: '' }, {}, 'quarter'],
  [{ from: '2026-02-01', to: '2026-02-28', range: 'year' }, { from: '2026-02-01', to: '2026-02-28' }, 'custom'],
  [{ from: '2026-02-28', to: '2026-02-01' }, {}, 'quarter'],
  [{ from: '2026-02-30', to: '2026-03-01' }, {}, 'quarter'],
])('%j counts as %j, which is the range %s', (given, read, name) => {
  expect(readFaultsSearch(given)).toEqual(read ?? given)
  expect(FAULT_PERIODS.nameOf(readFaultsSearch(given))).toBe(name)
})

it('ranges have whole days, today among them', () => {
  const now = new Date(2026, 10, 21, 13, 45).getTime()
  expect(FAULT_PERIODS.timeOf({ range: 'month' }, now)).toEqual({
    fromMs: new Date(2026, 9, 23).getTime(),
    toMs: undefined,
  })
  expect(FAULT_PERIODS.timeOf({ from: '2026-02-01', to: '2026-02-28' }, now)).toEqual({
    fromMs: new Date(2026, 1, 1).getTime(),
    toMs: new Date(2026, 2, 1).getTime() - 1,
  })
})
