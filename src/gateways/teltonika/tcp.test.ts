import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../../../test/service.ts'
import { connectTeltonika, logInTeltonika } from '../../../test/teltonika-client.ts'
import { requiredEventType } from '../../catalogue/event-types.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../../intake/sample.ts'
import { sql } from '../../store/sql.ts'
import { loginPacket, writeCommand, writeTcpFrame } from './codec/write-frame.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await service.key('fleet')
})
afterAll(() => service.stop())

let lastImei = 350_000_000_000_000
const newImei = () => (lastImei += 1) as DeviceId
const START_MS = Date.UTC(2026, 0, 10)

function sample(deviceId: DeviceId, second: number, speedKmh = 50): Sample {
  const values: [string, EventValue][] = [
    ['GPS_SPEED', speedKmh],
    ['POSITION', { lon: 13.4, lat: 52.5 }],
  ]
  return sampleOf(
    deviceId,
    START_MS + second * 1000,
    new Map(values.map(([name, value]) => [requiredEventType(name).id, value])),
  )
}

async function storedTimes(deviceId: DeviceId): Promise<number> {
  const [row] = await service.database.rows<{ count: number }>(
    sql`select count(*)::integer as count from samples where device_id = ${deviceId}`,
  )
  return row?.count ?? 0
}

const client = (deviceId: DeviceId) => logInTeltonika(service.teltonikaPort, String(deviceId))
const seconds = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index)

/** The same frame with one wrong bit in its data. */
function damaged(frame: Buffer): Buffer {
  const bytes = Buffer.from(frame)
  bytes.writeUInt8(bytes.readUInt8(12) ^ 1, 12)
  return bytes
}

describe('a dongle', () => {
  it('is told how many records of each frame are stored, in the order of its frames', async () => {
    const deviceId = newImei()
    const dongle = await client(deviceId)
    const frames = seconds(30).map(index =>
      writeTcpFrame(seconds((index % 5) + 1, index * 10).map(s => sample(deviceId, s))),
    )
    dongle.write(Buffer.concat(frames))
    for (const index of seconds(30)) expect(await dongle.acknowledgement()).toBe((index % 5) + 1)
    expect(await storedTimes(deviceId)).toBe(90)
    await dongle.close()
  })

  it('may send a byte at a time, keep-alives in between, and a login together with its first frame', async () => {
    const deviceId = newImei()
    const dongle = await connectTeltonika(service.teltonikaPort)
    dongle.socket.setNoDelay(true)
    for (const byte of Buffer.concat([loginPacket(String(deviceId)), writeTcpFrame([sample(deviceId, 0)])])) {
      dongle.write(Buffer.of(byte))
      await sleep(1)
    }
    expect(await dongle.answer(1)).toEqual(Buffer.of(1))
    expect(await dongle.acknowledgement()).toBe(1)
    dongle.write(Buffer.concat([Buffer.of(0xff, 0xff), writeTcpFrame([sample(deviceId, 1)]), Buffer.of(0xff)]))
    expect(await dongle.acknowledgement()).toBe(1)
    await dongle.close()
  })
})
