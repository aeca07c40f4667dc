import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import type { MqttClient } from 'mqtt'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../../test/eventually.ts'
import { freePort } from '../../../test/free-port.ts'
import { holdTables } from '../../../test/held-tables.ts'
import { MOSQUITTO } from '../../../test/mosquitto-file.ts'
import {
  connectDevice,
  killBroker,
  type MosquittoOptions,
  startAedes,
  startMosquitto,
  type TestBroker,
  TLS_AUTHORITY,
  untilTestEnds,
} from '../../../test/mqtt-broker.ts'
import { startMqttNode } from '../../../test/mqtt-node.ts'
import { type PubackCounter, startPubackCounter } from '../../../test/puback-counter.ts'
import { startService } from '../../../test/service.ts'
import { sql } from '../../db/sql.ts'
import { OperatorError } from '../../model/errors.ts'

let lastDevice = 356307042440000
const service = await startService()
const databaseUrl = service.config.databaseUrl
await service.key('Fleet')
afterAll(() => service.stop())

const aedes = (port?: number) => untilTestEnds(startAedes(port))
const mosquitto = (options?: MosquittoOptions) => untilTestEnds(startMosquitto(options))

/** Counts what is acknowledged to a broker during a test. */
async function countedPubacks({ port }: TestBroker): Promise<PubackCounter> {
  const pubacks = await startPubackCounter(port)
  onTestFinished(() => pubacks.stop())
  return pubacks
}

/** Each test has a device of its own. */
const newDevice = () => ++lastDevice

const speed = (second: number, more: object = {}) => ({
  recordedTimestamp: new Date(Date.UTC(2026, 0, 15, 8, 0, second)).toISOString(),
  eventType: 'GPS_SPEED',
  value: second,
  ...more,
})

const publish = (device: MqttClient, deviceId: number | string, body: unknown, qos: 0 | 1 | 2 = 1) =>
  device.publishAsync(`tacho/${deviceId}/events`, typeof body === 'string' ? body : JSON.stringify(body), { qos })

const asJson = (body: unknown) => Buffer.from(JSON.stringify(body) ?? '')

/** The seconds of the samples that are stored of a device. */
async function storedSeconds(deviceId: number): Promise<number[]> {
  const rows = await service.database.rows<{ second: number }>(
    sql`select extract(second from time)::integer as second from samples where device_id = ${deviceId} order by time`,
  )
  return rows.map(({ second }) => second)
}

const untilStored = (deviceId: number, seconds: readonly number[]) =>
  eventually(async () => expect(await storedSeconds(deviceId)).toEqual(seconds))

/** Why messages of a device were refused, as `tacho frames` tells. */
const untilKept = (deviceId: number, why: readonly string[]) =>
  eventually(async () => {
    const rows = await service.database.rows<{ why: string }>(
      sql`select why from rejected_frames where gateway = 'mqtt' and device_id = ${deviceId} order by id`,
    )
    expect(rows.map(row => row.why)).toEqual(why)
  })

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

const BROKERS = [
  { name: 'a broker of MQTT 3.1.1', start: () => aedes(), connections: 1, isThere: true },
  { name: 'a broker of MQTT 5', start: () => mosquitto(), connections: 4, isThere: MOSQUITTO !== undefined },
]

