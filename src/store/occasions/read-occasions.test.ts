import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anySample } from '../../../test/any-sample.ts'
import { makeSampleStore, type SampleStore, storeSamples } from '../../../test/sample-store.ts'
import { isWanted } from '../../../test/wanted-samples.ts'
import { type EventTypeId, requiredEventType } from '../../catalogue/event-types.ts'
import { sql } from '../../db/sql.ts'
import type { DeviceId, Sample } from '../../model/sample.ts'
import { historySourceOf } from '../history-source.ts'
import { packedBytesAtMost, packNumbers } from '../packed-numbers.ts'
import { DAY_MS } from '../sealed/days.ts'
import { sealDay } from '../sealed/seal-day.ts'
import { packedValueIn } from './packed-value.ts'
import { OccasionReader } from './read-occasions.ts'

const FIRST_MS = Date.UTC(2026, 0, 10)
const DAYS = 3
/** Farther than one statement reads. */
const LATER_MS = 40 * DAY_MS
const TYPES = (['BATTERY_VOLTAGE', 'GPS_SPEED', 'POSITION', 'VIN', 'IS_MOVING'] as const).map(requiredEventType)
const ids = new Map(TYPES.map(({ name, id }) => [name, id]))
const idOf = (name: string) => ids.get(name as never) as EventTypeId

const anyBound = fc.constantFrom(undefined, -1e6, -2.5, 0, 0.5, 48, 1e9)
const anyWanted = fc.oneof(
  fc.record({
    types: fc.subarray([idOf('BATTERY_VOLTAGE'), idOf('GPS_SPEED'), idOf('IS_MOVING')], { minLength: 1 }),
    above: anyBound,
    below: anyBound,
  }),
  fc.record({
    types: fc.constant([idOf('POSITION')]),
    boxes: fc.constantFrom(
      undefined,
      [{ west: -90, south: -45, east: 1, north: 45 }],
      [
        { west: -170, south: 10, east: -20, north: 80 },
        { west: 0, south: -60, east: 90, north: 0 },
      ],
    ),
  }),
  fc.constant({ types: [idOf('VIN')] }),
)

let store: SampleStore
let nextDevice = 356307042441013
beforeAll(async () => {
  store = await makeSampleStore()
})
afterAll(() => store[Symbol.asyncDispose]())

describe('samples that are looked for', () => {
  it('are found in rows exactly, and in sealed days at least', async () => {
    const anySamples = fc.uniqueArray(
      anySample({
        deviceIds: fc.constant(0 as DeviceId),
        timesMs: fc
          .tuple(fc.integer({ min: 0, max: DAYS * 24 - 1 }), fc.constantFrom(0, 0, 0, LATER_MS))
          .map(([hour, laterMs]) => FIRST_MS + hour * 3_600_000 + laterMs),
        types: TYPES,
        minTypes: 1,
      }),
      { selector: ({ timeMs }) => timeMs, minLength: 5, maxLength: 30 },
    )
    await fc.assert(
      fc.asyncProperty(anySamples, fc.array(anyWanted, { minLength: 4, maxLength: 4 }), async (made, looked) => {
        const deviceId = (nextDevice += 8) as DeviceId
        const samples = made.map((sample): Sample => ({ ...sample, deviceId })).toSorted((a, b) => a.timeMs - b.timeMs)
        await storeSamples(store, samples)
        const interval = { deviceId, fromMs: FIRST_MS, toMs: FIRST_MS + LATER_MS + DAYS * DAY_MS }
        const read = (wanted: (typeof looked)[number]) =>
          new OccasionReader(historySourceOf(store.database.readsOf(store.accountId)), wanted).read(interval)
        for (const wanted of looked) {
          const found = await read(wanted)
          expect(found.samples).toBe(samples.length)
          expect(found.spans.map(({ fromMs }) => fromMs)).toEqual(
            samples.filter(isWanted(wanted)).map(({ timeMs }) => timeMs),
          )
          for (const { id } of TYPES)
            expect(found.firstMs(id)).toBe(samples.find(({ types }) => types.includes(id))?.timeMs ?? Infinity)
        }
        for (const fromMs of [FIRST_MS, FIRST_MS + 2 * DAY_MS, FIRST_MS + LATER_MS])
          await sealDay(store.database, deviceId, { fromMs, toMs: fromMs + DAY_MS })
        for (const wanted of looked) {
          const found = await read(wanted)
          expect(found.samples).toBe(samples.length)
          for (const { timeMs } of samples.filter(isWanted(wanted)))
            expect(found.spans.some(({ fromMs, toMs }) => fromMs <= timeMs && timeMs <= toMs)).toBe(true)
          for (const { id } of TYPES)
            expect(found.firstMs(id)).toBeLessThanOrEqual(
              samples.find(({ types }) => types.includes(id))?.timeMs ?? Infinity,
            )
        }
      }),
      { numRuns: 15 },
    )
  })
})

describe('a condition on packed numbers', () => {
  const anyNumber = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => (value === 0 ? 0 : value)),
    fc.integer({ min: -300, max: 300 }),
    fc.constantFrom(0, 0.5, -0.5, 1, -1, 255, 256),
  )
  it('compares as numbers do', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyNumber, { minLength: 1, maxLength: 5 }),
        anyNumber,
        anyNumber,
        async (numbers, above, below) => {
          const view = new DataView(new ArrayBuffer(packedBytesAtMost(numbers.length)))
          const packed = Buffer.from(view.buffer, 0, packNumbers(numbers, view, 0))
          const conditions = numbers.map((_, index) => packedValueIn(numbers.length, index, { above, below }))
          const asked = conditions.reduce((all, condition) => sql`${all}, (${condition})`, sql`'' as none`)
          const [row] = await store.database.readers
            .query({
              text: `select ${asked.inlined()} from (select $1::bytea as numbers) s`,
              values: [packed],
              rowMode: 'array',
            })
            .then(result => result.rows as unknown[][])
          expect(row?.slice(1)).toEqual(numbers.map(value => value > above && value < below))
        },
      ),
      { numRuns: 200 },
    )
  })
})
