import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { DeviceId } from '../../src/model/sample.ts'
import { IS_DEEP } from '../deep.ts'
import { eventually } from '../eventually.ts'
import type { ProtocolClient } from './client.ts'
import { newImei, type SharedDatabase, World } from './world.ts'

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

/** What goes wrong in transit. */
export function testFaults(client: ProtocolClient, database: SharedDatabase): void {
  const world = new World(client, database)
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
}
