import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  bucketMsOf,
  chartSeriesOf,
  type HistorySeries,
  type MeasuredSeries,
  rowsOf,
  stacksOf,
  windowOf,
} from './history-series.ts'

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
const gapMs = (changes: Partial<MeasuredSeries>) => chartSeriesOf(measured(changes), false).gapMs

it('a line breaks where nothing was measured for ten minutes, but never within a bucket of the thinned answer', () => {
  expect(gapMs({})).toBe(10 * MINUTE)
  expect(gapMs({ window: { fromMs: 0, toMs: 100 * DAY } })).toBe(72 * MINUTE)
  expect(gapMs({ isSwitch: true })).toBeGreaterThan(DAY)
})

it('the table has a row for every instant in view, with what was measured then', () => {
  const one = chartSeriesOf(measured({ timesMs: [0, 1000, 2000], values: [1, 2, 3] }), false)
  const other = chartSeriesOf(measured({ timesMs: [500, 2000, 3000], values: [7, 8, 9] }), false)
  expect(rowsOf([one, other], 500, 2000)).toEqual([
    { timeMs: 500, values: [undefined, 7] },
    { timeMs: 1000, values: [2, undefined] },
    { timeMs: 2000, values: [3, 8] },
  ])
})

const NOW = Date.UTC(2026, 10, 21, 12)

const views = fc
  .tuple(fc.integer({ min: 0, max: 1000 * DAY }), fc.integer({ min: 10_000, max: 1800 * DAY }))
  .map(([agoMs, lengthMs]) => ({ fromMs: NOW - agoMs - lengthMs, toMs: NOW - agoMs }))

it('a window has room for panning on both sides, and at least 400 buckets in view', () => {
  fc.assert(
    fc.property(views, view => {
      const window = windowOf(view)
      const lengthMs = view.toMs - view.fromMs
      expect(view.fromMs - window.fromMs).toBeGreaterThanOrEqual(lengthMs / 4)
      expect(window.toMs - view.toMs).toBeGreaterThanOrEqual(lengthMs / 4)
      expect(Number.isInteger(window.fromMs) && Number.isInteger(window.toMs)).toBe(true)
      expect(lengthMs / bucketMsOf(window)).toBeGreaterThan(400)
    }),
  )
})

it('a view that moves on a little asks for what is there already', () => {
  const windows = Array.from({ length: 60 }, (_value, minute) =>
    windowOf({ fromMs: NOW - DAY + minute * 60_000, toMs: NOW + minute * 60_000 }),
  )
  expect(new Set(windows.map(window => JSON.stringify(window))).size).toBeLessThanOrEqual(2)
})

const line = (eventType: string, unit: string, more: Partial<HistorySeries> = {}): HistorySeries => ({
  eventType,
  name: eventType,
  unit,
  timesMs: [],
  values: [],
  gapMs: 1,
  ...more,
})

it('lines of one unit share a chart, in their own colours, and hidden ones are in none', () => {
  const stacks = stacksOf([
    line('GPS_SPEED', 'km/h'),
    line('BATTERY_VOLTAGE', 'V'),
    line('IS_IGNITION_ON', '', { isSwitch: true }),
    line('VEHICLE_SPEED_AVERAGE', 'km/h'),
    line('HV_BATTERY_VOLTAGE', 'V', { isHidden: true }),
  ])
  expect(stacks.map(({ lines }) => lines.map(({ eventType, colorIndex }) => [eventType, colorIndex]))).toEqual([
    [
      ['GPS_SPEED', 0],
      ['VEHICLE_SPEED_AVERAGE', 3],
    ],
    [['BATTERY_VOLTAGE', 1]],
    [['IS_IGNITION_ON', 2]],
  ])
  expect(stacks.map(({ isSwitch }) => isSwitch)).toEqual([false, false, true])
})
