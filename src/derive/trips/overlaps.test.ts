import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DeviceId } from '../../model/sample.ts'
import { type MeasuredTrip, overlap, stretchesOf, supersededTrips } from './overlaps.ts'

const MINUTE_MS = 60_000

function trip(device: number, from: number, to: number, more: Partial<MeasuredTrip> = {}): MeasuredTrip {
  return {
    deviceId: device as DeviceId,
    startMs: from * MINUTE_MS,
    endMs: to * MINUTE_MS,
    isOpen: false,
    hasOdometer: false,
    fixCount: 100,
    ...more,
  }
}

/** Drives of some dongles; those of one dongle follow each other. */
const anyTrips: fc.Arbitrary<MeasuredTrip[]> = fc
  .array(
    fc.array(
      fc.record({
        pause: fc.integer({ min: 0, max: 12 }),
        length: fc.integer({ min: 1, max: 20 }),
        hasOdometer: fc.boolean(),
        fixCount: fc.integer({ min: 0, max: 3 }),
        isOpen: fc.boolean(),
      }),
      { maxLength: 8 },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map(dongles =>
    dongles.flatMap((drives, device) => {
      let at = 0
      return drives.map(({ pause, length, isOpen, ...more }, i) => {
        const from = at + pause
        at = from + length
        return trip(device, from, at, { ...more, isOpen: isOpen && i === drives.length - 1 })
      })
    }),
  )

function counting(trips: readonly MeasuredTrip[]): MeasuredTrip[] {
  const superseded = supersededTrips(trips)
  return trips.filter(item => !superseded.has(item))
}

describe('the trips of a vehicle', () => {
  it.each<[string, MeasuredTrip, MeasuredTrip]>([
    ['an odometer before positions', trip(2, 0, 10, { hasOdometer: true, fixCount: 0 }), trip(1, 0, 10)],
    ['more positions before the IMEI', trip(2, 0, 10, { fixCount: 101 }), trip(1, 0, 10)],
    ['the lower IMEI else', trip(1, 0, 10), trip(2, 0, 10)],
    ['one that goes on before one that ended', trip(2, 0, 10, { isOpen: true }), trip(1, 0, 10)],
    ['an odometer before one that goes on', trip(2, 0, 10, { hasOdometer: true }), trip(1, 0, 10, { isOpen: true })],
    [
      'the lower IMEI of two that go on, however many positions they have so far',
      trip(1, 0, 10, { isOpen: true }),
      trip(2, 0, 10, { isOpen: true, fixCount: 1000 }),
    ],
  ])('count by %s', (_, better, worse) => {
    expect(supersededTrips([worse, better])).toEqual(new Map([[worse, better]]))
  })

  it('all count where only a swap of dongles, or the clocks of two, make them overlap', () => {
    expect(counting([trip(1, 0, 10), trip(2, 10, 20)])).toHaveLength(2)
    expect(counting([trip(1, 0, 10), trip(2, 9, 20)])).toHaveLength(2)
    expect(counting([trip(1, 0, 10), trip(2, 8.99, 20)])).toHaveLength(1)
    // A short one is inside of the long one all the same.
    expect(counting([trip(1, 0, 10), trip(2, 9, 10)])).toHaveLength(1)
  })

  it('count again beside one that another one keeps from counting', () => {
    const [first, middle, last] = [trip(1, 0, 10), trip(2, 5, 20), trip(1, 15, 30)]
    expect(counting([first, middle, last])).toEqual([first, last])
    const best = trip(3, 0, 10, { fixCount: 1000 })
    expect(counting([best, first, middle, last])).toEqual([best, last])
  })

  it('never overlap where they count, and each other one overlaps a better one that does', () => {
    fc.assert(
      fc.property(anyTrips, trips => {
        const superseded = supersededTrips(trips)
        const left = counting(trips)
        for (const [i, a] of left.entries()) for (const b of left.slice(i + 1)) expect(overlap(a, b)).toBe(false)
        for (const [loser, winner] of superseded) {
          expect(left).toContain(winner)
          expect(overlap(loser, winner)).toBe(true)
          expect(counting([loser, winner])).toEqual([winner])
        }
      }),
    )
  })

  it('count by what they are, in whatever order they become known', () => {
    const anyOrder = anyTrips.chain(trips =>
      fc.tuple(fc.constant(trips), fc.shuffledSubarray(trips, { minLength: trips.length })),
    )
    fc.assert(
      fc.property(anyOrder, ([trips, shuffled]) => {
        expect(new Set(supersededTrips(shuffled))).toEqual(new Set(supersededTrips(trips)))
      }),
    )
  })

  it('do not depend on one that does not count', () => {
    fc.assert(
      fc.property(anyTrips, trips => {
        for (const loser of supersededTrips(trips).keys())
          expect(counting(trips.filter(item => item !== loser))).toEqual(counting(trips))
      }),
    )
  })
})

const span = (startMs: number, endMs: number) => ({ startMs, endMs })

it('spans hang together where each overlaps one before it; ends that touch are apart', () => {
  const long = span(0, 100)
  const inside = span(10, 20)
  const over = span(90, 110)
  const touching = span(110, 120)
  expect(stretchesOf([touching, over, inside, long])).toEqual([[long, inside, over], [touching]])
  expect(stretchesOf([])).toEqual([])
})
