import { expect, test } from 'vitest'
import { TestClock } from '../../test/test-clock.ts'
import { createGate } from './gate.ts'

/** Work that ends when told to. */
function held() {
  let end: () => void = () => undefined
  const ended = new Promise<void>(resolve => {
    end = resolve
  })
  return { work: () => ended, end: () => end() }
}

test('so much runs at once, so many wait, the rest is turned away', async () => {
  const gate = createGate({ atOnce: 2, waiting: 1, longestWaitMs: 1000 })
  const [first, second] = [held(), held()]
  const running = [gate(first.work), gate(second.work)]
  let hasRun = false
  const waiting = gate(async () => {
    hasRun = true
  })
  await expect(gate(async () => 'too many')).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  expect(hasRun).toBe(false)
  first.end()
  await waiting
  second.end()
  await Promise.all(running)
  expect(await gate(async () => 'room again')).toBe('room again')
})

test('a turn that comes too late is not taken, and goes to the next', async () => {
  const clock = new TestClock()
  const gate = createGate({ atOnce: 1, waiting: 2, longestWaitMs: 10_000, clock })
  const first = held()
  const running = gate(first.work)
  const late = gate(async () => 'late').catch((error: unknown) => error)
  clock.advance(10_001)
  const inTime = gate(async () => 'in time')
  first.end()
  expect(await late).toMatchObject({ status: 503 })
  expect(await inTime).toBe('in time')
  await running
})

test('work that fails leaves its place', async () => {
  const gate = createGate({ atOnce: 1, waiting: 0, longestWaitMs: 0 })
  for (let i = 0; i < 3; i++) await expect(gate(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await gate(async () => 'yes')).toBe('yes')
})

test('those who are not known never take the last place, whose turn it may be', async () => {
  const gate = createGate({ atOnce: 2, othersAtOnce: 1, waiting: 10, longestWaitMs: 10_000 })
  const [stranger, other] = [held(), held()]
  const entered: string[] = []
  const enter = (name: string, isKnown: boolean, work = async () => undefined as undefined | void) =>
    gate(
      async () => {
        entered.push(name)
        await work()
      },
      { name, isKnown },
    )
  const crowd = [enter('stranger', false, stranger.work), enter('other', false, other.work)]
  await enter('known', true)
  await enter('known', true)
  expect(entered).toEqual(['stranger', 'known', 'known'])
  stranger.end()
  other.end()
  await Promise.all(crowd)
  expect(entered).toEqual(['stranger', 'known', 'known', 'other'])
})
