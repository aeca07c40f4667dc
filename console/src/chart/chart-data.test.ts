import { describe, expect, it } from 'vitest'
import {
  type ChartSeries,
  chartColumns,
  lonelyIndexes,
  moved,
  valueAt,
  valueRange,
  within,
  zoomed,
} from './chart-data.ts'

const series = (timesMs: number[], values: number[], gapMs = 5000): ChartSeries => ({
  name: 'x',
  unit: '',
  timesMs,
  values,
  gapMs,
})

describe('columns of a chart', () => {
  it('break a line where nothing was measured, and only there', () => {
    expect(chartColumns([series([0, 5000, 10_001], [1, 2, 3])])).toEqual([
      [0, 5, 7.5005, 10.001],
      [1, 2, null, 3],
    ])
  })

  it('put series with times of their own on one time line, without breaking each other', () => {
    expect(chartColumns([series([0, 2000], [1, 2]), series([1000, 2000], [8, 9])])).toEqual([
      [0, 1, 2],
      [1, undefined, 2],
      [undefined, 8, 9],
    ])
  })

  it('break a line at every time of others within its gap, because uPlot breaks it no further', () => {
    const [times, broken, whole] = chartColumns([
      series([0, 9000], [1, 2]),
      series([0, 3000, 6000, 9000], [5, 6, 7, 8]),
    ])
    expect(times).toEqual([0, 3, 4.5, 6, 9])
    expect(broken).toEqual([1, null, null, null, 2])
    expect(whole).toEqual([5, 6, undefined, 7, 8])
  })

  it('are empty for a series without values, which does not hide the other one', () => {
    expect(chartColumns([series([], [])])).toEqual([[], []])
    expect(chartColumns([series([], []), series([1000], [5])])).toEqual([[1], [undefined], [5]])
  })
})

it.each([
  [999, undefined],
  [1000, 10],
  [2999, 10],
  [3000, 30],
  [8000, 30],
  [8001, undefined],
])('the value at an instant at %d is %s', (timeMs, value) => {
  expect(valueAt(series([1000, 3000], [10, 30]), timeMs)).toBe(value)
})

it.each([
  [[1, 2, 3], []],
  [[1], [0]],
  [
    [1, null, 2, 3, null, 4],
    [0, 5],
  ],
  [[undefined, 1, undefined, null, 2, undefined, 3], [1]],
  [
    [null, 1, null, undefined, 2, null],
    [1, 4],
  ],
  [[], []],
])('of %j stand alone: %j', (column, lonely) => {
  expect(lonelyIndexes(column)).toEqual(lonely)
})

const NOW = Date.UTC(2026, 10, 21)
const HOUR = 3_600_000
const view = { fromMs: NOW - 10 * HOUR, toMs: NOW }

describe('zooming', () => {
  it('keeps the instant under the pointer where it is', () => {
    expect(zoomed(view, 0.5, NOW - 4 * HOUR)).toEqual({ fromMs: NOW - 7 * HOUR, toMs: NOW - 2 * HOUR })
  })

  it('ends at ten seconds and at five years', () => {
    const near = zoomed(view, 1e-9, NOW - HOUR)
    expect(near.toMs - near.fromMs).toBeCloseTo(10_000)
    const far = zoomed(view, 1e9, NOW - HOUR)
    expect((far.toMs - far.fromMs) / (366 * 24 * HOUR)).toBeCloseTo(5)
  })
})

describe('what is shown', () => {
  it('does not run away into the future, and keeps its length', () => {
    const shown = within(moved(view, 100 * HOUR), NOW)
    expect(shown.toMs).toBe(NOW + HOUR / 2)
    expect(shown.toMs - shown.fromMs).toBe(10 * HOUR)
  })

  it('stays as it is where something can have been measured', () => {
    expect(within(moved(view, -5 * HOUR), NOW)).toEqual(moved(view, -5 * HOUR))
    expect(within({ fromMs: 0, toMs: HOUR }, NOW).fromMs).toBe(Date.UTC(2000, 0, 1))
  })
})

it('an axis goes a little beyond what is drawn, and not below nothing without need', () => {
  expect(valueRange(0, 100)).toEqual([0, 105])
  expect(valueRange(40, 60)).toEqual([39, 61])
  expect(valueRange(-10, 10)).toEqual([-11, 11])
})

it('a value that never changes stands in the middle of what is close to it', () => {
  const [from, to] = valueRange(14.2, 14.2)
  expect(from).toBeCloseTo(13.49)
  expect(to).toBeCloseTo(14.91)
  expect(valueRange(0, 0)).toEqual([0, 0.5])
})

it('shows shares of a whole, and from nothing on what is measured so', () => {
  expect(valueRange(40, 45, '%')).toEqual([0, 100])
  expect(valueRange(90, 110, '%')).toEqual([89, 111])
  expect(valueRange(90, 100, 'km/h')).toEqual([0, 105])
  expect(valueRange(0, 0, 'km/h')).toEqual([0, 1])
  expect(valueRange(90, 100, '°C')).toEqual([89.5, 100.5])
})
