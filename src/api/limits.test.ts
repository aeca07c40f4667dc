import { expect, test } from 'vitest'
import { TestClock } from '../../test/test-clock.ts'
import { LocalCounts } from './limits.ts'

const WINDOW_MS = 60_000

function counting() {
  const clock = new TestClock()
  const counts = new LocalCounts(clock)
  const count = (key = 'key:1') => {
    let result: { current: number; ttl: number } | undefined
    counts.incr(key, (_error, counted) => (result = counted), WINDOW_MS)
    return result
  }
  return { clock, count }
}

test('requests of each key are counted by themselves, until its window ends', () => {
  const { clock, count } = counting()
  expect([count(), count(), count('key:2')]).toEqual([
    { current: 1, ttl: WINDOW_MS },
    { current: 2, ttl: WINDOW_MS },
    { current: 1, ttl: WINDOW_MS },
  ])
  clock.advance(WINDOW_MS - 1)
  expect(count()).toEqual({ current: 3, ttl: 1 })
  clock.advance(1)
  expect(count()).toEqual({ current: 1, ttl: WINDOW_MS })
})

test('a clock that is set back or ahead neither prolongs nor ends a window', () => {
  const { clock, count } = counting()
  count()
  for (const hours of [-24, 24]) {
    clock.setWall(clock.wallMs() + hours * 3_600_000)
    expect(count()?.ttl).toBe(WINDOW_MS)
  }
})
