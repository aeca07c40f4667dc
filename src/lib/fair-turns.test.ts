import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FairTurns, type Leave } from './fair-turns.ts'

const turnsFor = (places: number, mostWaiting = 1000, longestWaitMs = 60_000) =>
  new FairTurns({ places, mostWaiting, longestWaitMs })

/** Asks for a place, and notes who got one. */
function ask(turns: FairTurns, name: string, admitted: { name: string; leave: Leave }[]): void {
  void turns.enter(name).then(leave => admitted.push({ name, leave }))
}

it('one party alone takes half of the places, and the next one finds one at once', async () => {
  const turns = turnsFor(10)
  const admitted: { name: string; leave: Leave }[] = []
  for (let i = 0; i < 50; i++) ask(turns, 'greedy', admitted)
  await setImmediate()
  expect(admitted).toHaveLength(5)
  ask(turns, 'modest', admitted)
  await setImmediate()
  expect(admitted.at(-1)?.name).toBe('modest')
})

it('places that fall free go to one party after the other, however many wait for one of them', async () => {
  const turns = turnsFor(1)
  const admitted: { name: string; leave: Leave }[] = []
  for (let i = 0; i < 20; i++) ask(turns, 'greedy', admitted)
  for (const name of ['a', 'b', 'a', 'b']) ask(turns, name, admitted)
  for (let i = 0; i < 7; i++) {
    await setImmediate()
    admitted[i]?.leave()
  }
  expect(admitted.slice(0, 7).map(({ name }) => name)).toEqual(['greedy', 'greedy', 'a', 'b', 'greedy', 'a', 'b'])
})

it('whoever asks for too much is refused, and nobody else', async () => {
  const turns = turnsFor(1, 2)
  const admitted: { name: string; leave: Leave }[] = []
  for (let i = 0; i < 3; i++) ask(turns, 'greedy', admitted)
  await expect(turns.enter('greedy')).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '2' } })
  ask(turns, 'modest', admitted)
  admitted[0]?.leave()
  for (let i = 0; i < 4; i++) {
    await setImmediate()
    admitted[i]?.leave()
  }
  expect(admitted.map(({ name }) => name).sort()).toEqual(['greedy', 'greedy', 'greedy', 'modest'])
})

it('a turn that does not come in time is refused, and one that nobody wants any more is passed over', async () => {
  const turns = turnsFor(1, 10, 30)
  const leave = await turns.enter('a')
  await expect(turns.enter('a')).rejects.toMatchObject({ status: 503 })
  const gone = new AbortController()
  const unwanted = turns.enter('b', gone.signal)
  gone.abort(new Error('gone'))
  await expect(unwanted).rejects.toThrow('gone')
  leave()
  expect(await turns.enter('c')).toBeInstanceOf(Function)
})

it('a share is kept for who was here a moment ago, and given to others when it stays away', async () => {
  const turns = turnsFor(9)
  const admitted: { name: string; leave: Leave }[] = []
  ;(await turns.enter('modest'))()
  for (let i = 0; i < 9; i++) ask(turns, 'greedy', admitted)
  await setImmediate()
  expect(admitted).toHaveLength(3)
  await sleep(1_100)
  ask(turns, 'greedy', admitted)
  await setImmediate()
  expect(admitted).toHaveLength(4)
})

it('no party holds more than its share, no place is lost, and everybody has a turn', async () => {
  const step = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), leaves: fc.nat({ max: 3 }) })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 60 }), async (places, steps) => {
      const turns = turnsFor(places)
      const inside: { name: string; leave: Leave }[] = []
      let admitted = 0
      const most = Math.max(1, Math.floor(places / 2))
      const check = () => {
        expect(inside.length).toBeLessThanOrEqual(places)
        for (const name of ['a', 'b', 'c', 'd'])
          expect(inside.filter(item => item.name === name).length).toBeLessThanOrEqual(most)
      }
      for (const { name, leaves } of steps) {
        const come = async () => {
          inside.push({ name, leave: await turns.enter(name) })
          admitted++
          check()
        }
        void come()
        await setImmediate()
        for (let i = 0; i < leaves; i++) inside.shift()?.leave()
        await setImmediate()
      }
      while (inside.length > 0) {
        inside.shift()?.leave()
        await setImmediate()
      }
      expect(admitted).toBe(steps.length)
    }),
    { numRuns: 50 },
  )
})
