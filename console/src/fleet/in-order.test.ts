import { describe, expect, test } from 'vitest'
import { filtered, inOrder } from './car.ts'
import type { Health, Movement } from './car-state.ts'
import { carCalled } from './made-car.ts'

const DRIVING: Movement = { kind: 'driving', speedKmh: 50 }
const SILENT: Movement = { kind: 'silent', sinceMs: 0, isInTrip: false }
const ILL: Health = { kind: 'attention', reasons: [{ kind: 'lamp', sinceMs: 0 }] }

const cars = [
  carCalled('B-TX 10'),
  carCalled('b-tx 9'),
  carCalled('B-TX 3', { movement: SILENT }),
  carCalled('B-TX 2', { movement: DRIVING }),
  carCalled('B-TX 1', { movement: DRIVING, health: ILL }),
  carCalled('M-TX 1', { health: ILL }),
]
const ALL = { search: '', movement: undefined, isAttention: false }

test('cars that need attention come first, then those that are silent, then by movement and name, numbers by value', () => {
  expect(inOrder(cars).map(car => car.name)).toEqual(['B-TX 1', 'M-TX 1', 'B-TX 3', 'B-TX 2', 'b-tx 9', 'B-TX 10'])
})

test('cars are in another order for who wants one, those of which it is not known at the end', () => {
  const energy = (value: number, unit: string) => ({
    energy: { kind: 'fuel', value, unit, isCharging: false } as const,
  })
  const fleet = [
    carCalled('B', { ...energy(30, '%'), newestMs: 3 }),
    carCalled('A', { newestMs: 2 }),
    carCalled('C', { ...energy(12, 'l'), newestMs: 1 }),
    carCalled('D', { ...energy(5, '%'), newestMs: undefined }),
  ]
  const namesBy = (order: 'name' | 'silence' | 'energy') => inOrder(fleet, order).map(car => car.name)
  expect(namesBy('name')).toEqual(['A', 'B', 'C', 'D'])
  expect(namesBy('silence')).toEqual(['D', 'C', 'A', 'B'])
  expect(namesBy('energy')).toEqual(['D', 'B', 'C', 'A'])
})

describe('the filter', () => {
  const names = (...filter: Parameters<typeof filtered>) => filtered(...filter).shown.map(car => car.name)

  test('shows what a search, a movement and attention have in common', () => {
    expect(names(cars, ALL)).toHaveLength(6)
    expect(names(cars, { ...ALL, search: 'b-tx', movement: 'parked' })).toEqual(['B-TX 10', 'b-tx 9'])
    expect(names(cars, { ...ALL, movement: 'driving', isAttention: true })).toEqual(['B-TX 1'])
  })

  test('counts what each choice would show beside the others', () => {
    const { counts } = filtered(cars, { search: 'b-tx', movement: 'driving', isAttention: false })
    expect(counts.movements).toMatchObject({ driving: 2, parked: 2, silent: 1, idling: 0 })
    expect(counts.all).toBe(5)
    expect(counts.attention).toBe(1)
  })
})