describe.each(BROKERS)('with $name', ({ start, connections, isThere }) => {
  it.runIf(isThere)('stores what is published with QoS 0, 1 and 2, with or without a deviceId, once', async () => {
    const broker = await start()
    const node = await startMqttNode(databaseUrl, { MQTT_URL: broker.url })
    await node.untilReceiving(connections)
    const device = await connectDevice(broker.url)
    const deviceId = newDevice()
    await publish(device, deviceId, [speed(0)], 0)
    await publish(device, deviceId, { events: [speed(1, { deviceId })] }, 1)
    await publish(device, deviceId, [speed(2, { device_id: deviceId }), speed(3)], 2)
    await publish(device, deviceId, [speed(2), speed(3)], 1)
    // C programs send the NUL behind their text, or the rest of a buffer of NULs.
    await publish(device, deviceId, `\uFEFF${JSON.stringify([speed(4)])}\0\0\n`, 1)
    await untilStored(deviceId, [0, 1, 2, 3, 4])
    await eventually(async () => expect(await node.messages()).toEqual({ stored: 5 }))
  })

  it.runIf(isThere)('refuses a message with anything bad in it whole, and goes on with the next one', async () => {
    const broker = await start()
    const node = await startMqttNode(databaseUrl, { MQTT_URL: broker.url, MQTT_CONNECTIONS: '1' })
    await node.untilReceiving(1)
    const device = await connectDevice(broker.url)
    const deviceId = newDevice()
    const bad: readonly (readonly [body: unknown, why: string])[] = [
      ['nonsense', 'The body is not valid JSON.'],
      [[speed(1), speed(2, { value: 'fast' })], 'events[1].value of GPS_SPEED must be a number.'],
      [
        [speed(3, { deviceId: deviceId + 1 })],
        `events[0].deviceId must be ${deviceId}, the device that sent it, not ${deviceId + 1}.`,
      ],
      [[speed(4, { eventType: 'A\0B' })], 'events[0].eventType must be a name of /eventTypes, not "A�B".'],
      [{ readings: [] }, 'The body must be an array of events or an object with an array "events".'],
    ]
    for (const [body] of bad) await publish(device, deviceId, body)
    await publish(device, 'my-car', [speed(5)])
    await publish(device, deviceId, [speed(6)])
    await untilStored(deviceId, [6])
    expect(await storedSeconds(deviceId + 1)).toEqual([])
    await eventually(async () => expect(await node.messages()).toEqual({ unreadable: 6, stored: 1 }))
    await untilKept(
      deviceId,
      bad.map(([, why]) => why),
    )
    // Acknowledged, so a node that comes back does not get them again.
    await node.stop()
    const again = await startMqttNode(databaseUrl, { MQTT_URL: broker.url, MQTT_CONNECTIONS: '1' })
    await again.untilReceiving(1)
    await publish(device, deviceId, [speed(7)])
    await untilStored(deviceId, [6, 7])
    expect(await again.messages()).toEqual({ stored: 1 })
  })

  it.runIf(isThere)('gets what was published while it was away', async () => {
    const broker = await start()
    const settings = { MQTT_URL: broker.url, MQTT_CONNECTIONS: '2' }
    const node = await startMqttNode(databaseUrl, settings)
    await node.untilReceiving(Math.min(connections, 2))
    await node.stop()
    const device = await connectDevice(broker.url)
    const deviceId = newDevice()
    for (const second of upTo(10)) await publish(device, deviceId, [speed(second)])
    const again = await startMqttNode(databaseUrl, settings)
    await untilStored(deviceId, upTo(10))
    expect(await again.messages()).toEqual({ stored: 10 })
  })

  it.runIf(isThere)(
    'receives from the first of the messages that waited, before its subscription is answered',
    async () => {
      const broker = await start()
      const settings = { MQTT_URL: broker.url, MQTT_CONNECTIONS: '1' }
      const node = await startMqttNode(databaseUrl, settings)
      await node.untilReceiving(1)
      await node.stop()
      const device = await connectDevice(broker.url)
      await Promise.all(upTo(200).map(second => publish(device, newDevice(), [speed(second)])))
      const again = await startMqttNode(databaseUrl, settings)
      const seen = new Set<number>()
      await eventually(async () => {
        const { stored = 0 } = await again.messages()
        if (stored > 0) seen.add(await again.receiving())
        expect(stored).toBe(200)
      })
      expect([...seen]).toEqual([1])
    },
  )
})

it.runIf(MOSQUITTO)(
  'a device that empties its buffer of many messages costs few transactions, for which others wait',
  async () => {
    const broker = await mosquitto()
    const settings = { MQTT_URL: broker.url, MQTT_CONNECTIONS: '2' }
    const before = await startMqttNode(databaseUrl, settings)
    await before.untilReceiving(2)
    await before.stop()
    const device = await connectDevice(broker.url)
    const [flooding, ...others] = Array.from({ length: 11 }, newDevice)
    const messages = 600
    await Promise.all(upTo(messages).map(second => publish(device, flooding ?? 0, [speed(second)])))
    await Promise.all(others.map(other => publish(device, other, [speed(0)])))
    const node = await startMqttNode(databaseUrl, settings)
    for (const other of others) await untilStored(other, [0])
    await eventually(async () => expect(await node.messages()).toEqual({ stored: messages + others.length }))
    expect(await node.transactions()).toBeLessThan(messages / 10)
  },
)

