import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { moved, within, zoomed } from './chart-data.ts'

const NOW = Date.UTC(2026, 10, 21)
const HOUR = 3_600_000
const view = { fromMs: NOW - 10 * HOUR, toMs: NOW }

describe('zooming', () => {
  it('keeps the instant under the pointer where it is', () => {
    expect(zoomed(view, 0.5, NOW - 4 * HOUR)).toEqual({ fromMs: NOW - 7 * HOUR, toMs: NOW - 2 * HOUR })
  })

  it('ends at ten seconds and at five years', () => {
    const near = zoomed(view, 1e-9, NOW - HOUR)
    expect(near.toMs - near.fromMs).toBeCloseTo(10_000)
    const far = zoomed(view, 1e9, NOW - HOUR)
    expect((far.toMs - far.fromMs) / (366 * 24 * HOUR)).toBeCloseTo(5)
  })

  it('in and out again leads back', () => {
    const instant = fc.integer({ min: view.fromMs, max: view.toMs })
    fc.assert(
      fc.property(instant, fc.double({ min: 0.1, max: 10, noNaN: true }), (aroundMs, factor) => {
        const back = zoomed(zoomed(view, factor, aroundMs), 1 / factor, aroundMs)
        expect(Math.abs(back.fromMs - view.fromMs)).toBeLessThan(2)
        expect(Math.abs(back.toMs - view.toMs)).toBeLessThan(2)
      }),
    )
  })
})

describe('what is shown', () => {
  it('does not run away into the future, and keeps its length', () => {
    const shown = within(moved(view, 100 * HOUR), NOW)
    expect(shown.toMs).toBe(NOW + HOUR / 2)
    expect(shown.toMs - shown.fromMs).toBe(10 * HOUR)
  })

  it('stays as it is where something can have been measured', () => {
    expect(within(moved(view, -5 * HOUR), NOW)).toEqual(moved(view, -5 * HOUR))
    expect(within({ fromMs: 0, toMs: HOUR }, NOW).fromMs).toBe(Date.UTC(2000, 0, 1))
  })
})
