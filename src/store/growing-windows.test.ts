import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type TimeRange, WEEK_MS } from '../model/time-range.ts'
import { GrowingWindows, type ReadingDirection } from './growing-windows.ts'

function windowsOf(
  range: TimeRange,
  direction: ReadingDirection,
  firstMs: number,
  busy: (window: TimeRange) => boolean,
) {
  const windows = new GrowingWindows(range, direction, firstMs)
  const all: TimeRange[] = []
  for (let window = windows.next(false); window; window = windows.next(busy(window))) all.push(window)
  return all
}

it('windows go through the whole range once, in its direction, and none is longer than half a year', () => {
  const instant = fc.integer({ min: 0, max: 1_800_000_000_000 })
  const first = fc.integer({ min: 60_000, max: 10 * WEEK_MS })
  const direction = fc.constantFrom('ascending', 'descending')
  fc.assert(
    fc.property(
      instant,
      fc.nat({ max: 500 * WEEK_MS }),
      direction,
      first,
      fc.nat(5),
      (fromMs, lengthMs, way, firstMs, n) => {
        const range = { fromMs, toMs: fromMs + lengthMs }
        let asked = 0
        const all = windowsOf(range, way, firstMs, () => asked++ < n)
        if (way === 'descending') all.reverse()
        expect(all.map(window => window.fromMs)).toEqual(
          [range.fromMs, ...all.slice(0, -1).map(window => window.toMs)].slice(0, all.length),
        )
        expect(all.at(-1)?.toMs ?? range.toMs).toBe(range.toMs)
        for (const window of all) expect(window.toMs - window.fromMs).toBeLessThanOrEqual(26 * WEEK_MS)
      },
    ),
  )
})

it('they grow while there is little in them', () => {
  const lengths = (busy: boolean) =>
    windowsOf({ fromMs: 0, toMs: 21 }, 'ascending', 1, () => busy).map(({ fromMs, toMs }) => toMs - fromMs)
  expect(lengths(false)).toEqual([1, 4, 16])
  expect(lengths(true)).toEqual([1, ...Array.from({ length: 5 }, () => 4)])
})

it('a range without an end is one window', () => {
  const range = { fromMs: Number.NEGATIVE_INFINITY, toMs: 0 }
  expect(windowsOf(range, 'ascending', WEEK_MS, () => false)).toEqual([range])
})
