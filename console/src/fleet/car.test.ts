import { expect, test } from 'vitest'
import type { Vehicle } from '../api/types.ts'
import { carOf, nameOf } from './car.ts'
import { event, factsOf, NOW_MS, vehicleWith } from './made-car.ts'

test('a car is called by its plate, else make and model, else VIN, else IMEI', () => {
  const named = { licensePlate: 'B-TX 1', make: 'Škoda', model: 'Octavia', vin: 'TMBJG7NE4K0010000' }
  const name = (more: Partial<Vehicle>) => nameOf(vehicleWith([], more))
  expect(name(named)).toBe('B-TX 1')
  expect(name({ ...named, licensePlate: '' })).toBe('Škoda Octavia')
  expect(name({ ...named, licensePlate: '', make: '', model: '' })).toBe('TMBJG7NE4K0010000')
  expect(name({})).toBe('356307042441013')
})

test('the position is read from its text', () => {
  const events = [event('POSITION', 'POINT(9.5195706 51.3373017)'), event('GPS_COURSE', 90)]
  const { state, headingDeg } = carOf(factsOf(events))
  expect(state.place).toEqual({ kind: 'at', longitude: 9.519_570_6, latitude: 51.337_301_7, measuredMs: NOW_MS })
  expect(headingDeg).toBe(90)
  expect(carOf(factsOf([])).state.place).toEqual({ kind: 'neverReported' })
})
