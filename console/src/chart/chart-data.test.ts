import { describe, expect, it } from 'vitest'
import { type ChartSeries, chartColumns, lonelyIndexes, valueAt } from './chart-data.ts'

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

describe('the value at an instant', () => {
  it.each([
    [999, undefined],
    [1000, 10],
    [2999, 10],
    [3000, 30],
    [8000, 30],
    [8001, undefined],
  ])('at %d is %s', (timeMs, value) => {
    expect(valueAt(series([1000, 3000], [10, 30]), timeMs)).toBe(value)
  })
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
