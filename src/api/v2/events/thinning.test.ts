import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOUR_MS } from '../../../model/time-range.ts'
import { HourColumns, type HourRollup } from '../../../store/index.ts'
import { type Buckets, bucketsOf, isOfHours, type Point, Thinning } from './thinning.ts'

const RANGE_MS = 5000

/** A series as a dongle measures it: bursts with silences between, few values that repeat or any. */
const series = fc
  .array(
    fc.record({
      afterMs: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 10 }) }, fc.integer({ min: 1, max: 1500 })),
      value: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.double({ noNaN: true })),
    }),
    { maxLength: 300 },
  )
  .map(steps => {
    let timeMs = -1
    return steps.map(({ afterMs, value }): Point => ({ timeMs: (timeMs += afterMs), value }))
  })
  .map(points => points.filter(({ timeMs }) => timeMs < RANGE_MS))

const maxPoints = fc.integer({ min: 1, max: 120 })

function thinned(points: readonly Point[], buckets: Buckets, most: number): readonly Point[] {
  const thinning = new Thinning(buckets, most)
  for (const point of points) thinning.add(point)
  return thinning.points()
}

function inBuckets(points: readonly Point[], { fromMs, bucketMs }: Buckets): Point[][] {
  const byIndex = new Map<number, Point[]>()
  for (const point of points) {
    const index = Math.floor((point.timeMs - fromMs) / bucketMs)
    byIndex.set(index, [...(byIndex.get(index) ?? []), point])
  }
  return [...byIndex.values()]
}

function hoursOf({ count, first, lowest, highest, last }: HourRollup): HourColumns {
  const hours = new HourColumns()
  const place = hours.add(1)
  hours.column('count')[place] = count
  for (const [end, { timeMs, value }] of Object.entries({ first, lowest, highest, last })) {
    hours.column(end as 'first')[place] = value
    hours.column(`${end as 'first'}Ms`)[place] = timeMs
  }
  return hours
}

function neighbours(points: readonly Point[]): [Point, Point][] {
  return points.flatMap((point, index) => {
    const before = points[index - 1]
    return before ? [[before, point] as [Point, Point]] : []
  })
}

/** Holds for series that are longer than `maxPoints`, and says what of them is kept. */
function checkThinned(
  check: (points: readonly Point[], kept: readonly Point[], buckets: Buckets, most: number) => void,
) {
  fc.assert(
    fc.property(series, maxPoints, (points, most) => {
      fc.pre(points.length > most)
      const buckets = bucketsOf({ fromMs: 0, toMs: RANGE_MS }, most)
      check(points, thinned(points, buckets, most), buckets, most)
    }),
  )
}

