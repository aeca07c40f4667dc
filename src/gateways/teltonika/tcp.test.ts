import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../test/embedded-folder.ts'
import { connectTeltonika, logInTeltonika, type TeltonikaClient } from '../../../test/teltonika-client.ts'
import { startGateway, type TestGateway } from '../../../test/teltonika-gateway.ts'
import { requiredEventType } from '../../catalogue/event-types.ts'
import { shardOf } from '../../db/shards/shards.ts'
import { type DeviceId, type Sample, sampleOf } from '../../model/sample.ts'
import { loginPacket, writeCommand, writeTcpFrame } from './codec/write-frame.ts'
import { LIMITS } from './limits.ts'

const logged: string[] = []
let test: TestGateway
beforeAll(async () => {
  test = await startGateway({}, pino({ level: 'info' }, { write: line => void logged.push(line) }))
})
afterAll(() => test.stop())

let lastImei = 350_000_000_000_000
const newImei = () => (lastImei += 1) as DeviceId
const START_MS = Date.UTC(2026, 0, 10)
const GPS_SPEED = requiredEventType('GPS_SPEED').id
const POSITION = requiredEventType('POSITION').id

const sample = (deviceId: DeviceId, second: number): Sample =>
  sampleOf(
    deviceId,
    START_MS + second * 1000,
    new Map<typeof GPS_SPEED, number | { lon: number; lat: number }>([
      [GPS_SPEED, 50],
      [POSITION, { lon: 13.4, lat: 52.5 }],
    ]),
  )

/** A frame with so many records, the first one at that second. */
const frameOf = (deviceId: DeviceId, records: number, fromSecond: number) =>
  writeTcpFrame(Array.from({ length: records }, (_, index) => sample(deviceId, fromSecond + index)))

const logIn = (deviceId: DeviceId, { port }: TestGateway = test) => logInTeltonika(port, String(deviceId))

/** The same frame with one wrong bit in its data. */
function damaged(frame: Buffer): Buffer {
  const bytes = Buffer.from(frame)
  bytes.writeUInt8(bytes.readUInt8(12) ^ 1, 12)
  return bytes
}

/** Longer than a sender that does not wait for its answer would be silent. */
const waitLikeADongle = () => sleep(LIMITS.unansweredMs * 2)

/** Holds what a device sends back from its commit. @returns what lets it go on. */
async function holdBack(deviceId: DeviceId, { databaseUrl }: TestGateway = test): Promise<() => Promise<void>> {
  const holder = new Client({ connectionString: databaseUrl })
  await holder.connect()
  await holder.query('select pg_advisory_lock(7412, $1)', [shardOf(deviceId)])
  return () => holder.end()
}

