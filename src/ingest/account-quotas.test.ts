import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UsedUp } from './account-quotas.ts'

describe('an allowance of so many a minute', () => {
  it('may be used up at once, and again a minute later', () => {
    const used = new UsedUp(600, 0, 0)
    used.add(599, 0)
    expect(used.waitS(0)).toBe(0)
    used.add(1, 0)
    expect(used.waitS(0)).toBeGreaterThan(0)
    expect(used.waitS(1100)).toBe(0)
    expect(used.amount(30_000)).toBe(300)
    expect(used.amount(90_000)).toBe(0)
  })

  it('takes one that is larger, which is waited for afterwards', () => {
    const used = new UsedUp(600, 0, 0)
    used.add(6000, 0)
    expect(used.waitS(0)).toBe(540)
    expect(used.waitS(530_000)).toBeLessThanOrEqual(11)
    expect(used.waitS(541_000)).toBe(0)
  })

  it('lets nobody who waits as long as was said wait again, and never more through than it may', () => {
    const sends = fc.array(fc.record({ pauseMs: fc.nat(20_000), amount: fc.integer({ min: 1, max: 500 }) }))
    fc.assert(
      fc.property(sends, fc.integer({ min: 60, max: 6000 }), (items, perMinute) => {
        const used = new UsedUp(perMinute, 0, 0)
        let nowMs = 0
        let through = 0
        for (const { pauseMs, amount } of items) {
          nowMs += pauseMs
          nowMs += used.waitS(nowMs) * 1000 + 1
          expect(used.waitS(nowMs)).toBe(0)
          used.add(amount, nowMs)
          through += amount
          expect(through).toBeLessThanOrEqual(perMinute * (1 + nowMs / 60_000) + amount)
        }
      }),
    )
  })
})
