import { expect, test } from 'vitest'
import { type Column, inOrder } from './column.ts'

interface Car {
  readonly plate: string
  readonly km?: number
}

const columns: readonly Column<Car>[] = [
  { id: 'plate', title: 'Plate', cell: car => car.plate, order: car => car.plate },
  { id: 'km', title: 'Distance', cell: car => car.km, order: car => car.km },
]
const cars: readonly Car[] = [{ plate: 'M-Z 10', km: 5 }, { plate: 'M-Z 9' }, { plate: 'M-Ä 1', km: 20 }]

const plates = (columnId: string, isDescending: boolean) =>
  inOrder(cars, columns, { columnId, isDescending }, 'de').map(({ plate }) => plate)

test('texts come in the order of the language, numbers inside them by value', () => {
  expect(plates('plate', false)).toEqual(['M-Ä 1', 'M-Z 9', 'M-Z 10'])
  expect(plates('plate', true)).toEqual(['M-Z 10', 'M-Z 9', 'M-Ä 1'])
})

test('what has no value comes last in both directions', () => {
  expect(plates('km', false)).toEqual(['M-Z 10', 'M-Ä 1', 'M-Z 9'])
  expect(plates('km', true)).toEqual(['M-Ä 1', 'M-Z 10', 'M-Z 9'])
})

test('a column without an order leaves rows as they are', () => {
  expect(inOrder(cars, columns, { columnId: 'other', isDescending: false }, 'en')).toEqual(cars)
})
