import { expect, it } from 'vitest'
import { INCIDENT_PERIODS, readIncidentsSearch } from './incidents-search.ts'

it('keeps of an address what makes sense', () => {
  expect(
    readIncidentsSearch({ kind: 'TOWED', rule: 7, severity: 'critical', state: 'unseen', car: 'VIN1', area: 3 }),
  ).toEqual({ kind: 'TOWED', rule: '7', severity: 'critical', state: 'unseen', car: 'VIN1', area: '3' })
  expect(readIncidentsSearch({ search: 102, sort: '-peak' })).toEqual({ search: '102', sort: '-peak' })
  expect(readIncidentsSearch({ severity: 'bad', state: 'new', range: 'century', car: '', rule: {} })).toEqual({})
  expect(readIncidentsSearch({ range: 'week', from: '2026-01-01', to: '2026-01-31' })).toEqual({
    from: '2026-01-01',
    to: '2026-01-31',
  })
})

it('shows the last 30 days, whole days, unless another range is wanted', () => {
  const noonMs = new Date(2026, 0, 31, 12).getTime()
  expect(INCIDENT_PERIODS.nameOf({})).toBe('month')
  expect(INCIDENT_PERIODS.timeOf({}, noonMs)).toEqual({ fromMs: new Date(2026, 0, 2).getTime(), toMs: undefined })
  expect(INCIDENT_PERIODS.timeOf({ range: 'lastMonth' }, noonMs)).toEqual({
    fromMs: new Date(2025, 11, 1).getTime(),
    toMs: new Date(2026, 0, 1).getTime() - 1,
  })
  expect(INCIDENT_PERIODS.timeOf({ range: 'lastQuarter' }, new Date(2026, 4, 31, 12).getTime())).toEqual({
    fromMs: new Date(2026, 0, 1).getTime(),
    toMs: new Date(2026, 3, 1).getTime() - 1,
  })
  expect(INCIDENT_PERIODS.timeOf({ from: '2026-01-01', to: '2026-01-01' }, noonMs)).toEqual({
    fromMs: new Date(2026, 0, 1).getTime(),
    toMs: new Date(2026, 0, 2).getTime() - 1,
  })
})
