import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyOrder, anySample } from '../../test/any-sample.ts'
import { EVENT_TYPES, eventTypeById, requiredEventType } from '../catalogue/event-types.ts'
import { type DeviceId, deviceIdOf, eventsOf, numbersPerValue, SampleLayout, sampleOf, valueIn } from './sample.ts'

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

it('a layout gives every number and every text of a sample to one type', () => {
  fc.assert(
    fc.property(anySample(), ({ types, numbers, texts }) => {
      const layout = SampleLayout.of(types)
      const places = layout.slots.flatMap(({ type, index }) =>
        numbersPerValue(type) === 0
          ? [`text ${index}`]
          : Array.from({ length: numbersPerValue(type) }, (_, more) => `number ${index + more}`),
      )
      const all = [...numbers.map((_, index) => `number ${index}`), ...texts.map((_, index) => `text ${index}`)]
      expect(places.toSorted()).toEqual(all.toSorted())
      expect([layout.numberCount, layout.textCount]).toEqual([numbers.length, texts.length])
      for (const { type, index } of layout.slots) expect(layout.indexOf(type)).toBe(index)
    }),
  )
})

it('a layout is the same by its types and by the text of them, however many others there are', () => {
  const ids = EVENT_TYPES.map(({ id }) => id).sort((a, b) => a - b)
  const layouts = Array.from({ length: 12_000 }, (_, bits) =>
    SampleLayout.of(ids.filter((_id, at) => (bits >> at) & 1)),
  )
  const sets = layouts.map(({ types }) => types)
  expect(sets.map(types => SampleLayout.of([...types]).types)).toEqual(sets)
  expect(layouts.map(({ text }) => SampleLayout.ofText(text).types)).toEqual(sets)
})

it('a layout has no place for what was not measured', () => {
  expect(SampleLayout.of([]).indexOf(requiredEventType('POSITION'))).toBe(-1)
})
