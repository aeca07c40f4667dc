import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PendingSamples, type Portion, ShareQueue, WHOLE } from './account-shares.ts'

interface Item {
  readonly account: number
  readonly number: number
  left: number
}

function itemsOf(portions: readonly Portion<Item>[]) {
  return portions.map(({ item, amount }) => [item.account, item.number, amount])
}

describe('what waits for its turn', () => {
  it('gives one account alone all there is', () => {
    const queue = new ShareQueue<Item>()
    for (let number = 0; number < 5; number++) queue.add({ account: 1, number, left: 100 })
    expect(itemsOf(queue.take(20_000))).toEqual([0, 1, 2, 3, 4].map(number => [1, number, 100]))
    expect(queue.hasReady).toBe(false)
  })

  it('gives whoever sends little its turn next to somebody who sends very much', () => {
    const queue = new ShareQueue<Item>()
    const large = { account: 1, number: 0, left: 100_000 }
    queue.add(large)
    queue.add({ account: 1, number: 1, left: 1 })
    queue.add({ account: 2, number: 2, left: 3 })
    expect(itemsOf(queue.take(4000))).toEqual([
      [1, 1, 1],
      [1, 0, 1999],
      [2, 2, 3],
    ])
    // Until its part is done, it has no other one.
    expect(queue.take(4000)).toEqual([])
    large.left -= 1999
    queue.partDone(large)
    expect(itemsOf(queue.take(4000))).toEqual([[1, 0, 4000]])
    queue.ended(large)
    expect(queue.hasReady).toBe(false)
  })

  it('hands out everything once, large and whole items of each account in their order, and nobody waits for more than everybody has had a turn', () => {
    const arrivals = fc.array(
      fc.record({ account: fc.integer({ min: 1, max: 4 }), left: fc.integer({ min: 1, max: 6000 }) }),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 5000 }), (sent, most) => {
        const queue = new ShareQueue<Item>()
        const items = sent.map((item, number): Item => ({ ...item, number }))
        for (const item of items) queue.add(item)
        const amounts = new Map<Item, number>()
        const orders = new Map<string, number[]>()
        while (queue.hasReady) {
          const waiting = new Set(items.filter(({ left }) => left > 0).map(({ account }) => account)).size
          const portions = queue.take(most)
          const total = portions.reduce((sum, { amount }) => sum + amount, 0)
          expect(total).toBeGreaterThan(0)
          expect(total).toBeLessThan(most + (waiting + 1) * WHOLE)
          const accounts = new Set(portions.map(({ item }) => item.account)).size
          expect(accounts).toBeGreaterThanOrEqual(most / waiting >= WHOLE ? waiting : 1)
          for (const { item, amount } of portions) {
            amounts.set(item, (amounts.get(item) ?? 0) + amount)
            const line = `${item.account} ${(sent[item.number]?.left ?? 0) > WHOLE}`
            orders.set(line, [...(orders.get(line) ?? []), item.number])
            const isWhole = item.left === amount
            item.left -= amount
            if (isWhole) queue.ended(item)
            else queue.partDone(item)
          }
        }
        expect(items.map(item => amounts.get(item))).toEqual(sent.map(({ left }) => left))
        for (const numbers of orders.values()) expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
      }),
    )
  })
})

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
