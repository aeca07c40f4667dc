import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ReadingPace } from './page.ts'

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

test('a page is read in one or two round trips, with little in vain', () => {
  expect(readPage(10_000, () => 22)).toMatchObject({ times: 1, samples: 516 })
  expect(readPage(10_000, sample => 4 + (sample % 2))).toMatchObject({ times: 2 })
  expect(readPage(10_000, sample => 4 + (sample % 2)).samples).toBeLessThan(2300)
  expect(readPage(500, () => 5).samples).toBeLessThan(130)
})

test('whatever samples hold, the page is filled', () => {
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
