import { expect, test } from 'vitest'
import { eventTypeByName } from '../../src/catalogue/event-types.ts'
import { carIdentity, KEY_COLUMNS, LEFT_OUT_COLUMNS, MEASURED_COLUMNS, POSITION_COLUMNS } from './recording.ts'

test.each(MEASURED_COLUMNS)('$column is sent as $eventType, unit and all', ({ eventType, unit }) => {
  expect(eventTypeByName(eventType)).toMatchObject({ dataType: 'NUMBER', unit })
})

test('no column and no event type stands twice', () => {
  const columns = [
    ...Object.values(KEY_COLUMNS),
    ...Object.values(POSITION_COLUMNS),
    ...MEASURED_COLUMNS.map(({ column }) => column),
    ...LEFT_OUT_COLUMNS,
  ]
  expect(new Set(columns).size).toBe(columns.length)
  expect(new Set(MEASURED_COLUMNS.map(({ eventType }) => eventType)).size).toBe(MEASURED_COLUMNS.length)
})

test('every car has an IMEI and a VIN of its own, always the same', () => {
  const cars = Array.from({ length: 2000 }, (_, i) => carIdentity(i + 1))
  expect(new Set(cars.map(car => car.deviceId)).size).toBe(2000)
  expect(new Set(cars.map(car => car.vin)).size).toBe(2000)
  expect(carIdentity(10)).toEqual(cars[9])
  expect(String(carIdentity(999_999).deviceId)).toHaveLength(15)
})
