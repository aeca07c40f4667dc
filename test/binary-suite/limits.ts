import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { untilLockIsAwaited } from '../awaited-lock.ts'
import { eventually } from '../eventually.ts'
import type { Dongle, ProtocolClient } from './client.ts'
import { holdBack, newImei, type SharedDatabase, World } from './world.ts'

/** How much of the process a dongle, a peer and all peers together may use. */
export function testLimits(client: ProtocolClient, database: SharedDatabase): void {
  const world = new World(client, database)

  describe('limits', () => {
    it('nobody is waited for longer than a dongle needs', async () => {
      const own = await world.ownGateway({
        limits: { loginMs: 30_000, frameMs: 30_000, idleMs: 100_000, sweepMs: 10 },
      })
      const [silent, slowLogin, slowFrame, idle, lively] = await Promise.all([
        world.connect(own),
        world.connect(own),
        world.logIn(newImei(), own),
        world.logIn(newImei(), own),
        world.logIn(newImei(), own),
      ])
      const login = world.loginOf(newImei())
      const frame = world.frameOf(newImei(), 1, 0)
      const isOpen = { slowLogin: true, slowFrame: true }
      void slowLogin.ended.then(() => (isOpen.slowLogin = false))
      void slowFrame.ended.then(() => (isOpen.slowFrame = false))
      for (let at = 0; at < 16; at++) {
        if (isOpen.slowLogin) slowLogin.write(login.subarray(at, at + 1))
        if (isOpen.slowFrame) slowFrame.write(frame.subarray(at, at + 1))
        lively.write(client.keepAlive.bytes)
        await lively.answer(client.keepAlive.answer.length)
        // All of these bytes are read at some time before the next deadline.
        await sleep(30)
        own.clock.advance(10_000)
      }
      await Promise.all([silent.ended, slowLogin.ended, slowFrame.ended, idle.ended])
      const closed = (reason: string) => world.metric('closed_connections_total', { reason }, own)
      expect([await closed('login too slow'), await closed('frame too slow'), await closed('idle')]).toEqual([2, 1, 1])
      expect(await world.metric('connections', {}, own)).toBe(1)
      expect(lively.socket.readyState).toBe('open')
      await lively.close()
    })

    it('a dongle that waits for its commit is not idle', async () => {
      const own = await world.ownGateway({ limits: { idleMs: 60_000, sweepMs: 20 } })
      const deviceId = newImei()
      const dongle = await world.logIn(deviceId, own)
      const letGo = await holdBack(deviceId, own)
      dongle.write(world.frameOf(deviceId, 1, 0))
      await untilLockIsAwaited(own.database)
      own.clock.advance(61_000)
      await sleep(200)
      await letGo()
      expect(await dongle.acknowledgement()).toBe(1)
      await dongle.ended
      await dongle.close()
    })

    it('connections beyond the most are closed, and nobody else suffers', async () => {
      const own = await world.ownGateway({ limits: { mostConnections: 2 } })
      const deviceId = newImei()
      const first = await world.logIn(deviceId, own)
      const second = await world.logIn(newImei(), own)
      await (await world.connect(own)).ended
      first.write(world.frameOf(deviceId, 1, 0))
      expect(await first.acknowledgement()).toBe(1)
      await first.close()
      await second.close()
      await eventually(async () => (await world.logIn(newImei(), own)).close())
    })

    it('what one dongle has waiting for its commit is bounded: more is held back by the kernel', async () => {
      const own = await world.ownGateway({ limits: { unansweredBytes: 256 * 1024 } })
      const deviceId = newImei()
      const dongle = await world.logIn(deviceId, own)
      const letGo = await holdBack(deviceId, own)
      const frame = world.frameOf(deviceId, 255, 0)
      // Far more than the kernel buffers.
      const sent = 16 * 1024 * 1024
      dongle.write(Buffer.concat(Array.from({ length: Math.ceil(sent / frame.length) }, () => frame)))
      await sleep(500)
      expect(dongle.socket.writableLength).toBeGreaterThan(0)
      expect(dongle.socket.bytesWritten - dongle.socket.writableLength).toBeLessThan(sent)
      await letGo()
      expect(await dongle.acknowledgement()).toBe(255)
      await dongle.close()
    })
  })

  it('what all dongles together have waiting is bounded: who sends more is cut off, and may come again', async () => {
    const own = await world.ownGateway({ limits: { unansweredBytes: 4096 } })
    const deviceId = newImei()
    const dongle = await world.logIn(deviceId, own)
    const letGo = await holdBack(deviceId, own)
    dongle.write(Buffer.concat([world.frameOf(deviceId, 255, 0), world.frameOf(deviceId, 255, 300)]))
    await dongle.ended
    expect(await world.metric('closed_connections_total', { reason: 'overload' }, own)).toBe(1)
    await letGo()
    const again = await world.logIn(deviceId, own)
    again.write(world.frameOf(deviceId, 10, 0))
    expect(await again.acknowledgement()).toBe(10)
    await dongle.close()
    await again.close()
  })

  describe('a peer', () => {
    it('that begins many long frames and ends none takes nobody else a place', async () => {
      // With the default limit of a peer, it would take a gigabyte to reach it; in this test all dongles are one peer.
      const own = await world.ownGateway({ limits: { unansweredBytesOfPeer: 512 * 1024 } })
      const deviceId = newImei()
      const dongle = await world.logIn(deviceId, own)
      const begun = client.frame.begun(60_000, 65_000)
      const halfOpen: Dongle[] = []
      for (let count = 0; count < 20; count++) {
        const other = await world.logIn(newImei(), own)
        halfOpen.push(other)
        other.write(begun)
        dongle.write(world.frameOf(deviceId, 1, count))
        expect(await dongle.acknowledgement()).toBe(1)
      }
      expect(await world.metric('closed_connections_total', { reason: 'overload' }, own)).toBeGreaterThan(10)
      for (const each of [dongle, ...halfOpen]) await each.close()
    })

    it('with many connections that do not log in loses the oldest of them, and nobody else a place', async () => {
      const own = await world.ownGateway({ limits: { unnamedOfPeer: 5, mostConnections: 20 } })
      const silent: Dongle[] = []
      for (let count = 0; count < 40; count++) silent.push(await world.connect(own))
      await Promise.all(silent.slice(0, 35).map(each => each.ended))
      const deviceId = newImei()
      const dongle = await world.logIn(deviceId, own)
      dongle.write(world.frameOf(deviceId, 1, 0))
      expect(await dongle.acknowledgement()).toBe(1)
      for (const each of [dongle, ...silent]) await each.close()
    })

    it('that tries many IMEIs is soon told nothing, also not which are known; a dongle that was there before gets in', async () => {
      const limits = { strangersAtOnce: 5, strangerMs: 3_600_000 }
      const own = await world.ownGateway({ limits, unknownDevices: 'reject' })
      const [known, other] = [newImei(), newImei()]
      await own.addDevice(known)
      await own.addDevice(other)
      await (await world.logIn(known, own)).close()
      const { refused, accepted } = client.login
      const answers: (string | undefined)[] = []
      for (let count = 0; count < 12; count++) {
        const dongle = await world.connect(own)
        dongle.write(world.loginOf(newImei()))
        answers.push(
          await dongle.answer(refused.length).then(
            answer => answer.toString('hex'),
            () => undefined,
          ),
        )
        await dongle.close()
      }
      expect(answers).toEqual([
        ...Array<string>(5).fill(refused.toString('hex')),
        ...Array<undefined>(7).fill(undefined),
      ])
      const expected = accepted(String(other)).length
      await expect(world.logIn(other, own)).rejects.toThrow(`ended after 0 of ${expected} bytes`)
      await (await world.logIn(known, own)).close()
      expect(await world.metric('logins_total', { outcome: 'unanswered' }, own)).toBe(8)
    })
  })
}
