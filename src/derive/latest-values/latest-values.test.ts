import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyOrder, anySample, SOME_TYPES } from '../../../test/any-sample.ts'
import type { EventTypeId } from '../../catalogue/event-types.ts'
import { eventsOf, type Sample } from '../../model/sample.ts'
import { withBatteryState } from './battery-state.ts'
import { type LatestValue, type LatestValues, withSamples } from './latest-values.ts'

/** Samples of one dongle, one for each instant, as they are once they are merged; and the same in another order. */
const twoOrders = fc
  .uniqueArray(anySample({ deviceIds: fc.constant(1), timesMs: fc.integer({ min: 0, max: 50 }), types: SOME_TYPES }), {
    selector: sample => sample.timeMs,
    maxLength: 12,
  })
  .chain(samples => fc.tuple(fc.constant(samples), anyOrder(samples)))

const NOTHING: LatestValues = new Map()
const byType = (latest: LatestValues) => new Map([...latest].sort(([a], [b]) => a - b))

/** The same thing said plainly: of every type the event with the greatest time. */
function newestOf(samples: readonly Sample[]): LatestValues {
  const newest = new Map<EventTypeId, LatestValue>()
  for (const sample of [...samples].sort((a, b) => a.timeMs - b.timeMs))
    for (const [type, value] of eventsOf(withBatteryState(sample))) newest.set(type, { timeMs: sample.timeMs, value })
  return byType(newest)
}

describe('latest values', () => {
  it('are those with the greatest time, in whatever order samples come', () => {
    fc.assert(
      fc.property(twoOrders, ([samples, shuffled]) => {
        expect(byType(withSamples(NOTHING, samples))).toEqual(newestOf(samples))
        expect(byType(withSamples(NOTHING, shuffled))).toEqual(newestOf(samples))
      }),
    )
  })

  it('are the very same object when nothing changed, so that nothing need be written', () => {
    fc.assert(
      fc.property(twoOrders, ([samples, shuffled]) => {
        const latest = withSamples(NOTHING, samples)
        expect(withSamples(latest, shuffled)).toBe(latest)
      }),
    )
  })

  it('leave what was known before as it was', () => {
    fc.assert(
      fc.property(twoOrders, ([[first, ...rest]]) => {
        const before = withSamples(NOTHING, first ? [first] : [])
        const copy = new Map(before)
        withSamples(before, rest)
        expect(before).toEqual(copy)
      }),
    )
  })
})
