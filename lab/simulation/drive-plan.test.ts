import fc from 'fast-check'
import { expect, test } from 'vitest'
import { motionAt, planDrive, routeLengthM } from './drive-plan.ts'
import { randomRoute } from './random-recording.ts'

const anyRoute = fc
  .record({ seed: fc.nat(), lengthM: fc.integer({ min: 800, max: 40_000 }) })
  .map(({ seed, lengthM }) => randomRoute({ lat: 49.01, lon: 8.4 }, lengthM, seed))

test('a drive covers its route from end to end, at the speeds of a road, without a jump', () => {
  fc.assert(
    fc.property(anyRoute, fc.nat(), (route, seed) => {
      const plan = planDrive(route, seed)
      const last = route.at(-1)
      expect(motionAt(plan, 0)).toMatchObject({ metres: 0, speedKmh: 0 })
      const end = motionAt(plan, plan.lastsMs)
      expect(end.metres).toBeCloseTo(routeLengthM(route), 6)
      expect(end.position.lat).toBeCloseTo(last?.lat ?? 0, 6)
      expect(end.position.lon).toBeCloseTo(last?.lon ?? 0, 6)
      expect(end.speedKmh).toBeCloseTo(0, 6)
      let before = motionAt(plan, 0)
      for (let ms = 0; ms <= plan.lastsMs; ms += 1000) {
        const now = motionAt(plan, ms)
        if (now.metres < before.metres - 1e-6 || now.metres - before.metres > 135 / 3.6)
          throw new Error(`${ms}: a jump`)
        if (Math.abs(now.speedKmh - before.speedKmh) > 12) throw new Error(`${ms}: a jolt`)
        before = now
      }
    }),
    { numRuns: 25 },
  )
})
