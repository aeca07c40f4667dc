import { describe, expect, test } from 'vitest'
import type { Car } from './car.ts'
import { filtered, inOrder } from './in-order.ts'

function carNamed(name: string, state: Car['state']): Car {
  const unknown = { vin: '', deviceId: null, makeAndModel: '', headingDeg: undefined, speedKmh: undefined }
  const nowhere = { longitude: undefined, latitude: undefined, positionMs: undefined, tripId: '', isHidden: false }
  return { ...unknown, ...nowhere, id: name, name, plate: name, state }
}

const cars = [
  carNamed('B-TX 10', 'parked'),
  carNamed('b-tx 9', 'parked'),
  carNamed('B-TX 3', 'offline'),
  carNamed('B-TX 2', 'driving'),
  carNamed('M-TX 1', 'warning'),
]

test('cars that need a look come first, those of one state by name, numbers by value', () => {
  expect(inOrder(cars).map(car => car.name)).toEqual(['M-TX 1', 'B-TX 2', 'b-tx 9', 'B-TX 10', 'B-TX 3'])
})

describe('the filter', () => {
  test('counts each state of what the search finds, whichever state is shown', () => {
    const { shown, found, counts } = filtered(cars, { search: 'b-tx', state: 'parked' })
    expect(shown.map(car => car.name)).toEqual(['B-TX 10', 'b-tx 9'])
    expect(found).toBe(4)
    expect(counts).toEqual({ warning: 0, driving: 1, parked: 2, offline: 1 })
  })

  test('without search and state shows all', () => {
    expect(filtered(cars, { search: '', state: undefined }).shown).toEqual(cars)
  })
})
