import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { requiredEventType } from '../catalogue/event-types.ts'
import { openDatabase } from '../db/database.ts'
import { lockDevices } from '../db/shards.ts'
import { writeTransaction } from '../db/transaction.ts'
import { type DeviceId, sampleOf } from '../model/sample.ts'
import { insertSamples } from './append.ts'
import { readFixesOfIntervals, readFixesWithin } from './fixes.ts'
import { Partitions } from './partitions.ts'

const START_MS = Date.UTC(2026, 0, 14)
const HOUR_MS = 3_600_000
const POSITION = requiredEventType('POSITION').id

it('every fix of many intervals comes once and in order, also when an interval has more than one round trip carries', async () => {
  const testDatabase = await createTestDatabase()
  const database = openDatabase({ url: testDatabase.url })
  try {
    const stored = [1, 2].flatMap(device =>
      Array.from({ length: device === 1 ? 60_000 : 50 }, (_, index) =>
        sampleOf(
          device as DeviceId,
          START_MS + index * (device === 1 ? 1000 : HOUR_MS),
          new Map([[POSITION, { lon: index / 1e4, lat: 49.5 }]]),
        ),
      ),
    )
    await new Partitions(database).ensure(stored.map(({ timeMs }) => timeMs))
    await writeTransaction(database, async transaction => {
      const locked = await lockDevices(transaction, [1, 2] as DeviceId[])
      await insertSamples(locked, stored, await transaction.takeRevisions(1))
    })
    const intervals = [
      { deviceId: 1, fromMs: START_MS, toMs: START_MS + HOUR_MS },
      { deviceId: 1, fromMs: START_MS + 2 * HOUR_MS, toMs: START_MS + 1000 * HOUR_MS },
      { deviceId: 2, fromMs: START_MS, toMs: START_MS + 40 * HOUR_MS },
    ].map(interval => ({ ...interval, deviceId: interval.deviceId as DeviceId }))
    const chunks: (readonly [number, number, number])[][] = []
    for await (const fixes of readFixesOfIntervals(database.readsOf(1), intervals)) {
      const { count, deviceIds, timesMs, longitudes } = fixes
      chunks.push(
        Array.from({ length: count }, (_, at) => [deviceIds[at] ?? 0, timesMs[at] ?? 0, longitudes[at] ?? 0] as const),
      )
    }
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.flat()).toEqual(
      intervals.flatMap(({ deviceId, fromMs, toMs }) =>
        stored
          .filter(each => each.deviceId === deviceId && each.timeMs >= fromMs && each.timeMs < toMs)
          .map(({ timeMs, numbers }) => [deviceId, timeMs, numbers[0]]),
      ),
    )
    const within = (isFromEnd: boolean) =>
      readFixesWithin(database.readsOf(1), intervals, { isFromEnd, skip: 2, most: 3 })
    const timesOf = (fixes: Awaited<ReturnType<typeof within>>) => fixes.map(some => some.map(({ timeMs }) => timeMs))
    const own = intervals.map(({ deviceId, fromMs, toMs }) =>
      stored
        .filter(each => each.deviceId === deviceId && each.timeMs >= fromMs && each.timeMs < toMs)
        .map(({ timeMs }) => timeMs),
    )
    expect(timesOf(await within(false))).toEqual(own.map(times => times.slice(2, 5)))
    expect(timesOf(await within(true))).toEqual(own.map(times => times.slice(-5, -2)))
  } finally {
    await database.close()
    await testDatabase.drop()
  }
})
