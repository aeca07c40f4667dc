import { expect, test } from 'vitest'
import { requiredEventType } from '../catalogue/event-types.ts'
import { byClock } from './dongle-clock.ts'
import { type DeviceId, sampleOf } from './sample.ts'

const NOW_MS = Date.UTC(2026, 5, 1, 12)
const SPEED = requiredEventType('GPS_SPEED').id
const sampleAt = (timeMs: number) => sampleOf(356307042441013 as DeviceId, timeMs, new Map([[SPEED, 50]]))

test('samples more than five minutes ahead, or before 2000, are told apart from the others', () => {
  const timesMs = [
    0,
    Date.UTC(2000, 0, 1) - 1,
    Date.UTC(2000, 0, 1),
    NOW_MS,
    NOW_MS + 300_000,
    NOW_MS + 300_001,
    2 ** 60,
  ]
  const { samples, misdated } = byClock(timesMs.map(sampleAt), NOW_MS)
  expect(samples.map(sample => sample.timeMs)).toEqual(timesMs.slice(2, 5))
  expect(misdated.map(sample => sample.timeMs)).toEqual([...timesMs.slice(0, 2), ...timesMs.slice(5)])
})
