import { afterAll, describe, expect, test } from 'vitest'
import { imeiOf } from '../lab/simulation/imei.ts'
import { writeTcpFrame } from '../lab/teltonika-dongle/write-frame.ts'
import { requiredEventType } from '../src/catalogue/event-types.ts'
import { earlierClockMs, readClockMs } from '../src/db/clock.ts'
import { sql } from '../src/db/sql.ts'
import { sampleOf } from '../src/model/sample.ts'
import { JumpingClock } from './jumping-clock.ts'
import { startService } from './service.ts'
import { logInTeltonika } from './teltonika-client.ts'

/* What happens when the time of day of the machine is wrong, or is put right (docs/operation/faults.md). */

const HOUR_MS = 3600_000
const POSITION = requiredEventType('POSITION').id
const DONGLE = imeiOf('35630704', 300)

const clock = new JumpingClock()
const service = await startService({}, undefined, clock)
const key = await service.key('Fleet')
afterAll(() => service.stop())

/** The times of dongles are right: a second later each time. */
let lastMs = Date.now() - HOUR_MS / 2
const nextMs = () => (lastMs += 1000)

const frame = () => writeTcpFrame([sampleOf(DONGLE, nextMs(), new Map([[POSITION, { lon: 13.4, lat: 52.5 }]]))])
const countOf = async (table: 'samples' | 'misdated_samples') => {
  const [row] = await service.database.rows<{ count: number }>(
    table === 'samples'
      ? sql`select count(*)::integer as count from samples`
      : sql`select count(*)::integer as count from misdated_samples`,
  )
  return row?.count ?? 0
}

async function ingest(): Promise<{ status: number; errorMessage?: string }> {
  const event = {
    deviceId: 4711,
    recordedTimestamp: new Date(nextMs()).toISOString(),
    eventType: 'GPS_SPEED',
    value: 1,
  }
  const reply = await fetch(`${service.url}/ingest/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify([event]),
  })
  return { status: reply.status, ...((await reply.json()) as object) }
}

const reading = async () =>
  (await fetch(`${service.baseUrl}/devices`, { headers: { authorization: `Bearer ${key}` } })).status

describe.each([
  ['a day ahead', 24 * HOUR_MS],
  ['ahead by ten years', 87_600 * HOUR_MS],
])('a clock that is %s', (_name, offByMs) => {
  test('ends no connection and no session, and everything is stored', async () => {
    const dongle = await logInTeltonika(service.teltonikaPort, String(DONGLE))
    dongle.write(frame())
    expect(await dongle.acknowledgement()).toBe(1)
    const before = await countOf('samples')
    clock.setOff(offByMs)
    dongle.write(frame())
    expect(await dongle.acknowledgement()).toBe(1)
    expect(await ingest()).toMatchObject({ status: 200, accepted: 1 })
    expect(await reading()).toBe(200)
    expect(await countOf('samples')).toBe(before + 2)
    clock.setOff(0)
    dongle.write(frame())
    expect(await dongle.acknowledgement()).toBe(1)
    await dongle.close()
    expect(await countOf('misdated_samples')).toBe(0)
  })

  test('drops nothing by RETENTION_DAYS while the clock of the database is right', async () => {
    clock.setOff(offByMs)
    const databaseMs = await readClockMs(service.database)
    expect((await earlierClockMs(service.database, clock)) - databaseMs).toBeLessThan(HOUR_MS)
    clock.setOff(0)
  })
})

test('a clock that is hours slow: clients are told and can send again, what dongles send is acknowledged and kept apart', async () => {
  const dongle = await logInTeltonika(service.teltonikaPort, String(DONGLE))
  const before = await countOf('samples')
  clock.setOff(-3 * HOUR_MS)
  const refused = await ingest()
  expect(refused.status).toBe(400)
  expect(refused.errorMessage).toMatch(/^events\[0\]\.recordedTimestamp /)
  dongle.write(frame())
  expect(await dongle.acknowledgement()).toBe(1)
  expect([await countOf('samples'), await countOf('misdated_samples')]).toEqual([before, 1])
  expect(await reading()).toBe(200)

  clock.setOff(0)
  expect(await ingest()).toMatchObject({ status: 200, accepted: 1 })
  dongle.write(frame())
  expect(await dongle.acknowledgement()).toBe(1)
  await dongle.close()
  expect([await countOf('samples'), await countOf('misdated_samples')]).toEqual([before + 2, 1])
})

test('the difference to the clock of the database is a metric', async () => {
  clock.setOff(-3 * HOUR_MS)
  clock.advance(2000)
  const text = await (await fetch(`${service.url}/metrics`)).text()
  clock.setOff(0)
  const [, seconds] = /^tacho_clock_difference_seconds\{.*\} (\S+)$/m.exec(text) ?? []
  expect(Math.round(Number(seconds) / 3600)).toBe(-3)
})
