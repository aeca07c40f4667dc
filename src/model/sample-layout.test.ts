import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anySample } from '../../test/any-sample.ts'
import { EVENT_TYPES, requiredEventType } from '../catalogue/event-types.ts'
import { numbersPerValue, SampleLayout } from './sample.ts'

it('gives every number and every text of a sample to one type', () => {
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

it('is the same by its types and by the text of them, however many others there are', () => {
  const ids = EVENT_TYPES.map(({ id }) => id).sort((a, b) => a - b)
  const layouts = Array.from({ length: 12_000 }, (_, bits) =>
    SampleLayout.of(ids.filter((_id, at) => (bits >> at) & 1)),
  )
  const sets = layouts.map(({ types }) => types)
  expect(sets.map(types => SampleLayout.of([...types]).types)).toEqual(sets)
  expect(layouts.map(({ text }) => SampleLayout.ofText(text).types)).toEqual(sets)
})

it('has no place for what was not measured', () => {
  expect(SampleLayout.of([]).indexOf(requiredEventType('POSITION'))).toBe(-1)
})
