import { expect, test } from 'vitest'
import { measurePair, PAIRS } from './two-dongles.ts'

test.each(PAIRS)(
  'of a car with two dongles, $kind every $cadenceS s and another, each drive counts once',
  (...pair) => {
    const { drives, found, f1, kilometreError } = measurePair(pair, { isDisturbed: false, cars: 2, seed: 1 })
    expect(drives).toBeGreaterThan(15)
    expect({ found, f1 }).toEqual({ found: drives, f1: 1 })
    expect(Math.abs(kilometreError)).toBeLessThan(0.02)
  },
)
