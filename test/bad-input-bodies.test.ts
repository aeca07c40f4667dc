import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { sql } from '../src/db/sql.ts'
import { DEVICE, findingOf, mustBePlain, startBadInputWorld, VEHICLE } from './bad-input-world.ts'
import { startSecondApi } from './conformance/second-api.ts'
import { deep } from './deep.ts'
import { garbageBytes, garbageHeader, garbageJson, garbageJsonText, garbageText } from './garbage-values.ts'
import { sendRaw } from './raw-http.ts'

const SETTINGS = `/cc/v2.0/vehicles/${VEHICLE}/settings`

const world = await startBadInputWorld()
afterAll(() => world.service.stop())

/** Unlike an object, a text can have a key twice, and __proto__. */
const objectText = (entries: readonly (readonly [string, unknown])[]) =>
  `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`

const JSON_TYPE = Buffer.from('application/json')
const mediaType = fc.oneof({ weight: 6, arbitrary: fc.constant(JSON_TYPE) }, garbageHeader)

/** Looks at all that is stored after each request. */
class Watch {
  #before: string | undefined

  async start(): Promise<void> {
    this.#before ??= await world.stored()
  }

  /** @throws when a refused request changed anything. */
  async look(status: number): Promise<void> {
    const before = this.#before
    this.#before = await world.stored()
    if (status !== 200 && this.#before !== before) throw new Error('it was refused and yet changed something')
  }
}

it('garbage as settings is refused in plain words, and then nothing is changed', async () => {
  const name = fc.constantFrom(
    'vin',
    'numberPlate',
    'alarmSystem',
    'deleteTimestamp',
    'settings',
    '__proto__',
    'colour',
    '',
  )
  const settings = fc.array(fc.tuple(name, garbageJson), { maxLength: 4 }).map(objectText)
  const watch = new Watch()
  const wrapped = settings.map(text => `{"settings":${text}}`)
  const finding = await findingOf(
    fc.tuple(fc.constantFrom('PUT', 'POST'), mediaType, fc.oneof(settings, wrapped, garbageJsonText, garbageBytes)),
    async ([method, type, body]) => {
      await watch.start()
      const reply = await world.send({ method, target: SETTINGS, headers: { 'content-type': type }, body })
      mustBePlain(reply)
      await watch.look(reply.status)
    },
    { numRuns: deep(50) },
  )
  expect(finding).toBeUndefined()
})

describe('garbage in the ingest', () => {
  const valid = fc
    .record({ second: fc.nat({ max: 50 }), value: fc.nat({ max: 100 }), deviceId: fc.constantFrom(DEVICE, 18, 19) })
    .map(({ second, ...event }) => ({
      ...event,
      recordedTimestamp: new Date(Date.UTC(2020, 1, 22) + second * 1000).toISOString(),
      eventType: 'GPS_SPEED',
    }))
  const field = fc.constantFrom(
    'deviceId',
    'recordedTimestamp',
    'eventType',
    'value',
    'dataType',
    'unit',
    'unitId',
    'device_id',
    '__proto__',
    'x',
  )
  const eventType = fc.constantFrom('GPS_SPEED', 'POSITION', 'VIN', 'IS_MOVING', 'BATTERY_VOLTAGE')
  const broken = fc
    .tuple(valid, eventType, field, garbageJson)
    .map(([event, type, key, value]) => ({ ...event, eventType: type, ...Object.fromEntries([[key, value]]) }))
  const events = fc.array(
    fc.oneof<fc.WeightedArbitrary<unknown>[]>(
      { weight: 3, arbitrary: valid },
      { weight: 1, arbitrary: broken },
      { weight: 1, arbitrary: garbageJson },
    ),
    { minLength: 1, maxLength: 6 },
  )
  const batch = fc.oneof(
    events.map(list => JSON.stringify(list)),
    events.map(list => JSON.stringify({ events: list })),
    events.map(list => list.map(item => JSON.stringify(item)).join('\n')),
    garbageJsonText,
  )
  const zipped = fc.tuple(batch, fc.nat()).map(([text, cut]) => {
    const whole = gzipSync(text)
    return whole.subarray(0, cut % 3 === 0 ? whole.length : cut % whole.length)
  })
  const plain = fc.oneof({ weight: 4, arbitrary: batch.map(text => Buffer.from(text)) }, garbageBytes)
  const type = fc.oneof({ weight: 3, arbitrary: mediaType }, fc.constant(Buffer.from('application/x-ndjson')))

  it.each<[how: string, body: fc.Arbitrary<Buffer>, headers: Readonly<Record<string, string>>]>([
    ['plain', plain, {}],
    ['as gzip', fc.oneof({ weight: 4, arbitrary: zipped }, garbageBytes), { 'content-encoding': 'gzip' }],
  ])('%s: all of a request is stored or nothing of it', async (_how, content, headers) => {
    const watch = new Watch()
    const finding = await findingOf(
      fc.tuple(type, content),
      async ([contentType, body]) => {
        await watch.start()
        const before = await world.countEvents()
        const given = { ...headers, 'content-type': contentType }
        const reply = await world.send({ method: 'POST', target: '/ingest/events', headers: given, body })
        mustBePlain(reply)
        await watch.look(reply.status)
        const { accepted = 0 } = JSON.parse(reply.text) as { accepted?: number }
        // Of two values for one instant the greater stays: accepted, but no event more.
        const added = (await world.countEvents()) - before
        if (added > accepted) throw new Error(`${added} events were stored, ${accepted} accepted`)
      },
      { numRuns: deep(30) },
    )
    expect(finding).toBeUndefined()
  })

  it('a device that is not its own, last in a batch: nothing of it is stored', async () => {
    const stranger = await world.service.key('Strangers')
    const event = { recordedTimestamp: '2020-02-22T14:37:07Z', eventType: 'GPS_SPEED', value: 1 }
    const before = await world.stored()
    const reply = await sendRaw(world.service.url, {
      method: 'POST',
      target: '/ingest/events',
      headers: { authorization: `Bearer ${stranger}`, 'content-type': 'application/json' },
      body: JSON.stringify([
        ...Array.from({ length: 50 }, (_, index) => ({ ...event, deviceId: 100 + index })),
        { ...event, deviceId: DEVICE },
      ]),
    })
    expect(reply.status).toBe(400)
    expect(await world.stored()).toBe(before)
  })
})

it('garbage as a token request gets no token', async () => {
  const name = fc.constantFrom('grant_type', 'username', 'password', 'refresh_token', 'client_id', '__proto__', '')
  const value = fc.oneof(
    fc.constantFrom('password', 'refresh_token', 'connectedCarApi', 'nobody@example.com'),
    garbageText,
  )
  const pairs = fc.uniqueArray(fc.tuple(name, value), { maxLength: 6, selector: ([key]) => key })
  const form = pairs.map(list => new URLSearchParams(list).toString())
  const json = fc.array(fc.tuple(name, fc.oneof(value, garbageJson)), { maxLength: 5 }).map(objectText)
  const type = fc.oneof(
    ...[
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
    ].map(text => fc.constant(Buffer.from(text))),
    garbageHeader,
  )
  const tokens = () => world.service.database.rows(sql`select count(*) from tokens`)
  const before = await tokens()
  const finding = await findingOf(
    fc.tuple(
      fc.constantFrom('/', '/auth/token'),
      form,
      fc.oneof(form, json, garbageJsonText, garbageBytes),
      type,
      garbageHeader,
    ),
    async ([path, query, body, contentType, authorization]) => {
      const headers = { 'content-type': contentType, authorization }
      const reply = await sendRaw(world.service.url, { method: 'POST', target: `${path}?${query}`, headers, body })
      mustBePlain(reply)
      if (reply.status < 400) throw new Error(`answered with ${reply.status}`)
    },
    { numRuns: deep(40) },
  )
  expect(finding).toBeUndefined()
  expect(await tokens()).toEqual(before)
})

it.each<[where: string, method: string, target: string]>([
  ['the ingest', 'POST', '/ingest/events'],
  ['settings', 'PUT', SETTINGS],
  ['a token request', 'POST', '/auth/token'],
])('millions of brackets, of zeros and of what a little gzip becomes, in %s', async (_where, method, target) => {
  const before = await world.stored()
  const statuses: number[] = []
  for (const [body, encoding] of [
    ['['.repeat(8_000_000), 'identity'],
    [`[${'0,'.repeat(8_400_000)}0]`, 'identity'],
    [gzipSync(Buffer.alloc(40_000_000, '[')), 'gzip'],
  ] as const) {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
    const reply = await world.send({ method, target, headers, body })
    mustBePlain(reply)
    statuses.push(reply.status)
  }
  expect(statuses.every(status => status === 400 || status === 413)).toBe(true)
  expect(statuses).toContain(413)
  expect(await world.stored()).toBe(before)
})

it('a sender that goes away in the middle leaves nothing behind, and no error in the log', async () => {
  const api = await startSecondApi(world.service)
  const key = await world.service.key('Fleet')
  const before = await world.stored()
  const event = { deviceId: 18, recordedTimestamp: '2020-02-22T14:37:07Z', eventType: 'GPS_SPEED', value: 1 }
  const body = JSON.stringify(Array.from({ length: 100 }, () => event))
  const head = [
    'POST /ingest/events HTTP/1.1',
    'Host: tacho',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ].join('\r\n')
  const sendAndGo = async (sent: number, patienceMs: number) => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`${head}\r\n\r\n${body.slice(0, sent)}`)
    await sleep(patienceMs)
    socket.destroy()
    await sleep(50)
  }
  for (const sent of [0, 1, body.length / 2, body.length - 1]) await sendAndGo(sent, 50)
  expect(await world.stored()).toBe(before)
  // All of it is there, so it is stored; only the answer finds nobody.
  for (let patienceMs = 0; patienceMs < 10; patienceMs++) await sendAndGo(body.length, patienceMs)
  await api.stop()
  expect(
    api
      .log()
      .split('\n')
      .filter(line => line.includes('"level":50')),
  ).toEqual([])
})