describe('a thinned series', () => {
  it('is the series itself when it has no more points than asked for', () => {
    fc.assert(
      fc.property(series, points => {
        const most = Math.max(points.length, 1)
        expect(thinned(points, bucketsOf({ fromMs: 0, toMs: RANGE_MS }, most), most)).toEqual(points)
      }),
    )
  })

  it('has points of the series only, each once, in the order of time', () => {
    checkThinned((points, kept) => {
      expect(kept.every(point => points.includes(point))).toBe(true)
      expect(kept.every((point, index) => index === 0 || point.timeMs > (kept[index - 1]?.timeMs ?? 0))).toBe(true)
    })
  })

  it('has the first, the lowest, the highest and the last point of every bucket, and no others', () => {
    checkThinned((points, kept, buckets) => {
      const expected = inBuckets(points, buckets).flatMap(bucket => {
        const byValue = [...bucket].sort((a, b) => Number(a.value) - Number(b.value))
        const highest = bucket.find(({ value }) => value === byValue.at(-1)?.value)
        return bucket.filter(point => [bucket[0], byValue[0], highest, bucket.at(-1)].includes(point))
      })
      expect(kept).toEqual(expected)
    })
  })

  it('has at most as many points as asked for, but up to four', () => {
    checkThinned((_points, kept, _buckets, most) => expect(kept.length).toBeLessThanOrEqual(Math.max(most, 4)))
  })

  it('has both ends of every silence that is longer than a bucket', () => {
    checkThinned((points, kept, { bucketMs }) => {
      const silences = neighbours(points).filter(([before, after]) => after.timeMs - before.timeMs > bucketMs)
      expect(silences.flat().filter(end => !kept.includes(end))).toEqual([])
    })
  })

  it('has no neighbours further apart than a bucket between which something was measured', () => {
    checkThinned((points, kept, { bucketMs }) => {
      const apart = neighbours(kept).filter(([before, after]) => after.timeMs - before.timeMs > bucketMs)
      expect(apart.filter(([before, after]) => points.indexOf(after) !== points.indexOf(before) + 1)).toEqual([])
    })
  })

  it('says when a value that changes once in a bucket did so', () => {
    const states = [0, 0, 0, 1, 1, 1].map((value, index): Point => ({ timeMs: index, value }))
    for (const points of [states, states.map(({ timeMs, value }) => ({ timeMs, value: 1 - Number(value) }))])
      expect(thinned(points, { fromMs: 0, bucketMs: 6 }, 4).map(({ timeMs }) => timeMs)).toEqual([0, 3, 5])
  })

  it('is the same whenever it is asked for meanwhile', () => {
    fc.assert(
      fc.property(series, maxPoints, fc.nat(300), (points, most, splitAt) => {
        const buckets = bucketsOf({ fromMs: 0, toMs: RANGE_MS }, most)
        const thinning = new Thinning(buckets, most)
        for (const point of points.slice(0, splitAt)) thinning.add(point)
        expect(thinning.points()).toEqual(thinned(points.slice(0, splitAt), buckets, most))
        for (const point of points.slice(splitAt)) thinning.add(point)
        expect(thinning.points()).toEqual(thinned(points, buckets, most))
      }),
    )
  })

  it('is the same from what is known of parts of buckets, and points between them', () => {
    const partMs = 50
    fc.assert(
      fc.property(series, maxPoints, fc.nat(20), fc.infiniteStream(fc.boolean()), (points, most, wider, isKnown) => {
        const buckets = { fromMs: 0, bucketMs: partMs * (wider + 1) }
        fc.pre(points.length > most)
        const thinning = new Thinning(buckets, most)
        let known = 0
        for (const part of inBuckets(points, { fromMs: 0, bucketMs: partMs })) {
          const [first, last] = [part[0], part.at(-1)]
          if (!first || !last || isKnown.next().value !== true) {
            for (const point of part) thinning.add(point)
            continue
          }
          known += part.length
          const [lowest = first, highest = first] = [Math.min, Math.max].map(end => {
            const value = end(...part.map(point => Number(point.value)))
            return part.find(point => point.value === value)
          })
          // As a reader of what is stored makes them: equal points, but others.
          const at = ({ timeMs, value }: Point) => ({ timeMs, value: Number(value) })
          const ends = { first: at(first), lowest: at(lowest), highest: at(highest), last: at(last) }
          thinning.addHour(hoursOf({ count: part.length, ...ends }), 0)
        }
        fc.pre(known > most)
        expect(thinning.points()).toEqual(thinned(points, buckets, most))
      }),
    )
  })

  it('orders texts by their characters', () => {
    const points = ['b', 'c', 'a', 'd', 'b', 'c'].map((value, timeMs): Point => ({ timeMs, value }))
    expect(thinned(points, { fromMs: 0, bucketMs: 6 }, 4).map(({ value }) => value)).toEqual(['b', 'a', 'd', 'c'])
  })
})

it('the buckets of a range are at most as many as four points each allow, cover all of it, and are as short as can be', () => {
  const instant = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2100, 0, 1) })
  fc.assert(
    fc.property(instant, fc.integer({ min: 1, max: 1e12 }), fc.integer({ min: 1, max: 10_000 }), (fromMs, ms, most) => {
      const buckets = bucketsOf({ fromMs, toMs: fromMs + ms }, most)
      const count = Math.max(Math.floor(most / 4), 1)
      const unitMs = isOfHours(buckets) ? HOUR_MS : 1
      const lengthMs = fromMs + ms - buckets.fromMs
      expect(buckets.fromMs).toBe(fromMs - (fromMs % unitMs))
      expect(buckets.bucketMs % unitMs).toBe(0)
      expect(isOfHours(buckets)).toBe(ms / count > 2 * HOUR_MS - 1)
      expect(buckets.bucketMs * count).toBeGreaterThanOrEqual(lengthMs)
      expect((buckets.bucketMs - unitMs) * count).toBeLessThan(lengthMs)
    }),
  )
})