describe('a message', () => {
  it('of any kind is refused or stored as it stands, and the next one is taken', async () => {
    const broker = await aedes()
    const node = await startMqttNode(databaseUrl, { MQTT_URL: broker.url })
    await node.untilReceiving(1)
    const device = await connectDevice(broker.url)
    const deviceId = newDevice()
    const good = JSON.stringify([speed(0), speed(1)])
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
      fc.json().map(text => Buffer.from(text)),
      fc.array(fc.record({ recordedTimestamp: fc.string(), eventType: fc.string(), value: fc.anything() })).map(asJson),
      fc.integer({ min: 0, max: good.length - 1 }).map(length => Buffer.from(good.slice(0, length))),
    )
    const payloads = fc.sample(garbage, 300)
    await Promise.all(payloads.map(payload => device.publishAsync(`tacho/${deviceId}/events`, payload, { qos: 1 })))
    await publish(device, deviceId, good)
    await untilStored(deviceId, [0, 1])
    const { stored = 0, unreadable = 0 } = await node.messages()
    expect(stored + unreadable).toBe(payloads.length + 1)
    expect(unreadable).toBeGreaterThan(200)
  })

  it('is not acknowledged before it is committed, and also when the service is told to stop meanwhile', async () => {
    const broker = await aedes()
    const pubacks = await countedPubacks(broker)
    const node = await startMqttNode(databaseUrl, { MQTT_URL: pubacks.url })
    await node.untilReceiving(1)
    const device = await connectDevice(broker.url)
    const deviceId = newDevice()
    await publish(device, deviceId, [speed(0)])
    await untilStored(deviceId, [0])
    await eventually(async () => expect(pubacks.acknowledged()).toBe(1))
    const release = await holdTables(databaseUrl)
    await publish(device, deviceId, [speed(1)])
    await sleep(300)
    const stopped = node.stop()
    await sleep(300)
    expect(pubacks.acknowledged()).toBe(1)
    await release()
    await stopped
    expect(await storedSeconds(deviceId)).toEqual([0, 1])
    await eventually(async () => expect(pubacks.acknowledged()).toBe(2))
  })

  it('with a wrong clock is kept apart and does not spoil the rest', async () => {
    const broker = await aedes()
    const pubacks = await countedPubacks(broker)
    const node = await startMqttNode(databaseUrl, { MQTT_URL: pubacks.url })
    await node.untilReceiving(1)
    const device = await connectDevice(broker.url)
    const deviceId = newDevice()
    await publish(device, deviceId, [
      speed(0, { recordedTimestamp: '1980-01-06T00:00:00Z' }),
      speed(1),
      speed(2, { recordedTimestamp: '9999-12-31T23:59:59.999Z' }),
      speed(3, { recordedTimestamp: '0001-01-01T00:00:00Z' }),
    ])
    await untilStored(deviceId, [1])
    expect(
      await service.database.rows(
        sql`select count(*)::integer as kept from misdated_samples where device_id = ${deviceId}`,
      ),
    ).toEqual([{ kept: 3 }])
    await eventually(async () => expect(pubacks.acknowledged()).toBe(1))
  })

  it('of an unknown device is acknowledged, counted and kept where these are rejected', async () => {
    const broker = await aedes()
    const pubacks = await countedPubacks(broker)
    const node = await startMqttNode(databaseUrl, { MQTT_URL: pubacks.url, UNKNOWN_DEVICES: 'reject' })
    await node.untilReceiving(1)
    const device = await connectDevice(broker.url)
    const deviceId = newDevice()
    await publish(device, deviceId, [speed(0)])
    await eventually(async () => expect(await node.messages()).toEqual({ unknown: 1 }))
    await eventually(async () => expect(pubacks.acknowledged()).toBe(1))
    expect(await storedSeconds(deviceId)).toEqual([])
    await untilKept(deviceId, [`The device ${deviceId} is unknown and may not join (UNKNOWN_DEVICES).`])
  })
})

