import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BufferedBytes } from './open-streams.ts'

const LIMITS = { perAccount: 100, total: 250 }

const connection = (accountId: number, ...sizes: number[]) => ({
  accountId,
  waiting: sizes.map(size => Buffer.alloc(size)),
})

describe('what waits for clients', () => {
  it('is given up where most waits for one client, until the account is within its limit', () => {
    const buffered = new BufferedBytes(LIMITS)
    const [small, large, larger] = [connection(1, 30), connection(1, 20, 30), connection(1, 60)]
    expect(buffered.recount([small, larger, large])).toEqual([larger])
  })

  it('counts once when it waits for many', () => {
    const piece = Buffer.alloc(90)
    const followers = Array.from({ length: 50 }, () => ({ accountId: 1, waiting: [piece] }))
    expect(new BufferedBytes(LIMITS).recount(followers)).toEqual([])
  })

  it('of the account that has the most is given up when all together have too much, and none of others', () => {
    const buffered = new BufferedBytes({ perAccount: 200, total: 250 })
    const greedy = [connection(1, 90), connection(1, 100)]
    expect(buffered.recount([connection(2, 40), ...greedy, connection(3, 40)])).toEqual([greedy[1]])
  })

  it('keeps more from being read for an account that has half of its limit, until that is taken', () => {
    const buffered = new BufferedBytes(LIMITS)
    buffered.recount([connection(1, 51), connection(2, 49)])
    expect([buffered.isFull(1), buffered.isFull(2)]).toEqual([true, false])
    buffered.recount([connection(2, 49)])
    expect(buffered.isFull(1)).toBe(false)
  })

  it('is within all limits when those who are to give it up have done so', () => {
    const sizes = fc.array(fc.nat({ max: 60 }), { maxLength: 4 })
    const connections = fc.array(fc.record({ accountId: fc.integer({ min: 1, max: 4 }), sizes }), { maxLength: 20 })
    fc.assert(
      fc.property(connections, given => {
        const all = given.map(({ accountId, sizes: own }) => connection(accountId, ...own))
        const excess = new Set(new BufferedBytes(LIMITS).recount(all))
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
