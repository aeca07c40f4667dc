import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HeldBytes } from './held-bytes.ts'

const LIMITS = { perAccount: 100, total: 250 }

const holder = (accountId: number, ...sizes: number[]) => ({
  accountId,
  waiting: sizes.map(size => Buffer.alloc(size)),
})

describe('what waits for clients', () => {
  it('is given up where most waits for one client, until the account is within its limit', () => {
    const held = new HeldBytes(LIMITS)
    const [small, large, larger] = [holder(1, 30), holder(1, 20, 30), holder(1, 60)]
    expect(held.recount([small, larger, large])).toEqual([larger])
  })

  it('counts once when it waits for many', () => {
    const piece = Buffer.alloc(90)
    const followers = Array.from({ length: 50 }, () => ({ accountId: 1, waiting: [piece] }))
    expect(new HeldBytes(LIMITS).recount(followers)).toEqual([])
  })

  it('of the account that has the most is given up when all together have too much, and none of others', () => {
    const held = new HeldBytes({ perAccount: 200, total: 250 })
    const greedy = [holder(1, 90), holder(1, 100)]
    expect(held.recount([holder(2, 40), ...greedy, holder(3, 40)])).toEqual([greedy[1]])
  })

  it('keeps more from being read for an account that has half of its limit, until that is taken', () => {
    const held = new HeldBytes(LIMITS)
    held.recount([holder(1, 51), holder(2, 49)])
    expect([held.isFull(1), held.isFull(2)]).toEqual([true, false])
    held.recount([holder(2, 49)])
    expect(held.isFull(1)).toBe(false)
  })

  it('is within all limits when those who are to give it up have done so', () => {
    const sizes = fc.array(fc.nat({ max: 60 }), { maxLength: 4 })
    const holders = fc.array(fc.record({ accountId: fc.integer({ min: 1, max: 4 }), sizes }), { maxLength: 20 })
    fc.assert(
      fc.property(holders, given => {
        const all = given.map(({ accountId, sizes: own }) => holder(accountId, ...own))
        const excess = new Set(new HeldBytes(LIMITS).recount(all))
        const left = all.filter(item => !excess.has(item))
        const bytesOf = (some: typeof all) =>
          some.flatMap(item => item.waiting).reduce((sum, piece) => sum + piece.length, 0)
        expect(bytesOf(left)).toBeLessThanOrEqual(LIMITS.total)
        for (const accountId of [1, 2, 3, 4])
          expect(bytesOf(left.filter(item => item.accountId === accountId))).toBeLessThanOrEqual(LIMITS.perAccount)
      }),
    )
  })
})
