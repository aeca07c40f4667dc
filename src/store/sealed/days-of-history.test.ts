import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeSampleStore, type SampleStore, storeSamples } from '../../../test/sample-store.ts'
import { sampleWith } from '../../../test/sample-with.ts'
import { type EventTypeName, requiredEventType } from '../../catalogue/event-types.ts'
import type { DeviceId } from '../../model/sample.ts'
import { historySourceOf } from '../history-source.ts'
import { DAY_MS } from './days.ts'
import { sealedDaysIn } from './days-of-history.ts'
import { sealDay } from './seal-day.ts'

const DEVICE_ID = 356307042441013 as DeviceId
const START_MS = Date.UTC(2026, 1, 27)
const SAMPLES_OF_DAY = 24
/** The third day has no position. */
const DAYS = 5

let store: SampleStore
beforeAll(async () => {
  store = await makeSampleStore()
  const samples = Array.from({ length: DAYS * SAMPLES_OF_DAY }, (_, hour) =>
    sampleWith(DEVICE_ID, START_MS + hour * 3_600_000, {
      VEHICLE_SPEED_AVERAGE: hour,
      ...(Math.floor(hour / SAMPLES_OF_DAY) === 2 ? {} : { POSITION: { lon: 8 + hour / 1000, lat: 49 } }),
    }),
  )
  await storeSamples(store, samples)
  for (let day = 0; day < DAYS; day++) {
    const fromMs = START_MS + day * DAY_MS
    await sealDay(store.database, DEVICE_ID, { fromMs, toMs: fromMs + DAY_MS })
  }
})
afterAll(() => store[Symbol.asyncDispose]())

/** Of each statement, the days since the first one; and the speeds of all of them. */
async function read(types: readonly EventTypeName[] | undefined, mostSamples: number) {
  const source = historySourceOf(store.database.readsOf(store.accountId))
  const interval = { deviceId: DEVICE_ID, fromMs: START_MS + DAY_MS / 2, toMs: START_MS + (DAYS - 1) * DAY_MS }
  const ids = types?.map(name => requiredEventType(name).id)
  const daysOfStatements: number[][] = []
  const speeds: number[] = []
  for await (const days of sealedDaysIn(source, interval, ids, mostSamples)) {
    daysOfStatements.push(days.map(({ day }) => (day.fromMs - START_MS) / DAY_MS))
    for (const { body } of days) speeds.push(...body.seriesOf(requiredEventType('VEHICLE_SPEED_AVERAGE').id).values)
  }
  return { daysOfStatements, speeds }
}

const hoursOf = (...days: number[]) =>
  days.flatMap(day => Array.from({ length: SAMPLES_OF_DAY }, (_, hour) => day * SAMPLES_OF_DAY + hour))

it('gives sealed days whole, as many at once as have at most so many samples', async () => {
  expect(await read(undefined, 2 * SAMPLES_OF_DAY)).toEqual({
    daysOfStatements: [
      [0, 1],
      [2, 3],
    ],
    speeds: hoursOf(0, 1, 2, 3),
  })
})

it('gives a day that has more samples alone', async () => {
  expect((await read(undefined, SAMPLES_OF_DAY - 1)).daysOfStatements).toEqual([[0], [1], [2], [3]])
})

it('leaves out days without the types', async () => {
  expect((await read(['POSITION'], 1000)).daysOfStatements).toEqual([[0, 1, 3]])
})
