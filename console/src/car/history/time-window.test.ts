import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bucketMsOf, windowOf } from './history-series.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const DAY = 86_400_000

const views = fc
  .tuple(fc.integer({ min: 0, max: 1000 * DAY }), fc.integer({ min: 10_000, max: 1800 * DAY }))
  .map(([agoMs, lengthMs]) => ({ fromMs: NOW - agoMs - lengthMs, toMs: NOW - agoMs }))

it('a window has room for panning on both sides, and at least 400 buckets in view', () => {
  fc.assert(
    fc.property(views, view => {
      const window = windowOf(view)
      const lengthMs = view.toMs - view.fromMs
      expect(view.fromMs - window.fromMs).toBeGreaterThanOrEqual(lengthMs / 4)
      expect(window.toMs - view.toMs).toBeGreaterThanOrEqual(lengthMs / 4)
      expect(Number.isInteger(window.fromMs) && Number.isInteger(window.toMs)).toBe(true)
      expect(lengthMs / bucketMsOf(window)).toBeGreaterThan(400)
    }),
  )
})

it('a view that moves on a little asks for what is there already', () => {
  const windows = Array.from({ length: 60 }, (_value, minute) =>
    windowOf({ fromMs: NOW - DAY + minute * 60_000, toMs: NOW + minute * 60_000 }),
  )
  expect(new Set(windows.map(window => JSON.stringify(window))).size).toBeLessThanOrEqual(2)
})
