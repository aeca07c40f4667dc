import { expect, it } from 'vitest'
import { tripRow } from './trip-facts.ts'

const address = { id: '1', road: 'Hauptstraße', houseNumber: '1', suburb: '', locality: 'Karlsruhe', state: '' }
const meter = { dataType: 'NUMBER', unit: 'km', unit_id: 111, eventType: 'MILEAGE' }
const trip = {
  id: '789',
  deviceId: 1,
  vehicleId: 'VIN1',
  tripStartAddress: { ...address, country: 'Germany', postcode: '76133', lat: 49, lon: 8 },
  tripEndAddress: null,
  distance: 5.795,
  duration: 630,
  tripStartTimestamp: new Date(2026, 10, 21, 12, 35, 19).toISOString(),
  tripEndTimestamp: new Date(2026, 10, 21, 12, 45, 49).toISOString(),
  aggregations: [
    { ...meter, aggregationType: 'START' as const, value: 218_349.5 },
    { ...meter, aggregationType: 'END' as const, value: 218_355.3 },
  ],
  deleteTimestamp: null,
  modifyTimestamp: '2026-11-21T13:05:14.982388Z',
}

it('says in numbers and local times what the list says, and the odometer', () => {
  expect(tripRow(trip, 'KA-TX 1', () => '')).toEqual([
    'KA-TX 1',
    'VIN1',
    new Date(2026, 10, 21, 12, 35, 19),
    'Hauptstraße 1, 76133 Karlsruhe, Germany',
    new Date(2026, 10, 21, 12, 45, 49),
    '',
    5.795,
    10.5,
    33.1,
    218_349.5,
    218_355.3,
    '789',
  ])
})

it('leaves empty what was not measured', () => {
  const row = tripRow({ ...trip, tripStartAddress: null, aggregations: [], duration: 0 }, 'x', () => 'Depot')
  expect([row[3], row[8], row[9], row[10]]).toEqual(['', undefined, undefined, undefined])
})

it('names a place as the list does', () => {
  expect(tripRow(trip, 'x', ({ lat }) => (lat === 49 ? 'Depot' : ''))[3]).toBe('Depot')
})
