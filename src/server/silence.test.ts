import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BEAT_MS, Silence } from './silence.ts'

/** Looks every second from `fromMs` on. @returns the longest silence that was seen. */
function lookFor(silence: Silence, fromMs: number, seconds: number): number {
  const seen = Array.from({ length: seconds }, (_, second) => silence.measure(fromMs + (second + 1) * BEAT_MS))
  return Math.max(0, ...seen)
}

test('silence grows with the seconds in which nothing was said, and ends with a word', () => {
  const silence = new Silence(500)
  expect(lookFor(silence, 500, 20)).toBe(20_000)
  silence.heard()
  expect(lookFor(silence, 20_500, 3)).toBe(3000)
})

test('however long this process slept, the other was silent for two beats of it at most', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 2 * BEAT_MS, max: 1e12 }), { maxLength: 5 }), pausesMs => {
      const silence = new Silence(0)
      let nowMs = 0
      for (const pauseMs of pausesMs) expect(silence.measure((nowMs += pauseMs))).toBeLessThanOrEqual(10 * BEAT_MS)
      silence.heard()
      expect(silence.measure(nowMs + BEAT_MS)).toBe(BEAT_MS)
    }),
  )
})