describe('a dongle', () => {
  it('is told how many records of each frame are stored, in the order of its frames', async () => {
    const deviceId = newImei()
    const dongle = await logIn(deviceId)
    const counts = Array.from({ length: 30 }, (_, index) => (index % 5) + 1)
    dongle.write(Buffer.concat(counts.map((count, index) => frameOf(deviceId, count, index * 10))))
    for (const count of counts) expect(await dongle.acknowledgement()).toBe(count)
    expect(await test.storedSamples(deviceId)).toBe(90)
    await dongle.close()
  })

  it('may send a byte at a time, its login together with its first frame, and keep-alives', async () => {
    const deviceId = newImei()
    const dongle = await connectTeltonika(test.port)
    dongle.socket.setNoDelay(true)
    for (const byte of Buffer.concat([loginPacket(String(deviceId)), frameOf(deviceId, 1, 0)])) {
      dongle.write(Buffer.of(byte))
      await sleep(1)
    }
    expect(await dongle.answer(1)).toEqual(Buffer.of(1))
    expect(await dongle.acknowledgement()).toBe(1)
    dongle.write(Buffer.concat([Buffer.of(0xff, 0xff), frameOf(deviceId, 2, 1), Buffer.of(0xff)]))
    expect(await dongle.acknowledgement()).toBe(2)
    await dongle.close()
  })

  it('that has said everything still gets its answers', async () => {
    const deviceId = newImei()
    const dongle = await logIn(deviceId)
    dongle.socket.end(Buffer.concat(Array.from({ length: 20 }, (_, index) => frameOf(deviceId, 1, index))))
    for (let index = 0; index < 20; index++) expect(await dongle.acknowledgement()).toBe(1)
    await dongle.ended
  })

  it('may answer a command: that is logged, and gets no answer', async () => {
    const deviceId = newImei()
    const dongle = await logIn(deviceId)
    dongle.write(Buffer.concat([writeCommand('Data Link: 1 GPRS: 1', 6), frameOf(deviceId, 3, 0)]))
    expect(await dongle.acknowledgement()).toBe(3)
    expect(dongle.unread).toBe(0)
    const message = logged.map(line => JSON.parse(line) as Record<string, unknown>).find(line => line.codec === 12)
    expect(message).toMatchObject({ deviceId, type: 6, text: 'Data Link: 1 GPRS: 1' })
    await dongle.close()
  })

  it('that connects again is heard on the new connection, and the older one is answered what it sends', async () => {
    const deviceId = newImei()
    const older = await logIn(deviceId)
    const letGo = await holdBack(deviceId)
    older.write(frameOf(deviceId, 5, 0))
    const newer = await logIn(deviceId)
    newer.write(frameOf(deviceId, 5, 0))
    await letGo()
    expect([await older.acknowledgement(), await newer.acknowledgement()]).toEqual([5, 5])
    expect(await test.storedSamples(deviceId)).toBe(5)
    older.write(frameOf(deviceId, 2, 10))
    expect(await older.acknowledgement()).toBe(2)
    await older.close()
    // Its end must not be taken for that of the newer one.
    newer.write(frameOf(deviceId, 1, 20))
    expect(await newer.acknowledgement()).toBe(1)
    await newer.close()
  })

  it('keeps the connection over which it reports, however often its IMEI logs in beside it', async () => {
    const deviceId = newImei()
    const dongle = await logIn(deviceId)
    dongle.write(frameOf(deviceId, 1, 0))
    expect(await dongle.acknowledgement()).toBe(1)
    const others: TeltonikaClient[] = []
    for (let count = 0; count < 10; count++) others.push(await logIn(deviceId))
    dongle.write(frameOf(deviceId, 3, 10))
    expect(await dongle.acknowledgement()).toBe(3)
    expect(await test.metric('tacho_teltonika_connections')).toBeLessThanOrEqual(LIMITS.ofDeviceAndPeer)
    for (const each of [dongle, ...others]) await each.close()
  })
})

describe('a frame with a wrong checksum', () => {
  it('gets no answer, and the same connection goes on with what is sent again', async () => {
    const deviceId = newImei()
    const dongle = await logIn(deviceId)
    dongle.write(damaged(frameOf(deviceId, 2, 0)))
    await waitLikeADongle()
    expect(dongle.unread).toBe(0)
    dongle.write(frameOf(deviceId, 2, 0))
    expect(await dongle.acknowledgement()).toBe(2)
    await dongle.close()
  })

  it('is the last one of a sender that does not wait: no answer can be taken for its own', async () => {
    const deviceId = newImei()
    const dongle = await logIn(deviceId)
    const frames = [frameOf(deviceId, 1, 0), damaged(frameOf(deviceId, 2, 10)), frameOf(deviceId, 2, 20)]
    dongle.write(Buffer.concat(frames))
    expect(await dongle.acknowledgement()).toBe(1)
    await dongle.ended
    expect(dongle.unread).toBe(0)

    const next = await logIn(deviceId)
    next.write(damaged(frameOf(deviceId, 2, 10)))
    await sleep(20)
    next.write(frameOf(deviceId, 2, 20))
    await next.ended
    expect(next.unread).toBe(0)
    expect(await test.storedSamples(deviceId)).toBe(1)
  })
})

describe('a login', () => {
  it.each([
    ['letters', loginPacket('35630704244101A')],
    ['zeros', loginPacket('000000000000000')],
    ['too few digits', loginPacket('35630704244101')],
    ['a request of HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: tacho\r\n\r\n')],
  ])('of %s is refused, and the connection is closed', async (_, bytes) => {
    const dongle = await connectTeltonika(test.port)
    dongle.write(bytes)
    expect(await dongle.answer(1)).toEqual(Buffer.of(0))
    await dongle.ended
  })
})

