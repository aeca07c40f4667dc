import { expect, test } from 'vitest'
import { Backoff, pause } from './pause.ts'

test('pauses double up to the longest one, and begin anew after a success', () => {
  const backoff = new Backoff(100, 500)
  expect([1, 2, 3, 4, 5].map(() => backoff.next())).toEqual([100, 200, 400, 500, 500])
  backoff.reset()
  expect(backoff.next()).toBe(100)
})

test('a pause is over as soon as its signal aborts, also when it has aborted before', async () => {
  const stop = new AbortController()
  const paused = pause(3_600_000, stop.signal)
  stop.abort()
  expect(await paused).toBeUndefined()
  expect(await pause(3_600_000, stop.signal)).toBeUndefined()
})
