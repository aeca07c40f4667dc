import { randomBytes, randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { DeviceId } from '../../src/model/sample.ts'
import { deep } from '../deep.ts'
import { eventually } from '../eventually.ts'
import { usedBytes } from '../heap.ts'
import type { ProtocolClient } from './client.ts'
import { newImei, type SharedDatabase, World } from './world.ts'

const LEAST_CUT_BYTES = 6

/** What is sent to do harm. It measures the memory of the process, in which nothing else may run. */
export function testGarbage(client: ProtocolClient, database: SharedDatabase): void {
  const world = new World(client, database)

  /**
   * Nearly right data: a header followed by anything, the start of a frame, a frame with a wrong header or with one
   * wrong byte, which every checksum detects. More bytes are cut off than what is sent next may happen to begin with.
   */
  function nearly(deviceId: DeviceId): Buffer {
    const { headBytes } = client.frame
    const good = Buffer.from(world.frameOf(deviceId, 1, 0))
    const kind = randomInt(5)
    if (kind === 0) return randomBytes(randomInt(1, 2000))
    if (kind === 1) return Buffer.concat([good.subarray(0, headBytes / 2), randomBytes(randomInt(1, 2000))])
    if (kind === 2) return good.subarray(0, randomInt(1, good.length - LEAST_CUT_BYTES))
    const at = kind === 3 ? randomInt(headBytes) : randomInt(headBytes, good.length)
    good.writeUInt8(good.readUInt8(at) ^ randomInt(1, 256), at)
    return good
  }

  describe('garbage', () => {
    const MOST_GROWTH_BYTES = 16 * 1024 * 1024
    const forMs = deep(400)

    it('over TCP: no crash, no sample, no growth', async () => {
      const own = await world.ownGateway({})
      const stored = await own.storedSamples()
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
      const flood = (ms: number) => Promise.all(Array.from({ length: 16 }, () => talk(performance.now() + ms)))
      await flood(250)
      const before = usedBytes()
      await flood(forMs)
      await eventually(async () => expect(await world.metric('connections', {}, own)).toBe(0))
      expect(usedBytes() - before).toBeLessThan(MOST_GROWTH_BYTES)
      expect(await own.storedSamples()).toBe(stored)
      const deviceId = newImei()
      const dongle = await world.logIn(deviceId, own)
      dongle.write(world.frameOf(deviceId, 1, 0))
      expect(await dongle.acknowledgement()).toBe(1)
      await dongle.close()
      expect((await own.rejectedFrames()).length).toBeGreaterThan(0)
    })

    it('over UDP: no crash, no answer, no growth', async () => {
      const own = await world.ownGateway({})
      const stored = await own.storedSamples()
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
        expect(await own.storedSamples()).toBe(stored)
        const rejected = await own.rejectedFrames()
        expect(rejected.length).toBeGreaterThan(0)
        expect(rejected.length).toBeLessThan(100)
      } finally {
        socket.close()
      }
    })
  })
}
