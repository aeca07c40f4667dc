import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyOrder, anySample } from '../../test/any-sample.ts'
import { eventTypeById, requiredEventType } from '../catalogue/event-types.ts'
import { type DeviceId, deviceIdOf, eventsOf, sampleOf, valueIn } from './sample.ts'

describe('a sample', () => {
  it('gives back the events it was made of, whatever their order', () => {
    const shuffled = anySample().chain(sample => fc.tuple(fc.constant(sample), anyOrder([...eventsOf(sample)])))
    fc.assert(
      fc.property(shuffled, ([sample, events]) => {
        const again = sampleOf(sample.deviceId, sample.timeMs, new Map(events))
        expect(again).toEqual(sample)
        expect([...eventsOf(again)]).toEqual([...eventsOf(sample)])
        for (const [id, value] of events) expect(valueIn(again, eventTypeById(id))).toEqual(value)
      }),
    )
  })

  it('keeps its types ascending, each once, and one number or text for each but two for a position', () => {
    fc.assert(
      fc.property(anySample(), ({ types, numbers, texts }) => {
        expect(types).toEqual([...new Set(types)].sort((a, b) => a - b))
        const kinds = types.map(id => eventTypeById(id).dataType)
        expect(texts).toHaveLength(kinds.filter(kind => kind === 'STRING').length)
        expect(numbers).toHaveLength(kinds.length - texts.length + kinds.filter(kind => kind === 'GEO').length)
        expect(numbers.some(number => Object.is(number, -0))).toBe(false)
      }),
    )
  })

  it('has no value for what was not measured', () => {
    const empty = sampleOf(1 as DeviceId, 0, new Map())
    expect(valueIn(empty, requiredEventType('GPS_SPEED'))).toBeUndefined()
    expect(eventsOf(empty).size).toBe(0)
  })
})

describe('a device id', () => {
  it.each([1, 356307042441013, Number.MAX_SAFE_INTEGER])('can be %s', value => {
    expect(deviceIdOf(value)).toBe(value)
  })

  it.each([0, -1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, '1', null, undefined])('cannot be %s', value => {
    expect(deviceIdOf(value)).toBeUndefined()
  })
})
