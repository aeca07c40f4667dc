import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/gateways/shared/binary/limits.ts'
import { untilLockIsAwaited } from '../awaited-lock.ts'
import type { Dongle, ProtocolClient } from './client.ts'
import { HTTP_REQUEST, holdBack, newImei, type SharedDatabase, World, waitLikeADongle } from './world.ts'

/** One dongle on one connection, and the answers it gets. */
export function testConnections(client: ProtocolClient, database: SharedDatabase): void {
  const logged: string[] = []
  const world = new World(client, database, { log: pino({ level: 'info' }, { write: line => void logged.push(line) }) })

  describe('a dongle', () => {
    it('is told how many records of each frame are stored, in the order of its frames', async () => {
      const deviceId = newImei()
      const dongle = await world.logIn(deviceId)
      const counts = Array.from({ length: 30 }, (_, index) => (index % 5) + 1)
      dongle.write(Buffer.concat(counts.map((count, index) => world.frameOf(deviceId, count, index * 10))))
      for (const count of counts) expect(await dongle.acknowledgement()).toBe(count)
      expect(await world.gateway.storedSamples(deviceId)).toBe(90)
      await dongle.close()
    })

    it('may send a byte at a time, its login together with its first frame, and keep-alives', async () => {
      const { bytes: keepAlive, answer: aliveAnswer } = client.keepAlive
      const deviceId = newImei()
      const dongle = await world.connect()
      dongle.socket.setNoDelay(true)
      for (const byte of Buffer.concat([world.loginOf(deviceId), world.frameOf(deviceId, 1, 0)])) {
        dongle.write(Buffer.of(byte))
        await sleep(1)
      }
      const accepted = client.login.accepted(String(deviceId))
      expect(await dongle.answer(accepted.length)).toEqual(accepted)
      expect(await dongle.acknowledgement()).toBe(1)
      dongle.write(Buffer.concat([keepAlive, keepAlive]))
      expect(await dongle.answer(aliveAnswer.length * 2)).toEqual(Buffer.concat([aliveAnswer, aliveAnswer]))
      dongle.write(Buffer.concat([keepAlive, world.frameOf(deviceId, 2, 1)]))
      expect(await dongle.answer(aliveAnswer.length)).toEqual(aliveAnswer)
      expect(await dongle.acknowledgement()).toBe(2)
      dongle.write(keepAlive)
      expect(await dongle.answer(aliveAnswer.length)).toEqual(aliveAnswer)
      await dongle.close()
    })

    it('is acknowledged after its commit and not before; the same frame again is acknowledged, and stored once', async () => {
      const deviceId = newImei()
      const dongle = await world.logIn(deviceId)
      const frame = world.frameOf(deviceId, 4, 0)
      const letGo = await holdBack(deviceId, world.gateway)
      dongle.write(frame)
      await untilLockIsAwaited(world.gateway.database)
      expect(dongle.unread).toBe(0)
      await letGo()
      expect(await dongle.acknowledgement()).toBe(4)
      dongle.write(frame)
      expect(await dongle.acknowledgement()).toBe(4)
      expect(await world.gateway.storedSamples(deviceId)).toBe(4)
      await dongle.close()
    })

    it('that has said everything still gets its answers', async () => {
      const deviceId = newImei()
      const dongle = await world.logIn(deviceId)
      dongle.socket.end(Buffer.concat(Array.from({ length: 20 }, (_, index) => world.frameOf(deviceId, 1, index))))
      for (let index = 0; index < 20; index++) expect(await dongle.acknowledgement()).toBe(1)
      await dongle.ended
    })

    it('may answer a command: that is logged, and gets no answer', async () => {
      const deviceId = newImei()
      const dongle = await world.logIn(deviceId)
      const text = 'Data Link: 1 GPRS: 1'
      dongle.write(Buffer.concat([client.frame.ofMessage(text), world.frameOf(deviceId, 3, 0)]))
      expect(await dongle.acknowledgement()).toBe(3)
      expect(dongle.unread).toBe(0)
      const messages = logged
        .map(line => JSON.parse(line) as Record<string, unknown>)
        .filter(({ msg }) => msg === 'a message of a device')
      expect(messages).toEqual([expect.objectContaining({ deviceId, ...client.frame.messageFields, text })])
      await dongle.close()
    })

    it('that connects again is heard on the new connection, and the older one is answered what it sends', async () => {
      const deviceId = newImei()
      const older = await world.logIn(deviceId)
      const letGo = await holdBack(deviceId, world.gateway)
      older.write(world.frameOf(deviceId, 5, 0))
      const newer = await world.logIn(deviceId)
      newer.write(world.frameOf(deviceId, 5, 0))
      await letGo()
      expect([await older.acknowledgement(), await newer.acknowledgement()]).toEqual([5, 5])
      expect(await world.gateway.storedSamples(deviceId)).toBe(5)
      older.write(world.frameOf(deviceId, 2, 10))
      expect(await older.acknowledgement()).toBe(2)
      await older.close()
      // Its end must not be taken for that of the newer one.
      newer.write(world.frameOf(deviceId, 1, 20))
      expect(await newer.acknowledgement()).toBe(1)
      await newer.close()
    })

    it('keeps the connection over which it reports, however often its IMEI logs in beside it', async () => {
      const deviceId = newImei()
      const dongle = await world.logIn(deviceId)
      dongle.write(world.frameOf(deviceId, 1, 0))
      expect(await dongle.acknowledgement()).toBe(1)
      const others: Dongle[] = []
      for (let count = 0; count < 10; count++) others.push(await world.logIn(deviceId))
      dongle.write(world.frameOf(deviceId, 3, 10))
      expect(await dongle.acknowledgement()).toBe(3)
      expect(await world.metric('connections')).toBeLessThanOrEqual(LIMITS.ofDeviceAndPeer)
      for (const each of [dongle, ...others]) await each.close()
    })
  })

  describe('a frame that is damaged', () => {
    it('gets no answer, and the same connection goes on with what is sent again', async () => {
      const deviceId = newImei()
      const dongle = await world.logIn(deviceId)
      dongle.write(client.frame.damaged(world.frameOf(deviceId, 2, 0)))
      await waitLikeADongle()
      expect(dongle.unread).toBe(0)
      dongle.write(world.frameOf(deviceId, 2, 0))
      expect(await dongle.acknowledgement()).toBe(2)
      await dongle.close()
    })

    it('is the last one of a sender that does not wait: no answer can be taken for its own', async () => {
      const deviceId = newImei()
      const dongle = await world.logIn(deviceId)
      const damaged = client.frame.damaged(world.frameOf(deviceId, 2, 10))
      dongle.write(Buffer.concat([world.frameOf(deviceId, 1, 0), damaged, world.frameOf(deviceId, 2, 20)]))
      expect(await dongle.acknowledgement()).toBe(1)
      await dongle.ended
      expect(dongle.unread).toBe(0)

      const next = await world.logIn(deviceId)
      next.write(damaged)
      await sleep(20)
      next.write(world.frameOf(deviceId, 2, 20))
      await next.ended
      expect(next.unread).toBe(0)
      expect(await world.gateway.storedSamples(deviceId)).toBe(1)
    })
  })

  describe('a login', () => {
    const wrong: typeof client.login.wrong = [
      ...client.login.wrong,
      ['a request of HTTP', HTTP_REQUEST],
      ['a frame', world.frameOf(newImei(), 1, 0)],
    ]
    it.each(wrong)('of %s is refused, and the connection is closed', async (_, bytes) => {
      const dongle = await world.connect()
      dongle.write(bytes)
      expect(await dongle.answer(client.login.refused.length)).toEqual(client.login.refused)
      await dongle.ended
      expect(dongle.unread).toBe(0)
    })

    it('that comes a second time ends the connection: who reports on it does not change', async () => {
      const deviceId = newImei()
      const dongle = await world.logIn(deviceId)
      dongle.write(Buffer.concat([world.loginOf(newImei()), world.frameOf(deviceId, 1, 0)]))
      await dongle.ended
      expect(dongle.unread).toBe(0)
      expect(await world.gateway.storedSamples(deviceId)).toBe(0)
    })
  })

  it('a frame longer than the limit ends the connection as soon as that shows', async () => {
    const dongle = await world.logIn(newImei())
    dongle.write(client.frame.tooLong)
    await dongle.ended
    expect(dongle.unread).toBe(0)
    await dongle.close()
  })

  it('whoever stops it waits for what is in flight, and the dongle is told', async () => {
    const own = await world.ownGateway({})
    const deviceId = newImei()
    const dongle = await world.logIn(deviceId, own)
    const idle = await world.logIn(newImei(), own)
    const letGo = await holdBack(deviceId, own)
    dongle.write(world.frameOf(deviceId, 4, 0))
    await sleep(100)
    let hasStopped = false
    const stopped = own.stopGateway().then(() => (hasStopped = true))
    await idle.ended
    idle.socket.end()
    await expect(world.connect(own)).rejects.toThrow('ECONNREFUSED')
    expect(hasStopped).toBe(false)
    await letGo()
    expect(await dongle.acknowledgement()).toBe(4)
    await dongle.ended
    dongle.socket.end()
    await stopped
    expect(await own.storedSamples(deviceId)).toBe(4)
  })
}
