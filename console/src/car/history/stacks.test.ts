import { expect, it } from 'vitest'
import { type HistorySeries, stacksOf } from './history-series.ts'

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
