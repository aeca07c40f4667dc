import { expect, it } from 'vitest'
import { chartSeriesOf, type MeasuredSeries, rowsOf } from './history-series.ts'

const MINUTE = 60_000
const DAY = 1440 * MINUTE

const measured = (changes: Partial<MeasuredSeries>): MeasuredSeries => ({
  eventType: 'GPS_SPEED',
  unit: 'km/h',
  isSwitch: false,
  window: { fromMs: 0, toMs: DAY },
  timesMs: [],
  values: [],
  ...changes,
})
const gapMs = (changes: Partial<MeasuredSeries>) => chartSeriesOf(measured(changes), 'en', false).gapMs

it('a line breaks where nothing was measured for ten minutes, but never within a bucket of the thinned answer', () => {
  expect(gapMs({})).toBe(10 * MINUTE)
  expect(gapMs({ window: { fromMs: 0, toMs: 100 * DAY } })).toBe(72 * MINUTE)
  expect(gapMs({ isSwitch: true })).toBeGreaterThan(DAY)
})

it('the table has a row for every instant in view, with what was measured then', () => {
  const one = chartSeriesOf(measured({ timesMs: [0, 1000, 2000], values: [1, 2, 3] }), 'en', false)
  const other = chartSeriesOf(measured({ timesMs: [500, 2000, 3000], values: [7, 8, 9] }), 'en', false)
  expect(rowsOf([one, other], 500, 2000)).toEqual([
    { timeMs: 500, values: [undefined, 7] },
    { timeMs: 1000, values: [2, undefined] },
    { timeMs: 2000, values: [3, 8] },
  ])
})
