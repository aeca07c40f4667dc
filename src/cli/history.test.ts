import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeSampleStore, type SampleStore, storeSamples } from '../../test/sample-store.ts'
import { sampleWith } from '../../test/sample-with.ts'
import type { DeviceId } from '../model/sample.ts'
import { DAY_MS, sealDay } from '../store/index.ts'
import { dayLines } from './history.ts'

const DEVICE_ID = 356307042441013 as DeviceId
const FROM_MS = Date.UTC(2026, 2, 2)
const DAY = { fromMs: FROM_MS, toMs: FROM_MS + DAY_MS }

let store: SampleStore
beforeAll(async () => {
  store = await makeSampleStore()
})
afterAll(() => store[Symbol.asyncDispose]())

it('prints each sample of a day in a line, and of a sealed day how it is packed', async () => {
  await storeSamples(store, [
    sampleWith(DEVICE_ID, FROM_MS + 1000, { GPS_SPEED: 50, POSITION: { lon: 8.5, lat: 49.25 } }),
    sampleWith(DEVICE_ID, FROM_MS + 2500, { GPS_SPEED: 52 }),
    sampleWith(DEVICE_ID, FROM_MS + DAY_MS, { GPS_SPEED: 1 }),
  ])
  const samples = ['2026-03-02T00:00:01.000Z GPS_SPEED=50 POSITION=8.5,49.25', '2026-03-02T00:00:02.500Z GPS_SPEED=52']
  expect(await dayLines(store.database, DEVICE_ID, DAY)).toEqual(['This day is not sealed.', ...samples])
  await sealDay(store.database, DEVICE_ID, DAY)
  const [summary, ...lines] = await dayLines(store.database, DEVICE_ID, DAY)
  expect(summary).toMatch(/^Sealed: 2 samples in \d+ bytes, rollup \d+ bytes\.$/)
  expect(lines.slice(0, 2)).toEqual([
    '  GPS_SPEED: differences, 3 bytes',
    '  POSITION: differences, 1 decimals, 2 bytes; differences, 2 decimals, 2 bytes',
  ])
  expect(lines.slice(2)).toEqual(samples)
})
