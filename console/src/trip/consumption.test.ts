import { expect, it } from 'vitest'
import type { Trip } from '../api/types.ts'
import { consumptionsOf } from './recording.ts'

const level = (eventType: string, unit: string, start: number, end: number): Trip['aggregations'] =>
  (['START', 'END'] as const).map(aggregationType => ({
    eventType,
    dataType: 'NUMBER',
    aggregationType,
    value: aggregationType === 'START' ? start : end,
    unit,
    unit_id: 1,
  }))

const trip = (distance: number, aggregations: Trip['aggregations']): Trip => ({
  id: '1',
  deviceId: 1,
  vehicleId: 'VIN1',
  tripStartAddress: null,
  tripEndAddress: null,
  distance,
  duration: 3600,
  tripStartTimestamp: '2026-01-01T00:00:00.000Z',
  tripEndTimestamp: '2026-01-01T01:00:00.000Z',
  aggregations,
  deleteTimestamp: null,
  modifyTimestamp: '2026-01-01T01:00:00.000000Z',
})

it('is in litres where they are known, over 100 km where the way was long enough', () => {
  const aggregations = [...level('FUEL_LEVEL_PERCENT', '%', 80, 70), ...level('FUEL_LEVEL', 'l', 40, 37)]
  expect(consumptionsOf(trip(50, aggregations))).toEqual([{ kind: 'fuel', used: 3, unit: 'l', per100Km: 6 }])
  expect(consumptionsOf(trip(5, aggregations))).toMatchObject([{ used: 3, per100Km: undefined }])
})

it('a share of the tank says nothing of litres', () => {
  expect(consumptionsOf(trip(50, level('FUEL_LEVEL_PERCENT', '%', 80, 70)))).toEqual([
    { kind: 'fuel', used: 10, unit: '%', per100Km: undefined },
  ])
})

it('a hybrid uses both, and one that was refuelled or charged says nothing', () => {
  const both = [...level('FUEL_LEVEL', 'l', 40, 38), ...level('HV_BATTERY_SOC', '%', 60, 40)]
  expect(consumptionsOf(trip(50, both)).map(({ kind }) => kind)).toEqual(['fuel', 'charge'])
  expect(consumptionsOf(trip(50, level('FUEL_LEVEL', 'l', 10, 50)))).toEqual([])
})