describe('what was rejected', () => {
  it('is kept, with who sent it and why', async () => {
    const own = await startGateway()
    try {
      const deviceId = newImei()
      const dongle = await logIn(deviceId, own)
      const wrong = damaged(frameOf(deviceId, 1, 0))
      dongle.write(wrong)
      await waitLikeADongle()
      dongle.write(Buffer.from('out of step'))
      await dongle.ended
      await dongle.close()
      const stranger = await connectTeltonika(own.port)
      stranger.write(Buffer.from('GET / HTTP/1.1'))
      await stranger.ended
      await stranger.close()
      const from = { gateway: 'teltonika', sender: '127.0.0.1' }
      expect(await own.rejectedFrames()).toMatchObject([
        { ...from, device_id: null, why: expect.stringMatching(/login/) },
        { ...from, device_id: deviceId, why: expect.stringMatching(/zero bytes/) },
        { ...from, device_id: deviceId, why: expect.stringMatching(/checksum/), bytes: wrong },
      ])
      expect(await own.metric('tacho_teltonika_frames_total', { outcome: 'broken' })).toBe(2)
      expect(await own.metric('tacho_teltonika_logins_total', { outcome: 'malformed' })).toBe(1)
    } finally {
      await own.stop()
    }
  })
})

describe('limits', () => {
  it('nobody is waited for longer than a dongle needs', async () => {
    const own = await startGateway({ loginMs: 300, frameMs: 300, idleMs: 1000, sweepMs: 50 })
    try {
      const [silent, slowLogin, slowFrame, idle, lively] = await Promise.all([
        connectTeltonika(own.port),
        connectTeltonika(own.port),
        logIn(newImei(), own),
        logIn(newImei(), own),
        logIn(newImei(), own),
      ])
      const login = loginPacket(String(newImei()))
      const frame = frameOf(newImei(), 1, 0)
      const isOpen = { slowLogin: true, slowFrame: true }
      void slowLogin.ended.then(() => (isOpen.slowLogin = false))
      void slowFrame.ended.then(() => (isOpen.slowFrame = false))
      for (let at = 0; at < 16; at++) {
        if (isOpen.slowLogin) slowLogin.write(login.subarray(at, at + 1))
        if (isOpen.slowFrame) slowFrame.write(frame.subarray(at, at + 1))
        lively.write(Buffer.of(0xff))
        await sleep(100)
      }
      await Promise.all([silent.ended, slowLogin.ended, slowFrame.ended, idle.ended])
      const closed = (reason: string) => own.metric('tacho_teltonika_closed_connections_total', { reason })
      expect([await closed('login too slow'), await closed('frame too slow'), await closed('idle')]).toEqual([2, 1, 1])
      expect(await own.metric('tacho_teltonika_connections')).toBe(1)
      expect(lively.socket.readyState).toBe('open')
      await lively.close()
    } finally {
      await own.stop()
    }
  })

  it('a dongle that waits for its commit is not idle', async () => {
    const own = await startGateway({ idleMs: 100, sweepMs: 20 })
    try {
      const deviceId = newImei()
      const dongle = await logIn(deviceId, own)
      const letGo = await holdBack(deviceId, own)
      dongle.write(frameOf(deviceId, 1, 0))
      await sleep(500)
      await letGo()
      expect(await dongle.acknowledgement()).toBe(1)
      await dongle.ended
      await dongle.close()
    } finally {
      await own.stop()
    }
  })

  it('connections beyond the most are closed, and nobody else suffers', async () => {
    const own = await startGateway({ mostConnections: 2 })
    try {
      const deviceId = newImei()
      const first = await logIn(deviceId, own)
      const second = await logIn(newImei(), own)
      await (await connectTeltonika(own.port)).ended
      first.write(frameOf(deviceId, 1, 0))
      expect(await first.acknowledgement()).toBe(1)
      await first.close()
      await second.close()
      await eventually(async () => (await logIn(newImei(), own)).close())
    } finally {
      await own.stop()
    }
  })

  it('what one dongle has waiting for its commit is bounded: more is held back by the kernel', async () => {
    const own = await startGateway({ heldBytes: 256 * 1024 })
    try {
      const deviceId = newImei()
      const dongle = await logIn(deviceId, own)
      const letGo = await holdBack(deviceId, own)
      const frame = frameOf(deviceId, 255, 0)
      // Far more than the kernel takes.
      const sent = 16 * 1024 * 1024
      dongle.write(Buffer.concat(Array.from({ length: Math.ceil(sent / frame.length) }, () => frame)))
      await sleep(500)
      expect(dongle.socket.writableLength).toBeGreaterThan(0)
      expect(dongle.socket.bytesWritten - dongle.socket.writableLength).toBeLessThan(sent)
      await letGo()
      expect(await dongle.acknowledgement()).toBe(255)
      await dongle.close()
    } finally {
      await own.stop()
    }
  })
})

