import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { daysLeft, type FreeSpace, SHORTEST_SPAN_MS } from './disk-watch.ts'

const HOUR_MS = 3600_000
const GB = 1e9

/** A disk on which so much is written an hour, looked at every ten minutes. */
const filling = (freeGb: number, gbAnHour: number, hours: number): FreeSpace[] =>
  Array.from({ length: hours * 6 + 1 }, (_, index) => ({
    atMs: (index * HOUR_MS) / 6,
    freeBytes: (freeGb - (gbAnHour * index) / 6) * GB,
  }))

describe('the days until a disk is full', () => {
  it('are what is free divided by what a day takes', () => {
    expect(daysLeft(filling(124, 1, 4))).toBeCloseTo(5, 6)
    expect(daysLeft(filling(1000, 0.1, 24 * 7))).toBeCloseTo((1000 - 0.1 * 24 * 7) / 2.4, 6)
  })

  it('are unknown before an hour has been seen, and when nothing fills', () => {
    expect(daysLeft([])).toBeUndefined()
    expect(daysLeft(filling(100, 1, 0))).toBeUndefined()
    expect(daysLeft(filling(100, 1, 4).filter(({ atMs }) => atMs < SHORTEST_SPAN_MS))).toBeUndefined()
    expect(daysLeft(filling(100, 0, 10))).toBeUndefined()
    expect(daysLeft(filling(100, -1, 10))).toBeUndefined()
    expect(daysLeft(filling(100_000, 0.001, 10))).toBeUndefined()
  })

  it('hardly change when a week is dropped, or a copy is laid beside the data', () => {
    const before = filling(500, 1, 100)
    for (const jumpGb of [200, -200]) {
      const after = before.map(({ atMs, freeBytes }) => ({
        atMs,
        freeBytes: freeBytes + (atMs > 80 * HOUR_MS ? jumpGb * GB : 0),
      }))
      const left = daysLeft(after) ?? 0
      const free = (400 + jumpGb) / 24
      expect(left / free).toBeGreaterThan(0.5)
      expect(left / free).toBeLessThan(1.5)
    }
  })

  it('do not depend on units, and are fewer the less is free', () => {
    const someSamples = fc
      .array(fc.record({ stepMs: fc.integer({ min: 60_000, max: HOUR_MS }), freeBytes: fc.nat(1e12) }), {
        maxLength: 40,
      })
      .map(steps => {
        let atMs = 0
        return steps.map(({ stepMs, freeBytes }): FreeSpace => ({ atMs: (atMs += stepMs), freeBytes }))
      })
    fc.assert(
      fc.property(someSamples, samples => {
        const left = daysLeft(samples)
        if (left === undefined) return
        expect(left).toBeGreaterThanOrEqual(0)
        const doubled = daysLeft(samples.map(({ atMs, freeBytes }) => ({ atMs, freeBytes: freeBytes * 2 })))
        expect(doubled).toBeCloseTo(left, 6)
        const less = daysLeft(samples.map(({ atMs, freeBytes }) => ({ atMs, freeBytes: freeBytes - 1000 })))
        expect(less).toBeLessThanOrEqual(left)
      }),
    )
  })
})
