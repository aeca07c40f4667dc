import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

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
