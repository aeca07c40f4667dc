import { randomBytes, randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { DeviceId } from '../../src/model/sample.ts'
import { deep, IS_DEEP } from '../deep.ts'
import { eventually } from '../eventually.ts'
import { usedBytes } from '../heap.ts'
import type { ProtocolClient } from './client.ts'
import { newImei, World } from './world.ts'

/** Of the bits of a frame, every so many are turned unless the suite runs deep: in each byte some, and each of the eight. */
const BIT_STEP = 3

/** So many at once at most. */
async function together<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items]
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

const indexes = (count: number) => Array.from({ length: count }, (_, index) => index)

/** What goes wrong in transit, and what is sent to do harm. */
export function testFaults(client: ProtocolClient): void {
  const world = new World(client)
  const frameOf = (deviceId: DeviceId, second = 0) => world.frameOf(deviceId, 1, second)
  const frameBytes = frameOf(350_000_000_000_000 as DeviceId).length

  describe('a connection that is cut', () => {
    it('after any byte of a frame leaves nothing but the whole frames before', async () => {
      const stored = new Map<DeviceId, number>()
      await together(indexes(frameBytes + 1), 16, async cutAt => {
        const deviceId = newImei()
        const dongle = await world.logIn(deviceId)
        dongle.write(frameOf(deviceId))
        expect(await dongle.acknowledgement()).toBe(1)
        const second = frameOf(deviceId, 1).subarray(0, cutAt)
        await new Promise<void>(resolve => dongle.socket.write(second, () => resolve()))
        await dongle.close()
        stored.set(deviceId, cutAt === frameBytes ? 2 : 1)
      })
      await eventually(async () => expect(await world.metric('connections')).toBe(0))
      await eventually(async () => {
        for (const [deviceId, count] of stored)
          expect([deviceId, await world.gateway.storedSamples(deviceId)]).toEqual([deviceId, count])
      })
    })

    it('in its login leaves nothing', async () => {
      const before = await world.gateway.storedSamples()
      for (const cutAt of indexes(world.loginOf(newImei()).length)) {
        const dongle = await world.connect()
        dongle.write(world.loginOf(newImei()).subarray(0, cutAt))
        await sleep(2)
        await dongle.close()
      }
      await eventually(async () => expect(await world.metric('connections')).toBe(0))
      expect(await world.gateway.storedSamples()).toBe(before)
    })
  })

  describe('a wrong bit', () => {
    it('anywhere in a frame over TCP: no answer, and no sample', async () => {
      const before = await world.gateway.storedSamples()
      const bits = indexes(frameBytes * 8).filter(bit => IS_DEEP || bit % BIT_STEP === 0)
      await together(bits, 32, async bit => {
        const deviceId = newImei()
        const frame = Buffer.from(frameOf(deviceId))
        frame.writeUInt8(frame.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
        const dongle = await world.logIn(deviceId)
        dongle.socket.end(frame)
        await dongle.ended
        expect([bit, dongle.unread]).toEqual([bit, 0])
        await dongle.close()
      })
      expect(await world.gateway.storedSamples()).toBe(before)
    })
  })

  /**
   * Nearly right data: a header followed by anything, the start of a frame, a frame with a wrong header or with one
   * wrong byte, which every checksum detects.
   */
  function nearly(deviceId: DeviceId): Buffer {
    const { headBytes } = client.frame
    const good = Buffer.from(frameOf(deviceId))
    const kind = randomInt(5)
    if (kind === 0) return randomBytes(randomInt(1, 2000))
    if (kind === 1) return Buffer.concat([good.subarray(0, headBytes / 2), randomBytes(randomInt(1, 2000))])
    if (kind === 2) return good.subarray(0, randomInt(1, good.length))
    const at = kind === 3 ? randomInt(headBytes) : randomInt(headBytes, good.length)
    good.writeUInt8(good.readUInt8(at) ^ randomInt(1, 256), at)
    return good
  }

  describe('garbage', () => {
    const MOST_GROWTH_BYTES = 16 * 1024 * 1024
    const forMs = deep(400)

    it('over TCP: no crash, no sample, no growth', async () => {
      const own = await world.ownGateway({})
      const talk = async (untilMs: number) => {
        while (performance.now() < untilMs) {
          const deviceId = newImei()
          const dongle = await world.connect(own)
          if (randomInt(4) > 0) dongle.write(world.loginOf(deviceId))
          for (let count = randomInt(1, 6); count > 0 && !dongle.socket.destroyed; count--) {
            dongle.write(nearly(deviceId))
            await sleep(randomInt(4))
          }
          await dongle.close()
        }
      }
      const flood = (ms: number) => Promise.all(indexes(16).map(() => talk(performance.now() + ms)))
      await flood(250)
      const before = usedBytes()
      await flood(forMs)
      await eventually(async () => expect(await world.metric('connections', {}, own)).toBe(0))
      expect(usedBytes() - before).toBeLessThan(MOST_GROWTH_BYTES)
      expect(await own.storedSamples()).toBe(0)
      const deviceId = newImei()
      const dongle = await world.logIn(deviceId, own)
      dongle.write(frameOf(deviceId))
      expect(await dongle.acknowledgement()).toBe(1)
      await dongle.close()
      expect((await own.rejectedFrames()).length).toBeGreaterThan(0)
    })

    it('over UDP: no crash, no answer, no growth', async () => {
      const own = await world.ownGateway({})
      const socket = createSocket('udp4')
      try {
        let answers = 0
        socket.on('message', () => answers++)
        const flood = async (ms: number) => {
          for (const untilMs = performance.now() + ms; performance.now() < untilMs; await sleep(1))
            for (let count = 0; count < 20; count++) {
              const good = world.datagramOf(newImei(), 1, [0])
              const isCut = randomInt(2) === 0
              // A datagram may be protected by nothing but its length and its counts: wrong ones must be detected.
              socket.send(
                isCut ? good.subarray(0, randomInt(1, good.length)) : randomBytes(randomInt(1, 1400)),
                own.port,
                '127.0.0.1',
              )
            }
        }
        await flood(250)
        const before = usedBytes()
        await flood(forMs)
        // A busy machine sends only few in that time.
        await eventually(async () => {
          await flood(50)
          expect(await world.metric('frames_total', {}, own)).toBeGreaterThan(1000)
        })
        expect(usedBytes() - before).toBeLessThan(MOST_GROWTH_BYTES)
        expect(answers).toBe(0)
        expect(await own.storedSamples()).toBe(0)
        const rejected = await own.rejectedFrames()
        expect(rejected.length).toBeGreaterThan(0)
        expect(rejected.length).toBeLessThan(100)
      } finally {
        socket.close()
      }
    })
  })
}