it('what all dongles together have waiting is bounded: who sends more is cut off, and may come again', async () => {
  const own = await startGateway({ heldBytes: 4096 })
  try {
    const deviceId = newImei()
    const dongle = await logIn(deviceId, own)
    const letGo = await holdBack(deviceId, own)
    dongle.write(Buffer.concat([frameOf(deviceId, 255, 0), frameOf(deviceId, 255, 300)]))
    await dongle.ended
    expect(await own.metric('tacho_teltonika_closed_connections_total', { reason: 'overload' })).toBe(1)
    await letGo()
    const again = await logIn(deviceId, own)
    again.write(frameOf(deviceId, 10, 0))
    expect(await again.acknowledgement()).toBe(10)
    await dongle.close()
    await again.close()
  } finally {
    await own.stop()
  }
})

describe('a peer', () => {
  it('that begins many long frames and ends none takes nobody else a place', async () => {
    // The default of one peer would take a gigabyte here to be reached; all are one peer in this test.
    const own = await startGateway({ heldBytesOfPeer: 512 * 1024 })
    try {
      const deviceId = newImei()
      const dongle = await logIn(deviceId, own)
      const begun = Buffer.alloc(60_000)
      begun.writeUInt32BE(65_000, 4)
      const halfOpen: TeltonikaClient[] = []
      for (let count = 0; count < 30; count++) {
        const client = await logIn(newImei(), own)
        halfOpen.push(client)
        client.write(begun)
        dongle.write(frameOf(deviceId, 1, count))
        expect(await dongle.acknowledgement()).toBe(1)
      }
      expect(await own.metric('tacho_teltonika_closed_connections_total', { reason: 'overload' })).toBeGreaterThan(10)
      for (const client of [dongle, ...halfOpen]) await client.close()
    } finally {
      await own.stop()
    }
  })

  it('with many connections that do not log in loses the oldest of them, and nobody else a place', async () => {
    const own = await startGateway({ unnamedOfPeer: 5, mostConnections: 20 })
    try {
      const silent: TeltonikaClient[] = []
      for (let count = 0; count < 40; count++) silent.push(await connectTeltonika(own.port))
      await Promise.all(silent.slice(0, 35).map(client => client.ended))
      const deviceId = newImei()
      const dongle = await logIn(deviceId, own)
      dongle.write(frameOf(deviceId, 1, 0))
      expect(await dongle.acknowledgement()).toBe(1)
      for (const client of [dongle, ...silent]) await client.close()
    } finally {
      await own.stop()
    }
  })

  it('that tries many IMEIs is soon told nothing, also not which are known; a dongle that was there before gets in', async () => {
    const own = await startGateway({ strangersAtOnce: 5, strangerMs: 3_600_000 }, undefined, 'reject')
    try {
      const [known, other] = [newImei(), newImei()]
      await own.addDevice(known)
      await own.addDevice(other)
      await (await logIn(known, own)).close()
      const answers: (number | undefined)[] = []
      for (let count = 0; count < 12; count++) {
        const client = await connectTeltonika(own.port)
        client.write(loginPacket(String(newImei())))
        answers.push(
          await client.answer(1).then(
            ([answer]) => answer,
            () => undefined,
          ),
        )
        await client.close()
      }
      expect(answers).toEqual([...Array<number>(5).fill(0), ...Array<undefined>(7).fill(undefined)])
      await expect(logIn(other, own)).rejects.toThrow('ended after 0 of 1 bytes')
      await (await logIn(known, own)).close()
      expect(await own.metric('tacho_teltonika_logins_total', { outcome: 'unanswered' })).toBe(8)
    } finally {
      await own.stop()
    }
  })
})

it('whoever stops it waits for what is in flight, and the dongle is told', async () => {
  const own = await startGateway()
  const deviceId = newImei()
  const dongle = await logIn(deviceId, own)
  const idle = await logIn(newImei(), own)
  const letGo = await holdBack(deviceId, own)
  dongle.write(frameOf(deviceId, 4, 0))
  await sleep(100)
  let hasStopped = false
  const stopped = own.stopGateway().then(() => (hasStopped = true))
  await idle.ended
  idle.socket.end()
  await expect(connectTeltonika(own.port)).rejects.toThrow('ECONNREFUSED')
  expect(hasStopped).toBe(false)
  await letGo()
  expect(await dongle.acknowledgement()).toBe(4)
  await dongle.ended
  dongle.socket.end()
  await stopped
  expect(await own.storedSamples(deviceId)).toBe(4)
  await own.stop()
})
