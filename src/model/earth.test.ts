import fc from 'fast-check'
import { expect, it } from 'vitest'
import { distanceM, isFartherThan } from './earth.ts'

it('whether places are farther from each other than a limit is what their distance says', () => {
  const anyPlace = fc.record({
    lat: fc.double({ min: -90, max: 90, noNaN: true }),
    lon: fc.double({ min: -180, max: 180, noNaN: true }),
  })
  const degrees = fc.oneof(
    fc.double({ min: -0.01, max: 0.01, noNaN: true }),
    fc.double({ min: -360, max: 360, noNaN: true }),
  )
  const anyPlaces = fc.tuple(anyPlace, degrees, degrees).map(([a, north, east]) => ({
    a,
    b: { lat: Math.max(-90, Math.min(90, a.lat + north)), lon: Math.max(-180, Math.min(180, a.lon + east)) },
  }))
  const share = fc.oneof(fc.constantFrom(1, 1 - 1e-12, 1 + 1e-12), fc.double({ min: 0, max: 3, noNaN: true }))
  fc.assert(
    fc.property(anyPlaces, share, ({ a, b }, ofDistance) => {
      const limitM = Math.max(1, distanceM(a, b) * ofDistance)
      expect(isFartherThan(limitM, a, b)).toBe(distanceM(a, b) > limitM)
    }),
    { numRuns: 2000 },
  )
})
