import fc from 'fast-check'
import { expect, it } from 'vitest'
import { requiredEventType } from '../../../catalogue/event-types.ts'
import { type DeviceId, SampleLayout } from '../../../model/sample.ts'
import type { RawSample } from '../../../store/index.ts'
import { eventTemplates } from '../../event-json.ts'
import { byteFrame, eventsText, ReadingPace } from './page.ts'

const LAYOUTS = [
  ['IS_MOVING', 'POSITION', 'VEHICLE_SPEED_MAX', 'VIN'],
  ['BATTERY_VOLTAGE', 'POSITION', 'VIN'],
  ['VEHICLE_SPEED_MAX'],
] as const

const number = fc.constantFrom(0, -0, 1, 14.25, 1e-7, Number.NaN)

const anySample = fc
  .record({
    names: fc.constantFrom(...LAYOUTS),
    numbers: fc.array(number, { minLength: 4, maxLength: 4 }),
    text: fc.constantFrom('', 'Zoë', '"'),
    second: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ names, numbers, text, second }): RawSample => {
    const layout = SampleLayout.of(names.map(name => requiredEventType(name).id).toSorted((a, b) => a - b))
    return {
      deviceId: 356307042441013 as DeviceId,
      timeMs: Date.UTC(2026, 0, 15) + second * 1000,
      storedUs: 0,
      layout,
      values: {
        numbersAt: () => numbers.slice(0, layout.numberCount),
        numberAt: (_, index) => numbers[index] ?? 0,
        textsAt: () => (layout.textCount > 0 ? [text] : []),
      },
      place: 0,
    }
  })

it('writes several events of a sample as it writes each by itself', () => {
  const templateOf = eventTemplates(byteFrame)
  fc.assert(
    fc.property(anySample, sample => {
      const { slots } = templateOf(sample.layout)
      expect(eventsText(sample, slots)).toBe(slots.map(slot => eventsText(sample, [slot])).join(','))
    }),
  )
})

/** Reads a page from samples that hold so many events each. @returns how many samples were read, and how often */
function readPage(limit: number, eventsEach: (sample: number) => number) {
  const pace = new ReadingPace(limit)
  let [samples, events, times] = [0, 0, 0]
  while (events <= limit && times < 1000) {
    const next = Math.min(pace.nextSamples, 2200)
    for (let index = 0; index < next; index++) {
      const each = eventsEach(samples++)
      events += each
      pace.read(1, each)
    }
    times++
  }
  return { samples, events, times }
}

it('a page is read in one or two round trips, with little in vain', () => {
  expect(readPage(10_000, () => 22)).toMatchObject({ times: 1, samples: 516 })
  expect(readPage(10_000, sample => 4 + (sample % 2))).toMatchObject({ times: 2 })
  expect(readPage(10_000, sample => 4 + (sample % 2)).samples).toBeLessThan(2300)
  expect(readPage(500, () => 5).samples).toBeLessThan(130)
})

it('whatever samples hold, the page is filled', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 50 }).filter(each => each.some(n => n > 0)),
      (limit, each) => {
        const { events, times } = readPage(limit, sample => each[sample % each.length]!)
        expect(events).toBeGreaterThan(limit)
        expect(times).toBeLessThan(1000)
      },
    ),
  )
})
