import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PendingSamples } from './pending-samples.ts'

describe('the place for samples that are not stored yet', () => {
  it('is all of one account that sends alone, and no more', () => {
    const pending = new PendingSamples(100)
    pending.add({ account: 1, length: 60 })
    expect(pending.hasRoom({ account: 1, length: 40 })).toBe(true)
    expect(pending.hasRoom({ account: 1, length: 41 })).toBe(false)
  })

  it('has room for whoever has less than an equal share, however much another one sent', () => {
    const pending = new PendingSamples(100)
    pending.add({ account: 1, length: 100 })
    expect(pending.hasRoom({ account: 2, length: 1 })).toBe(true)
    pending.add({ account: 2, length: 1 })
    expect(pending.hasRoom({ account: 2, length: 49 })).toBe(true)
    expect(pending.hasRoom({ account: 2, length: 50 })).toBe(false)
    expect(pending.hasRoom({ account: 1, length: 1 })).toBe(false)
  })

  it('is free again when everybody was answered', () => {
    const shares = fc.array(
      fc.record({ account: fc.integer({ min: 1, max: 5 }), length: fc.integer({ min: 1, max: 90 }) }),
    )
    fc.assert(
      fc.property(shares, items => {
        const pending = new PendingSamples(100)
        const taken = items.filter(item => {
          const hasRoom = pending.hasRoom(item)
          if (hasRoom) pending.add(item)
          return hasRoom
        })
        expect(pending.total).toBe(taken.reduce((sum, { length }) => sum + length, 0))
        for (const item of taken) pending.answered(item)
        expect(pending.total).toBe(0)
        expect(pending.hasRoom({ account: 1, length: 100 })).toBe(true)
      }),
    )
  })
})
