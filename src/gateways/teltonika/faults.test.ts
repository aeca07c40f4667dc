import { randomBytes, randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../test/embedded-folder.ts'
import { usedBytes } from '../../../test/heap.ts'
import { connectTeltonika, logInTeltonika } from '../../../test/teltonika-client.ts'
import { startGateway, type TestGateway } from '../../../test/teltonika-gateway.ts'
import { requiredEventType } from '../../catalogue/event-types.ts'
import { type DeviceId, sampleOf } from '../../model/sample.ts'
import { loginPacket, writeTcpFrame, writeUdpPacket } from './codec/write-frame.ts'

let test: TestGateway
beforeAll(async () => {
  test = await startGateway()
})
afterAll(() => test.stop())

let lastImei = 350_000_000_000_000
const newImei = () => (lastImei += 1) as DeviceId
const START_MS = Date.UTC(2026, 0, 10)
const GPS_SPEED = requiredEventType('GPS_SPEED').id
const IS_IGNITION_ON = requiredEventType('IS_IGNITION_ON').id

const sample = (deviceId: DeviceId, second = 0) =>
  sampleOf(
    deviceId,
    START_MS + second * 1000,
    new Map<typeof GPS_SPEED, number | boolean>([
      [GPS_SPEED, 50],
      [IS_IGNITION_ON, true],
    ]),
  )

/** At most so many at once. */
async function together<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items]
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

const indexes = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('a connection that is cut', () => {
  it('after any byte of a frame leaves nothing but the whole frames before', async () => {
    const bytes = writeTcpFrame([sample(1 as DeviceId)]).length
    const stored = new Map<DeviceId, number>()
    await together(indexes(bytes + 1), 16, async cutAt => {
      const deviceId = newImei()
      const dongle = await logInTeltonika(test.port, String(deviceId))
      dongle.write(writeTcpFrame([sample(deviceId)]))
      expect(await dongle.acknowledgement()).toBe(1)
      const second = writeTcpFrame([sample(deviceId, 1)]).subarray(0, cutAt)
      await new Promise<void>(resolve => dongle.socket.write(second, () => resolve()))
      await dongle.close()
      stored.set(deviceId, cutAt === bytes ? 2 : 1)
    })
    await eventually(async () => expect(await test.metric('tacho_teltonika_connections')).toBe(0))
    await eventually(async () => {
      for (const [deviceId, count] of stored)
        expect([deviceId, await test.storedSamples(deviceId)]).toEqual([deviceId, count])
    })
  })

  it('in its login leaves nothing', async () => {
    const before = await test.storedSamples()
    for (const cutAt of indexes(17)) {
      const dongle = await connectTeltonika(test.port)
      dongle.write(loginPacket(String(newImei())).subarray(0, cutAt))
      await sleep(2)
      await dongle.close()
    }
    await eventually(async () => expect(await test.metric('tacho_teltonika_connections')).toBe(0))
    expect(await test.storedSamples()).toBe(before)
  })
})

describe('a wrong bit', () => {
  it('anywhere in a frame over TCP: no answer, and no sample', async () => {
    const bits = writeTcpFrame([sample(1 as DeviceId)]).length * 8
    const before = await test.storedSamples()
    await together(indexes(bits), 32, async bit => {
      const deviceId = newImei()
      const frame = Buffer.from(writeTcpFrame([sample(deviceId)]))
      frame.writeUInt8(frame.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      const dongle = await logInTeltonika(test.port, String(deviceId))
      dongle.socket.end(frame)
      await dongle.ended
      expect([bit, dongle.unread]).toEqual([bit, 0])
      await dongle.close()
    })
    expect(await test.storedSamples()).toBe(before)
  })
})

/**
 * What is nearly right: a head with anything behind it, the begin of a frame, a frame with a wrong head or with one
 * wrong byte, which a checksum of 16 bits finds without fail.
 */
function nearly(deviceId: DeviceId): Buffer {
  const good = Buffer.from(writeTcpFrame([sample(deviceId)]))
  const kind = randomInt(5)
  if (kind === 0) return randomBytes(randomInt(1, 2000))
  if (kind === 1) return Buffer.concat([Buffer.alloc(4), randomBytes(randomInt(1, 2000))])
  if (kind === 2) return good.subarray(0, randomInt(1, good.length))
  const at = kind === 3 ? randomInt(8) : randomInt(8, good.length)
  good.writeUInt8(good.readUInt8(at) ^ randomInt(1, 256), at)
  return good
}

describe('garbage', () => {
  const MOST_GROWTH_BYTES = 16 * 1024 * 1024
  const forMs = 3000

  it('over TCP: no crash, no sample, no growth', async () => {
    const own = await startGateway()
    try {
      const talk = async (untilMs: number) => {
        while (performance.now() < untilMs) {
          const deviceId = newImei()
          const dongle = await connectTeltonika(own.port)
          if (randomInt(4) > 0) dongle.write(loginPacket(String(deviceId)))
          for (let count = randomInt(1, 6); count > 0 && !dongle.socket.destroyed; count--) {
            dongle.write(nearly(deviceId))
            await sleep(randomInt(4))
          }
          await dongle.close()
        }
      }
      const flood = (ms: number) => Promise.all(indexes(16).map(() => talk(performance.now() + ms)))
      await flood(500)
      const before = usedBytes()
      await flood(forMs)
      await eventually(async () => expect(await own.metric('tacho_teltonika_connections')).toBe(0))
      expect(usedBytes() - before).toBeLessThan(MOST_GROWTH_BYTES)
      expect(await own.storedSamples()).toBe(0)
      const dongle = await logInTeltonika(own.port, String(newImei()))
      dongle.write(writeTcpFrame([sample(lastImei as DeviceId)]))
      expect(await dongle.acknowledgement()).toBe(1)
      await dongle.close()
      expect((await own.rejectedFrames()).length).toBeGreaterThan(0)
    } finally {
      await own.stop()
    }
  })

  it('over UDP: no crash, no answer, no growth', async () => {
    const own = await startGateway()
    const socket = createSocket('udp4')
    try {
      let answers = 0
      socket.on('message', () => answers++)
      const flood = async (ms: number) => {
        for (const untilMs = performance.now() + ms; performance.now() < untilMs; await sleep(1))
          for (let count = 0; count < 20; count++) {
            const deviceId = newImei()
            const good = writeUdpPacket({ imei: String(deviceId), packetId: 1, avlPacketId: 1 }, [sample(deviceId)])
            const isCut = randomInt(2) === 0
            // Nothing protects a datagram but its length and its counts: wrong ones of those must be seen.
            socket.send(
              isCut ? good.subarray(0, randomInt(1, good.length)) : randomBytes(randomInt(1, 1400)),
              own.port,
              '127.0.0.1',
            )
          }
      }
      await flood(500)
      const before = usedBytes()
      await flood(forMs)
      await eventually(async () => expect(await own.metric('tacho_teltonika_frames_total')).toBeGreaterThan(1000))
      expect(usedBytes() - before).toBeLessThan(MOST_GROWTH_BYTES)
      expect(answers).toBe(0)
      expect(await own.storedSamples()).toBe(0)
      const rejected = await own.rejectedFrames()
      expect(rejected.length).toBeGreaterThan(0)
      expect(rejected.length).toBeLessThan(100)
    } finally {
      socket.close()
      await own.stop()
    }
  })
})
