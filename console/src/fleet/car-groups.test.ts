import { expect, test } from 'vitest'
import { carGroups } from './car.ts'
import { carCalled } from './made-car.ts'

const car = (name: string, more: { readonly group?: string; readonly makeAndModel?: string } = {}) => ({
  ...carCalled(name),
  ...more,
})

const shape = (groups: ReturnType<typeof carGroups>) =>
  groups.map(({ name, cars }) => ['text' in name ? name.text : name, cars.map(each => each.name)])

test('groups of people stand by their names, cars keep their order, and those in none come last', () => {
  const cars = [
    car('d'),
    car('c', { group: 'Depot 10' }),
    car('b', { group: 'Depot 9' }),
    car('a', { group: 'Depot 10' }),
  ]
  expect(shape(carGroups(cars, 'group'))).toEqual([
    ['Depot 9', ['b']],
    ['Depot 10', ['c', 'a']],
    ['', ['d']],
  ])
})

test('cars of one make and model stand together', () => {
  const cars = [car('a', { makeAndModel: 'VW Golf' }), car('b', { makeAndModel: 'Opel Corsa' })]
  expect(shape(carGroups(cars, 'model'))).toEqual([
    ['Opel Corsa', ['b']],
    ['VW Golf', ['a']],
  ])
})

test('what they do and how they are is grouped in the order of the list: what needs a look first', () => {
  const parked = carCalled('parked')
  const ill = carCalled('ill', { health: { kind: 'attention', reasons: [{ kind: 'lamp', sinceMs: 0 }] } })
  const silent = carCalled('silent', { movement: { kind: 'silent', sinceMs: 0, isInTrip: false } })
  expect(carGroups([parked, silent], 'movement').map(({ name }) => name)).toEqual([
    { by: 'movement', movement: 'silent' },
    { by: 'movement', movement: 'parked' },
  ])
  expect(carGroups([parked, ill], 'health').map(({ name }) => name)).toEqual([
    { by: 'health', health: 'attention' },
    { by: 'health', health: 'unknown' },
  ])
})
