import fc from 'fast-check'
import { expect, it } from 'vitest'
import { clippedTo, isIn, overlap } from './time-range.ts'

const anyEnd = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.constantFrom(-Infinity, Infinity))
const anyRange = fc.tuple(anyEnd, anyEnd).map(([fromMs, toMs]) => ({ fromMs, toMs }))

it('what is clipped holds exactly the instants that lie in both', () => {
  fc.assert(
    fc.property(anyRange, anyRange, fc.integer({ min: -6, max: 6 }), (range, bounds, timeMs) => {
      const clipped = clippedTo(bounds, { ...range, deviceId: 1 })
      expect(clipped !== undefined && isIn(clipped, timeMs)).toBe(isIn(range, timeMs) && isIn(bounds, timeMs))
      expect(clipped?.deviceId ?? 1).toBe(1)
    }),
  )
})

it('ranges overlap when an instant lies in both', () => {
  expect(overlap({ fromMs: 0, toMs: 2 }, { fromMs: 1, toMs: 3 })).toBe(true)
  expect(overlap({ fromMs: 0, toMs: 1 }, { fromMs: 1, toMs: Infinity })).toBe(false)
})
