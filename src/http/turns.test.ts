import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

test('there is one turn in each round of the event loop, and accounts take turns', async () => {
  const turns = new Turns()
  const order: string[] = []
  const take = (name: string, account: number | undefined) => void turns.next(account).then(() => order.push(name))
  for (const name of ['a1', 'a2', 'a3']) take(name, 1)
  take('b1', 2)
  take('nobody', undefined)
  const seen: number[] = []
  for (let round = 0; round < 8; round++) {
    await setImmediate()
    seen.push(order.length)
  }
  expect(order).toEqual(['a1', 'b1', 'nobody', 'a2', 'a3'])
  // No round has two of them.
  expect(seen.map((count, round) => count - (seen[round - 1] ?? 0)).every(grown => grown <= 1)).toBe(true)
})

test('it goes on after it had nothing to do', async () => {
  const turns = new Turns()
  await turns.next(1)
  await setImmediate()
  await expect(turns.next(1)).resolves.toBeUndefined()
})
