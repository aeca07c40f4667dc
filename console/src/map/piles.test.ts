import { expect, test } from 'vitest'
import { carCalled } from '../fleet/made-car.ts'
import { pilesOf } from './piles.ts'

const at = (name: string, longitude: number, latitude: number) =>
  carCalled(name, { place: { kind: 'at', longitude, latitude, measuredMs: 0 } })

test('cars at one place are drawn beside one another, as far as their images are wide', () => {
  const names = Array.from({ length: 40 }, (_, index) => `car ${index}`)
  const piles = pilesOf([...names.map(name => at(name, 9.99, 53.55)), at('elsewhere', 9.991, 53.55)])
  expect([...piles.keys()].sort()).toEqual(names.sort())
  const offsets = [...piles.values()]
  for (const [index, [x, y]] of offsets.entries())
    for (const [otherX, otherY] of offsets.slice(index + 1))
      expect(Math.hypot(x - otherX, y - otherY)).toBeGreaterThan(12)
})

test('a car by itself is drawn where it is, and so is one of which nobody knows where it is', () => {
  const nowhere = carCalled('nowhere', { place: { kind: 'neverReported' } })
  expect(pilesOf([at('alone', 9.99, 53.55), nowhere]).size).toBe(0)
})

test('every car keeps its side, whatever order they come in', () => {
  const cars = ['a', 'b', 'c', 'd'].map(name => at(name, 9.99, 53.55))
  expect(pilesOf(cars.toReversed())).toEqual(pilesOf(cars))
})
