import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { startService } from '../../test/service.ts'
import { type EventTypeId, requiredEventType } from '../catalogue/event-types.ts'
import { sql } from '../db/sql.ts'
import { byClock } from '../model/dongle-clock.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../model/sample.ts'
import { Partitions } from '../store/index.ts'
import { Intake } from './intake.ts'

const DEVICE = 356307042441013 as DeviceId
const SPEED = requiredEventType('GPS_SPEED').id
const VIN = requiredEventType('VIN').id

const service = await startService()
await service.key('fleet')
afterAll(() => service.stop())

const sampleAt = (timeMs: number, speedKmh: number): Sample =>
  sampleOf(
    DEVICE,
    timeMs,
    new Map<EventTypeId, EventValue>([
      [SPEED, speedKmh],
      [VIN, 'say "hi", {you}\\'],
    ]),
  )

test('what a dongle with a wrong clock sent is kept apart, once, and changes nothing else', async () => {
  const nowMs = Date.now()
  const rows = () =>
    service.database.rows(sql`select time_ms, numbers, texts from misdated_samples order by time_ms, numbers`)
  const { database } = service
  const intake = new Intake({
    log: pino({ level: 'silent' }),
    database,
    partitions: new Partitions(database),
    batchOptions: () => Promise.resolve({ unknownDevices: 'accept', firstAccountId: 1 }),
  })
  const sent = [sampleAt(nowMs, 50), sampleAt(0, 51), sampleAt(0, 52), sampleAt(2 ** 62, 53)]
  const send = () => intake.submit({ ...byClock(sent, nowMs), accountId: undefined })
  expect(await send()).toEqual({ kind: 'stored', accepted: 2, duplicates: 0, conflicts: 0 })
  const kept = await rows()
  const texts = ['say "hi", {you}\\']
  expect(kept).toEqual([
    { time_ms: 0, numbers: [51], texts },
    { time_ms: 0, numbers: [52], texts },
    { time_ms: Number.MAX_SAFE_INTEGER, numbers: [53], texts },
  ])
  await send()
  expect(await rows()).toEqual(kept)
  const [state] = await service.database.rows(sql`select first_time, last_time from device_states`)
  expect(state).toEqual({
    first_time: expect.stringContaining(new Date(nowMs).toISOString().slice(0, 23)),
    last_time: expect.any(String),
  })
})
