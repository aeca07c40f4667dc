import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BEAT_MS, Silence } from './kept-child.ts'

/** Looks once a beat from `fromMs` on. @returns the longest silence that was seen. */
function lookFor(silence: Silence, fromMs: number, beats: number): number {
  const seen = Array.from({ length: beats }, (_, beat) => silence.measure(fromMs + (beat + 1) * BEAT_MS))
  return Math.max(0, ...seen)
}

test('silence grows with the beats in which nothing was said, and ends with a word', () => {
  const silence = new Silence(500)
  expect(lookFor(silence, 500, 20)).toBe(20 * BEAT_MS)
  silence.heard()
  expect(lookFor(silence, 500 + 20 * BEAT_MS, 3)).toBe(3 * BEAT_MS)
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
