import { expect, test } from 'vitest'
import { requiredEventType } from '../catalogue/event-types.ts'
import { byClock } from './dongle-clock.ts'
import { type DeviceId, sampleOf } from './sample.ts'

const NOW_MS = Date.UTC(2026, 5, 1, 12)
const SPEED = requiredEventType('GPS_SPEED').id
const sampleAt = (timeMs: number) => sampleOf(356307042441013 as DeviceId, timeMs, new Map([[SPEED, 50]]))

test('samples more than five minutes ahead, or before 2000, are separated from the others', () => {
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

const DAY_MS = 86_400_000
/** Satellite time counts so many days and begins again. */
const ROUND_DAYS = 7168

test.each<[receivedMs: number, rounds: number]>([
  [NOW_MS, 1],
  // In 2045 two rounds before is after 2000, too.
  [Date.UTC(2045, 0, 1), 1],
  [Date.UTC(2045, 0, 1), 2],
])(
  'samples of a clock that is 1024 weeks behind, or twice that, are separated: received at %i, %i',
  (nowMs, rounds) => {
    const behind = (days: number) => sampleAt(nowMs - (rounds * ROUND_DAYS + days) * DAY_MS)
    // Kept for up to two months, and measured just now.
    const wrong = [0, 1 / 86_400, 30, 60, -1 / 288].map(behind)
    const right = [60.001, 400, -60.001, -400].map(behind).filter(({ timeMs }) => timeMs >= Date.UTC(2000))
    expect(byClock([...wrong, ...right, sampleAt(nowMs)], nowMs)).toEqual({
      samples: [...right, sampleAt(nowMs)],
      misdated: wrong,
    })
  },
)
