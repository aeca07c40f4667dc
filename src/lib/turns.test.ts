import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TurnQueue, Turns } from './turns.ts'

function drained<Item>(queue: TurnQueue<string, Item>): Item[] {
  const items: Item[] = []
  for (let item = queue.next(); item !== undefined; item = queue.next()) items.push(item)
  return items
}

test('names take turns, each in its own order', () => {
  const queue = new TurnQueue<string, string>(10, 10)
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.add(item.slice(0, 1), item)
  expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
})

test('a full queue takes from whoever has most, and turns away who has as much', () => {
  const queue = new TurnQueue<string, string>(4, 3)
  for (const item of ['a1', 'a2', 'a3', 'b1']) expect(queue.add(item.slice(0, 1), item)).toBeUndefined()
  expect(queue.add('a', 'a4')).toBe('a4')
  expect(queue.add('c', 'c1')).toBe('a3')
  expect(queue.add('d', 'd1')).toBe('a2')
  expect(queue.add('e', 'e1')).toBe('e1')
  expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'd1'])
})

const items = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e'), isTaken: fc.boolean() }), {
  maxLength: 200,
})

test('whatever comes: nothing is lost or twice, the bounds hold, and nobody is passed by twice by one other', () => {
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 8 }), (steps, most, mostEach) => {
      const queue = new TurnQueue<string, { readonly name: string; readonly id: number }>(most, mostEach)
      /** By the id of who waits: how often each other name was served since it was the next of its own. */
      const waiting = new Map<number, Map<string, number>>()
      const passes: number[] = []
      const gone: number[] = []
      const isNextOfItsName = (id: number) =>
        ![...waiting.keys()].some(before => before < id && steps[before]?.name === steps[id]?.name)
      for (const [id, { name, isTaken }] of steps.entries()) {
        waiting.set(id, new Map())
        const left = queue.add(name, { name, id })
        const taken = isTaken ? queue.next() : undefined
        for (const item of [left, taken].filter(one => one !== undefined)) {
          waiting.delete(item.id)
          gone.push(item.id)
        }
        if (!taken) continue
        for (const [other, passedBy] of waiting) {
          if (steps[other]?.name === taken.name || !isNextOfItsName(other)) continue
          const times = (passedBy.get(taken.name) ?? 0) + 1
          passedBy.set(taken.name, times)
          passes.push(times)
        }
        expect(queue.size).toBe(waiting.size)
        expect(queue.size).toBeLessThanOrEqual(most)
      }
      expect(Math.max(0, ...passes)).toBeLessThanOrEqual(1)
      gone.push(...drained(queue).map(({ id }) => id))
      expect(gone.sort((left, right) => left - right)).toEqual(steps.map((_step, id) => id))
    }),
  )
})

test('accounts take turns, and the event loop has many rounds between two of them', async () => {
  const turns = new Turns<number | undefined>()
  const order: string[] = []
  const take = (name: string, account: number | undefined) => void turns.next(account).then(() => order.push(name))
  for (const name of ['a1', 'a2', 'a3']) take(name, 1)
  take('b1', 2)
  take('nobody', undefined)
  const rounds: number[] = []
  for (let round = 0; order.length < 5; round++) {
    await setImmediate()
    while (rounds.length < order.length) rounds.push(round)
  }
  expect(order).toEqual(['a1', 'b1', 'nobody', 'a2', 'a3'])
  expect(rounds.slice(1).every((round, index) => round - (rounds[index] ?? 0) >= 50)).toBe(true)
})

test('who connects while others compute is let in soon', async () => {
  const turns = new Turns<number | undefined>()
  const over = new AbortController()
  const computing = async () => {
    while (!over.signal.aborted) {
      await turns.next(1)
      for (const endMs = performance.now() + 20; performance.now() < endMs; );
    }
  }
  const computed = Promise.all([computing(), computing()])
  let accepted = 0
  const server = createServer(() => accepted++).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets = Array.from({ length: 200 }, () => connect(port, '127.0.0.1'))
  try {
    let turnsTaken = 0
    for (; accepted < sockets.length; turnsTaken++) await turns.next(2)
    // One in each round of the event loop: a turn in each would make them wait for two hundred.
    expect(turnsTaken).toBeLessThan(50)
  } finally {
    over.abort()
    await computed
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})

test('it goes on after it had nothing to do', async () => {
  const turns = new Turns<number | undefined>()
  await turns.next(1)
  await setImmediate()
  await expect(turns.next(1)).resolves.toBeUndefined()
})
