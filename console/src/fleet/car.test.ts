import { describe, expect, test } from 'vitest'
import { carCalled, event, factsOf, NOW_MS, vehicleWith } from '../../test/made-car.ts'
import type { Vehicle } from '../api/types.ts'
import { carGroups, carOf, filtered, inOrder, isFound, nameOf, ownNames } from './car.ts'
import type { Health, Movement } from './car-state.ts'

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

test('cars without plates are told apart by the end of their number, others are called as they are', () => {
  const kangoo = { make: 'Renault', model: 'Kangoo' }
  const cars = [
    vehicleWith([], { ...kangoo, id: 'VINVF1FW0ZB012345678' }),
    vehicleWith([], { ...kangoo, id: 'IMEI_356307042441013' }),
    vehicleWith([], { ...kangoo, licensePlate: 'K-FL 7', id: 'VINVF1FW0ZB012345679' }),
  ]
  expect(cars.map(ownNames(cars))).toEqual(['Renault Kangoo …45678', 'Renault Kangoo …41013', 'K-FL 7'])
})

const golf = {
  name: 'B-TX 102',
  plate: 'B-TX 102',
  vin: 'WVWZZZ1KZAW000102',
  deviceId: 356_307_042_441_013,
  makeAndModel: 'Volkswagen Golf',
}

describe('search', () => {
  test.each(['B-TX 102', 'btx102', 'b tx', '  TX-102 ', 'wvwzzz1k', '2441013', 'golf', 'Volkswagen  golf', ''])(
    '"%s" finds the car',
    typed => expect(isFound(golf, typed)).toBe(true),
  )

  test.each(['B-TX 103', 'passat', '102wvw', '0'.repeat(15)])('"%s" does not', typed =>
    expect(isFound(golf, typed)).toBe(false),
  )

  test('accents need not be typed, and may be', () => {
    const czech = { ...golf, makeAndModel: 'Škoda Octavia', plate: 'TÜ-X 1' }
    for (const typed of ['skoda', 'ŠKODA', 'tu-x', 'tü x']) expect(isFound(czech, typed)).toBe(true)
  })

  test('a car without a dongle or plate is found by what it has', () => {
    const bare = { name: 'WVWZZZ1KZAW000103', plate: '', vin: 'WVWZZZ1KZAW000103', deviceId: null, makeAndModel: '' }
    expect(isFound(bare, 'kzaw000103')).toBe(true)
    expect(isFound(bare, 'null')).toBe(false)
  })
})

const DRIVING: Movement = { kind: 'driving', speedKmh: 50 }
const SILENT: Movement = { kind: 'silent', sinceMs: 0, isInTrip: false }
const ILL: Health = { kind: 'attention', reasons: [{ kind: 'lamp', sinceMs: 0 }] }

const mixed = [
  carCalled('B-TX 10'),
  carCalled('b-tx 9'),
  carCalled('B-TX 3', { movement: SILENT }),
  carCalled('B-TX 2', { movement: DRIVING }),
  carCalled('B-TX 1', { movement: DRIVING, health: ILL }),
  carCalled('M-TX 1', { health: ILL }),
]
const ALL = { search: '', movement: undefined, isAttention: false }

test('cars that need attention come first, then those that are silent, then by movement and name, numbers by value', () => {
  expect(inOrder(mixed).map(car => car.name)).toEqual(['B-TX 1', 'M-TX 1', 'B-TX 3', 'B-TX 2', 'b-tx 9', 'B-TX 10'])
})

test('cars are in another order for who wants one, those of which it is not known at the end', () => {
  const energy = (value: number, unit: string) => ({
    energy: { kind: 'fuel', value, unit, isCharging: false } as const,
  })
  const unordered = [
    carCalled('B', { ...energy(30, '%'), newestMs: 3 }),
    carCalled('A', { newestMs: 2 }),
    carCalled('C', { ...energy(12, 'l'), newestMs: 1 }),
    carCalled('D', { ...energy(5, '%'), newestMs: undefined }),
  ]
  const namesBy = (order: 'name' | 'silence' | 'energy') => inOrder(unordered, order).map(car => car.name)
  expect(namesBy('name')).toEqual(['A', 'B', 'C', 'D'])
  expect(namesBy('silence')).toEqual(['D', 'C', 'A', 'B'])
  expect(namesBy('energy')).toEqual(['D', 'B', 'C', 'A'])
})

describe('the filter', () => {
  const names = (...filter: Parameters<typeof filtered>) => filtered(...filter).shown.map(car => car.name)

  test('shows what a search, a movement and attention have in common', () => {
    expect(names(mixed, ALL)).toHaveLength(6)
    expect(names(mixed, { ...ALL, search: 'b-tx', movement: 'parked' })).toEqual(['B-TX 10', 'b-tx 9'])
    expect(names(mixed, { ...ALL, movement: 'driving', isAttention: true })).toEqual(['B-TX 1'])
  })

  test('counts what each choice would show beside the mixed', () => {
    const { counts } = filtered(mixed, { search: 'b-tx', movement: 'driving', isAttention: false })
    expect(counts.movements).toMatchObject({ driving: 2, parked: 2, silent: 1, idling: 0 })
    expect(counts.all).toBe(5)
    expect(counts.attention).toBe(1)
  })
})

const shape = (groups: ReturnType<typeof carGroups>) => groups.map(([key, cars]) => [key, cars.map(each => each.name)])

test('groups of people stand by their names, cars keep their order, and those in none come last', () => {
  const cars = [
    carCalled('d'),
    { ...carCalled('c'), group: 'Depot 10' },
    { ...carCalled('b'), group: 'Depot 9' },
    { ...carCalled('a'), group: 'Depot 10' },
  ]
  expect(shape(carGroups(cars, 'group'))).toEqual([
    ['Depot 9', ['b']],
    ['Depot 10', ['c', 'a']],
    ['', ['d']],
  ])
})

test('what they do and how they are is grouped in the order of the list: what needs a look first', () => {
  const parked = carCalled('parked')
  const [ill, silent] = [carCalled('ill', { health: ILL }), carCalled('silent', { movement: SILENT })]
  expect(carGroups([parked, silent], 'movement').map(([key]) => key)).toEqual(['silent', 'parked'])
  expect(carGroups([parked, ill], 'health').map(([key]) => key)).toEqual(['attention', 'unknown'])
})
