import { expect, test } from 'vitest'
import { Backoff } from './clock.ts'

test('pauses double up to the longest one, and start from the first one after a success', () => {
  const backoff = new Backoff(100, 500)
  expect([1, 2, 3, 4, 5].map(() => backoff.next())).toEqual([100, 200, 400, 500, 500])
  backoff.reset()
  expect(backoff.next()).toBe(100)
})
