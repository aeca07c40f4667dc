import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Pace, type PaceLimits } from './pace.ts'

const LIMITS: PaceLimits = { leastBytesPerS: 1000, patienceMs: 30_000 }

/** Seconds until there is no patience left, of a transfer that moves so many bytes each second; undefined when it lasts. */
function secondsUntilCut(bytesOf: (second: number) => number, seconds = 600): number | undefined {
  const pace = new Pace(LIMITS)
  for (let second = 1; second <= seconds; second++) if (!pace.spend(1000, bytesOf(second))) return second
  return undefined
}

test('what moves at the least rate or faster is never cut, however it is spread within the patience', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 29 }), fc.integer({ min: 1000, max: 1e7 }), (everyS, bytesPerS) => {
      const cut = secondsUntilCut(second => (second % everyS === 0 ? bytesPerS * everyS : 0))
      expect(cut).toBeUndefined()
    }),
  )
})

test('what stands still is cut after the patience, however much was moved before', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1000, max: 1e9 }), (movingS, bytesPerS) => {
      expect(secondsUntilCut(second => (second <= movingS ? bytesPerS : 0))).toBe(movingS + 30)
    }),
  )
})

test('a drip is cut: half the least rate uses the patience up in twice its time', () => {
  expect(secondsUntilCut(() => 500)).toBe(60)
  expect(secondsUntilCut(() => 1)).toBe(31)
})
