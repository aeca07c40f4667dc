import { describe, expect, it } from 'vitest'
import { rangeNameOf, readHistorySearch, typesOf, viewOf } from './history-search.ts'

const NOW = Date.UTC(2026, 10, 21, 12)

describe('the address of a chart', () => {
  it('keeps series, range and table', () => {
    const search = readHistorySearch({ series: 'GPS_SPEED,BATTERY_VOLTAGE', range: '7d', show: 'table' })
    expect(search).toEqual({ series: 'GPS_SPEED,BATTERY_VOLTAGE', range: '7d', show: 'table' })
    expect(viewOf(search, NOW)).toEqual({ fromMs: Date.UTC(2026, 10, 14, 12), toMs: NOW })
  })

  it('a range of its own wins over a named one', () => {
    const search = readHistorySearch({ range: '7d', from: '2026-11-01T00:00Z', to: '2026-11-02T00:00Z' })
    expect(search.range).toBe('7d')
    expect(rangeNameOf(search)).toBe('custom')
    expect(viewOf(search, NOW)).toEqual({ fromMs: Date.UTC(2026, 10, 1), toMs: Date.UTC(2026, 10, 2) })
  })

  it.each([
    {},
    { range: '2y', series: 7 },
    { from: '2026-11-02', to: '2026-11-01' },
    { from: 'yesterday', to: 'today' },
    { from: '2026-11-02' },
  ])('is the last day when it says nothing that makes sense: %j', given => {
    expect(readHistorySearch(given)).toEqual({})
    expect(rangeNameOf({})).toBe('24h')
  })
})

it('series are event types, each once, and no more than can be told apart', () => {
  expect(typesOf('A,B,A,,b c,C')).toEqual(['A', 'B', 'C'])
  expect(typesOf('A,B,C,D,E,F,G,H')).toHaveLength(6)
})
