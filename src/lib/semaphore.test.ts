import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { TestClock } from '../../test/test-clock.ts'
import { tooManyWaiting, unavailable } from '../model/errors.ts'
import { type Leave, Semaphore, type SemaphoreOptions, takingTurns } from './semaphore.ts'

const turnsFor = (places: number, options: Partial<SemaphoreOptions> = {}) =>
  new Semaphore<string>({
    places,
    mostWaiting: 1000,
    longestWaitMs: 60_000,
    refusal: () => unavailable('later', 2),
    // Nobody is refused later because a machine was slow, or nobody looked any more.
    clock: new TestClock(),
    ...options,
  })

/** Asks for a place, and notes who got one. */
function ask(turns: Semaphore<string>, name: string, admitted: { name: string; leave: Leave }[]): void {
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
  const turns = turnsFor(1, { mostWaiting: 2 })
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
  const clock = new TestClock()
  const turns = turnsFor(1, { longestWaitMs: 30, clock })
  const leave = await turns.enter('a')
  const late = turns.enter('a')
  clock.advance(30)
  await expect(late).rejects.toMatchObject({ status: 503 })
  const gone = new AbortController()
  const unwanted = turns.enter('b', gone.signal)
  gone.abort(new Error('gone'))
  await expect(unwanted).rejects.toThrow('gone')
  leave()
  expect(await turns.enter('c')).toBeInstanceOf(Function)
})

it('a share is kept for who was here a moment ago, and given to others when it stays away', async () => {
  const clock = new TestClock()
  const turns = turnsFor(9, { clock })
  const admitted: { name: string; leave: Leave }[] = []
  ;(await turns.enter('modest'))()
  for (let i = 0; i < 9; i++) ask(turns, 'greedy', admitted)
  await setImmediate()
  expect(admitted).toHaveLength(3)
  clock.advance(1_001)
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

type Sender = number | 'stranger'

const places = (options: Partial<SemaphoreOptions> = {}) =>
  new Semaphore<Sender>({
    places: 3,
    perParty: 2,
    mostWaiting: 4,
    refusal: () => tooManyWaiting('uploads'),
    ...options,
  })

/** Takes places and notes in which order. */
class Senders {
  readonly entered: string[] = []
  readonly #places: Semaphore<Sender>

  constructor(taken: Semaphore<Sender>) {
    this.#places = taken
  }

  /** @returns what lets go of the place, or of waiting for it */
  send(name: string, sender: Sender): AbortController {
    const gone = new AbortController()
    this.#places.enterUntil(sender, gone.signal).then(
      () => this.entered.push(name),
      (error: Error) => this.entered.push(`${name}: ${error.message}`),
    )
    return gone
  }
}

it('an account gets no more than its places, and others theirs', async () => {
  const senders = new Senders(places())
  for (const name of ['a1', 'a2', 'a3']) senders.send(name, 1)
  senders.send('b1', 2)
  await setImmediate()
  expect(senders.entered).toEqual(['a1', 'a2', 'b1'])
})

it('those who wait get free places in turn, by account', async () => {
  const senders = new Senders(places({ perParty: 2, places: 2 }))
  const open = ['a1', 'a2'].map(name => senders.send(name, 1))
  for (const name of ['a3', 'a4', 'a5']) senders.send(name, 1)
  for (const name of ['b1', 'b2']) senders.send(name, 2)
  senders.send('s1', 'stranger')
  await setImmediate()
  for (const gone of open) {
    gone.abort()
    await setImmediate()
  }
  expect(senders.entered).toEqual(['a1', 'a2', 'a3', 'b1'])
})

it('who goes away while waiting is forgotten, and gets no place later', async () => {
  const senders = new Senders(places({ perParty: 1 }))
  const first = senders.send('first', 1)
  const impatient = senders.send('impatient', 1)
  senders.send('last', 1)
  await setImmediate()
  impatient.abort(new Error('gone'))
  first.abort()
  await setImmediate()
  expect(senders.entered).toEqual(['first', 'impatient: gone', 'last'])
})

it('too many of one account are told to come back, while others may still wait', async () => {
  const senders = new Senders(places({ perParty: 1, places: 1, mostWaiting: 1 }))
  for (const name of ['a1', 'a2', 'a3']) senders.send(name, 1)
  senders.send('b1', 2)
  await setImmediate()
  expect(senders.entered).toEqual(['a1', 'a3: Too many uploads of this account wait already.'])
  await expect(places({ perParty: 0, mostWaiting: 0 }).enter(1)).rejects.toMatchObject({
    status: 429,
    headers: { 'retry-after': '2' },
  })
})

it('turns of one party go to at most so many at once, in the order in which they came, also after one that failed', async () => {
  const inTurn = takingTurns(2)
  const begun: number[] = []
  let running = 0
  let mostRunning = 0
  const works = Array.from({ length: 6 }, (_, index) =>
    inTurn(async () => {
      begun.push(index)
      mostRunning = Math.max(mostRunning, ++running)
      await sleep(5)
      running--
      if (index === 1) throw new Error('failed')
      return index
    }),
  )
  const ends = await Promise.allSettled(works)
  expect(ends.map(end => (end.status === 'fulfilled' ? end.value : 'failed'))).toEqual([0, 'failed', 2, 3, 4, 5])
  expect(begun).toEqual([0, 1, 2, 3, 4, 5])
  expect(mostRunning).toBe(2)
})