describe('a broker', () => {
  it('may be away when the service starts, and go away later', async () => {
    const port = await freePort()
    const node = await startMqttNode(databaseUrl, { MQTT_URL: `mqtt://127.0.0.1:${port}` })
    await eventually(async () => expect(node.log.join('')).toContain('ECONNREFUSED'))
    const deviceId = newDevice()
    for (const second of [0, 1]) {
      const broker = await aedes(port)
      await node.untilReceiving(1)
      const device = await connectDevice(broker.url)
      await publish(device, deviceId, [speed(second)])
      await untilStored(deviceId, upTo(second + 1))
      await killBroker(broker)
      await node.untilReceiving(0)
    }
  })

  it.runIf(MOSQUITTO)('shares the load among the connections of several nodes', async () => {
    const broker = await mosquitto()
    const nodes = await Promise.all(
      ['a', 'b'].map(name =>
        startMqttNode(databaseUrl, { MQTT_URL: broker.url, MQTT_CLIENT_ID: name, MQTT_CONNECTIONS: '2' }),
      ),
    )
    for (const node of nodes) await node.untilReceiving(2)
    const device = await connectDevice(broker.url)
    const deviceId = newDevice()
    await Promise.all(upTo(40).map(second => publish(device, deviceId, [speed(second)])))
    await untilStored(deviceId, upTo(40))
    const [first = 0, second = 0] = await Promise.all(nodes.map(async node => (await node.messages()).stored))
    expect(first).toBeGreaterThan(0)
    expect(second).toBeGreaterThan(0)
    expect(first + second).toBe(40)
  })

  it.runIf(MOSQUITTO)('keeps messages to itself that are too large to be refused by us', async () => {
    const broker = await mosquitto()
    const node = await startMqttNode(databaseUrl, { MQTT_URL: broker.url })
    await node.untilReceiving(4)
    const device = await connectDevice(broker.url)
    const deviceId = newDevice()
    await publish(device, deviceId, ' '.repeat(17 * 1024 * 1024))
    await publish(device, deviceId, ' '.repeat(33 * 1024 * 1024))
    await publish(device, deviceId, [speed(1)])
    await untilStored(deviceId, [1])
    await eventually(async () => expect(await node.messages()).toEqual({ unreadable: 1, stored: 1 }))
  })

  it.runIf(MOSQUITTO)('is spoken to over TLS, with a user and a password', async () => {
    const login = { user: 'tacho@fleet', password: 'a:b/c %41?' }
    const broker = await mosquitto({ login, isTls: true })
    const node = await startMqttNode(databaseUrl, { MQTT_URL: broker.url, MQTT_CA: TLS_AUTHORITY })
    await node.untilReceiving(4)
    const deviceId = newDevice()
    const device = await connectDevice(broker.url.replace(/\/\/.*@/, '//'), {
      username: login.user,
      password: login.password,
      rejectUnauthorized: false,
    })
    await publish(device, deviceId, [speed(0)])
    await untilStored(deviceId, [0])
    expect(node.log.join('')).not.toContain('a:b')
  })

  it.runIf(MOSQUITTO)('that is not certified by an authority we believe gets no password', async () => {
    const broker = await mosquitto({ login: { user: 'tacho', password: 'right' }, isTls: true })
    const node = await startMqttNode(databaseUrl, { MQTT_URL: broker.url })
    await eventually(async () => expect(node.log.join('')).toMatch(/certificate/))
    await node.untilReceiving(0)
  })

  it.runIf(MOSQUITTO)('that refuses the password is told of, without the password', async () => {
    const broker = await mosquitto({ login: { user: 'tacho', password: 'right' } })
    const node = await startMqttNode(databaseUrl, { MQTT_URL: broker.url.replace('right', 'wrong-one') })
    await eventually(async () => expect(node.log.join('')).toContain('the user or the password of MQTT_URL'))
    expect(node.log.join('')).not.toContain('wrong-one')
    // However many connections are refused.
    expect(node.log.filter(line => line.includes('MQTT_URL'))).toHaveLength(1)
  })

  it.runIf(MOSQUITTO)('is spoken to through a WebSocket', async () => {
    const port = await freePort()
    const broker = await mosquitto({
      lines: ['allow_anonymous true', `listener ${port} 127.0.0.1`, 'protocol websockets'],
    })
    const node = await startMqttNode(databaseUrl, { MQTT_URL: `ws://127.0.0.1:${port}` })
    await node.untilReceiving(4)
    const deviceId = newDevice()
    await publish(await connectDevice(broker.url), deviceId, [speed(0)])
    await untilStored(deviceId, [0])
    expect(node.log.join('')).toContain('"protocol":"5"')
  })
})

it.each([
  ['a file that is not there', '/nowhere/authority.pem', 'ENOENT'],
  ['a file without certificates', fileURLToPath(import.meta.url), 'MQTT_CA'],
])('MQTT_CA stops the start when it names %s', async (_, file, said) => {
  const settings = { MQTT_URL: 'mqtts://127.0.0.1:8883', MQTT_CA: file }
  await expect(startMqttNode(databaseUrl, settings)).rejects.toThrow(said)
  await expect(startMqttNode(databaseUrl, settings)).rejects.toBeInstanceOf(OperatorError)
})
