import { expect, test } from 'vitest'
import { ownNames } from './car.ts'
import { vehicleWith } from './made-car.ts'

test('cars without plates are told apart by the end of their number, others are called as they are', () => {
  const kangoo = { make: 'Renault', model: 'Kangoo' }
  const cars = [
    vehicleWith([], { ...kangoo, id: 'VINVF1FW0ZB012345678' }),
    vehicleWith([], { ...kangoo, id: 'IMEI_356307042441013' }),
    vehicleWith([], { ...kangoo, licensePlate: 'K-FL 7', id: 'VINVF1FW0ZB012345679' }),
  ]
  expect(cars.map(ownNames(cars))).toEqual(['Renault Kangoo …45678', 'Renault Kangoo …41013', 'K-FL 7'])
})
