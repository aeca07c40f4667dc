import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { TestClock } from '../../test/test-clock.ts'
import { Backoff, pause, SYSTEM_CLOCK } from './clock.ts'

test('a pause is over as soon as its signal aborts, also when it has aborted before', async () => {
  const stop = new AbortController()
  const paused = pause(3_600_000, stop.signal)
  stop.abort()
  expect(await paused).toBeUndefined()
  expect(await pause(3_600_000, stop.signal)).toBeUndefined()
})

test('a pause ends when its time has passed on the clock it was given', async () => {
  const clock = new TestClock()
  const paused = pause(1000, new AbortController().signal, clock)
  const winner = () => Promise.race([paused.then(() => 'over'), setImmediate('goes on')])
  clock.advance(999)
  expect(await winner()).toBe('goes on')
  clock.advance(1)
  expect(await winner()).toBe('over')
})

test('the system clock calls back after its time, unless that was cancelled', async () => {
  const called: string[] = []
  const cancel = SYSTEM_CLOCK.after(1, () => called.push('cancelled'))
  const since = SYSTEM_CLOCK.monotonicMs()
  cancel()
  await new Promise<void>(resolve => {
    SYSTEM_CLOCK.after(10, resolve)
  })
  expect(called).toEqual([])
  // Timers of Node may be a millisecond early.
  expect(SYSTEM_CLOCK.monotonicMs() - since).toBeGreaterThanOrEqual(9)
})

test('pauses double up to the longest one, and start from the first one after a success', () => {
  const backoff = new Backoff(100, 500)
  expect([1, 2, 3, 4, 5].map(() => backoff.next())).toEqual([100, 200, 400, 500, 500])
  backoff.reset()
  expect(backoff.next()).toBe(100)
})
