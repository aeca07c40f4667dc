import { expect, it } from 'vitest'
import type { LastEvent } from '../api/types.ts'
import { batteryOf } from './car-state.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute)).toISOString()
const voltage = (value: number, minute: number): LastEvent => ({
  deviceId: 1,
  recordedTimestamp: at(minute),
  eventType: 'BATTERY_VOLTAGE',
  dataType: 'NUMBER',
  value,
  unit: 'V',
  unitId: 40,
})
const state = (value: string, minute: number): LastEvent => ({
  deviceId: 1,
  recordedTimestamp: at(minute),
  eventType: 'BATTERY_STATE',
  dataType: 'STRING',
  value,
})

it.each([
  ['the state measured with the voltage holds', [voltage(11.1, 5), state('Warning', 5)], 'Warning', 5],
  ['a voltage in between ends an earlier state', [voltage(12.4, 9), state('Loading', 5)], 'Normal', 9],
  ['a state without a voltage holds', [state('Very Low', 3)], 'Very Low', 3],
  ['a voltage alone is in between', [voltage(12.4, 1)], 'Normal', 1],
])('%s', (_case, events, expected, minute) => {
  expect(batteryOf(events)).toMatchObject({ state: expected, measuredMs: Date.parse(at(minute)) })
})

it('is unknown when the car has told nothing of it', () => {
  expect(batteryOf([])).toBeUndefined()
})
