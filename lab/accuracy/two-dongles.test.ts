import { expect, test } from 'vitest'
import { measurePair, PAIRS } from './cell.ts'

test.each(PAIRS)(
  'of a car with two dongles, $kind every $cadenceS s and another, each drive counts once',
  (...pair) => {
    const { drives, found, f1, kilometreError } = measurePair(pair, { isDisturbed: false, cars: 2, seed: 1 })
    expect(drives).toBeGreaterThan(15)
    expect({ found, f1 }).toEqual({ found: drives, f1: 1 })
    expect(Math.abs(kilometreError)).toBeLessThan(0.02)
  },
)

test('of cars with two dongles, drives are found through everything that can go wrong', () => {
  // Of so few drives, one more or less is a percent: all pairs together must hold the limit.
  const scores = PAIRS.map(pair => measurePair(pair, { isDisturbed: true, cars: 3, seed: 1 }))
  expect(scores.reduce((sum, { f1 }) => sum + f1, 0) / scores.length).toBeGreaterThanOrEqual(0.95)
})
