import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anySample, SOME_TYPES } from '../../test/any-sample.ts'
import { requiredEventType } from '../catalogue/event-types.ts'
import { compareValues, mergeSamples } from './merge-samples.ts'
import { type EventValue, eventsOf, type Sample, sampleOf } from './sample.ts'

/** Samples of one device and instant with few values, so that they often meet. */
const sample = anySample({
  deviceIds: fc.constant(1),
  timesMs: fc.constant(0),
  types: SOME_TYPES,
  value: ({ dataType }): fc.Arbitrary<EventValue> => {
    if (dataType === 'NUMBER') return fc.constantFrom(0, 1, 1.5, -1)
    if (dataType === 'BOOLEAN') return fc.boolean()
    if (dataType === 'STRING') return fc.constantFrom('', 'a', 'b', 'ä', '😀', '\uffff')
    return fc.record({ lon: fc.constantFrom(0, 1), lat: fc.constantFrom(0, 1) })
  },
})

const merged = (...samples: readonly [Sample, ...Sample[]]) =>
  samples.reduce((all, one) => mergeSamples(all, one).sample)

describe('samples of the same device and instant', () => {
  it('merge to the same whatever order they come in', () => {
    fc.assert(
      fc.property(sample, sample, sample, (a, b, c) => {
        expect(merged(a, b)).toEqual(merged(b, a))
        expect(merged(merged(a, b), c)).toEqual(merged(a, merged(b, c)))
      }),
    )
  })

  it('change nothing when they come again', () => {
    fc.assert(
      fc.property(sample, sample, (a, b) => {
        const all = merged(a, b)
        for (const again of [a, b, all]) {
          const { sample: after, ...counts } = mergeSamples(all, again)
          expect(after).toBe(all)
          expect(counts).toMatchObject({ accepted: 0, duplicates: again.types.length })
        }
        expect(mergeSamples(a, a).conflicts).toBe(0)
      }),
    )
  })

  it('hold every event type of either, with the greater of two values', () => {
    fc.assert(
      fc.property(sample, sample, (a, b) => {
        const [left, right] = [eventsOf(a), eventsOf(b)]
        const expected = new Map(left)
        for (const [type, value] of right) {
          const other = left.get(type)
          if (other === undefined || compareValues(value, other) > 0) expected.set(type, value)
        }
        expect(eventsOf(merged(a, b))).toEqual(new Map([...expected].sort(([x], [y]) => x - y)))
      }),
    )
  })

  it('are counted by events: what is new or greater is accepted, all else a duplicate; different values are conflicts', () => {
    fc.assert(
      fc.property(sample, sample, (known, received) => {
        const { sample: after, accepted, duplicates, conflicts } = mergeSamples(known, received)
        const [before, now] = [eventsOf(known), eventsOf(after)]
        expect(accepted + duplicates).toBe(received.types.length)
        expect(accepted).toBe([...now].filter(([type, value]) => !isSame(before.get(type), value)).length)
        expect(conflicts).toBe(
          [...eventsOf(received)].filter(([type, value]) => before.has(type) && !isSame(before.get(type), value))
            .length,
        )
      }),
    )
  })
})

describe('the order of values', () => {
  const [position, speed] = [requiredEventType('POSITION'), requiredEventType('GPS_SPEED')]

  it('is false before true, numbers by size, texts by code unit, positions by longitude and then latitude', () => {
    expect(compareValues(true, false)).toBe(1)
    expect(compareValues(-1e300, 5e-324)).toBe(-1)
    expect(compareValues('Z', 'a')).toBe(-1)
    expect(compareValues({ lon: 1, lat: 0 }, { lon: 0, lat: 90 })).toBe(1)
    expect(compareValues({ lon: 1, lat: 0 }, { lon: 1, lat: 1 })).toBe(-1)
    expect(compareValues({ lon: 1, lat: 1 }, { lon: 1, lat: 1 })).toBe(0)
  })

  it('knows only one zero', () => {
    const zeros = [0, -0].map(zero =>
      sampleOf(
        fc.sample(sample, 1)[0]!.deviceId,
        0,
        new Map<typeof speed.id, EventValue>([
          [speed.id, zero],
          [position.id, { lon: zero, lat: zero }],
        ]),
      ),
    )
    expect(zeros[1]).toEqual(zeros[0])
    expect(mergeSamples(zeros[0]!, zeros[1]!)).toMatchObject({ accepted: 0, duplicates: 2, conflicts: 0 })
  })
})

function isSame(a: EventValue | undefined, b: EventValue): boolean {
  return a !== undefined && compareValues(a, b) === 0
}
