import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENT_PERMISSIONS } from '../src/catalogue/permissions.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { eventually } from './eventually.ts'
import { ingestClient } from './ingest-client.ts'
import { startService, type TestService } from './service.ts'
import { StreamClient } from './stream-client.ts'

const DEVICE = 356307042441013
const STREAM_LIMIT = 12
const START_MS = Date.now() - 3_600_000

let service: TestService
let owner: string
beforeAll(async () => {
  service = await startService({ STREAM_HEARTBEAT_S: '1', STREAM_LIMIT: String(STREAM_LIMIT) })
  owner = await service.key('Fleet')
  for (const speedKmh of [46, 48, 50]) await report(speedKmh)
})
afterAll(() => service.stop())

const open = (token: string, query = '', lastEventId?: string) =>
  StreamClient.open({ url: service.url, token, query, lastEventId })

const ask = (token: string | undefined, query = '', headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${service.url}/stream?${query}`, {
    method,
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
  })

let minutes = 0
/** A car drives on, and has something wrong. */
async function report(speedKmh: number): Promise<void> {
  const recordedTimestamp = new Date(START_MS + ++minutes * 60_000).toISOString()
  const event = { deviceId: DEVICE, recordedTimestamp }
  await ingestClient(service.intakeUrl, owner).store([
    { ...event, eventType: 'IS_IGNITION_ON', value: true },
    { ...event, eventType: 'GPS_SPEED', value: speedKmh },
    { ...event, eventType: 'POSITION', value: `POINT(8.4037 ${49.0069 + minutes * 0.007})` },
    { ...event, eventType: 'NETWORK_CELL_INFO', value: '262;01;4711;12' },
    { ...event, eventType: 'GPS_COURSE', value: 84.0625 },
    { ...event, eventType: 'GPS_ALTITUDE', value: 115.0625 },
    { ...event, eventType: 'ICCID', value: '89490200001234567890' },
    { ...event, eventType: 'OBD_DTC_PERMANENT', value: speedKmh % 2 === 0 ? 'P0301' : '' },
  ])
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (.+)$`, 'm').exec(text)?.[1])
}

const namesIn = ({ frames }: StreamClient) => [...new Set(frames.map(frame => frame.event))].sort()

describe('what is refused', () => {
  it.each([
    ['an id that is none', '', { 'last-event-id': 'yesterday' }, 400, 'Last-Event-ID'],
    ['the same in the query', 'lastEventId=yesterday', {}, 400, 'lastEventId'],
    ['events without types', 'resources=events', {}, 400, 'eventTypes'],
    [
      'what no stream carries',
      'resources=vehicles,aggregations',
      {},
      400,
      'resources must be one of vehicles, devices',
    ],
    ['a device that cannot be', 'deviceId=0', {}, 400, 'deviceId'],
  ] as const)('%s', async (_what, query, headers, status, word) => {
    const reply = await ask(owner, query, headers)
    expect([reply.status, await reply.json()]).toEqual([status, { errorMessage: expect.stringContaining(word) }])
    expect(reply.headers.has('x-rate-limit')).toBe(true)
  })

  it('more streams than one key may have, and not of others; a closed one makes room', async () => {
    const key = await service.key('Fleet')
    const streams = await Promise.all(Array.from({ length: STREAM_LIMIT }, () => open(key)))
    const reply = await ask(key)
    expect([reply.status, await reply.json()]).toEqual([
      429,
      { errorMessage: expect.stringContaining(String(STREAM_LIMIT)) },
    ])
    expect(reply.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await metric('tacho_streams_open')).toBe(STREAM_LIMIT)
    const other = await open(await service.key('Fleet'))
    streams.pop()?.cut()
    const next = await eventually(() => open(key))
    for (const stream of [...streams, other, next]) stream.cut()
    await eventually(async () => expect(await metric('tacho_streams_open')).toBe(0))
  })

  it('nothing of a HEAD request, which opens no stream', async () => {
    const reply = await ask(owner, '', {}, 'HEAD')
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(await metric('tacho_streams_open')).toBe(0)
  })
})

describe('the walls', () => {
  it('keep the cars of an account from strangers, also from those who name them or resume from long ago', async () => {
    const stranger = await service.key('Strangers')
    const queries = ['', `deviceId=${DEVICE}`, `vehicleId=IMEI_${DEVICE}`, 'eventTypes=GPS_SPEED,POSITION']
    const strangers = await Promise.all(
      queries.flatMap(query => [open(stranger, query), open(stranger, query, '1970-01-01')]),
    )
    const witness = await open(owner, 'eventTypes=GPS_SPEED')
    await report(51)
    await witness.until(client => ['vehicles', 'trips', 'dtcs', 'events'].every(name => namesIn(client).includes(name)))
    await sleep(300)
    for (const client of [...strangers, witness]) client.cut()
    expect(strangers.map(namesIn)).toEqual(strangers.map(() => ['ready']))
  })

  it.each(['vehicles', 'devices', 'trips', 'dtcs', 'events'] as const)(
    'refuse %s to whoever may not read them',
    async name => {
      const others = CLIENT_PERMISSIONS.filter(permission => permission !== name)
      const key = await service.key('Fleet', others)
      const reply = await ask(key, `resources=${name}&eventTypes=GPS_SPEED`)
      expect([reply.status, await reply.json()]).toEqual([403, { errorMessage: expect.stringContaining(name) }])
      // Who names nothing gets all the rest.
      const client = await open(key, '', '1970-01-01')
      await report(52)
      const rest = ['devices', 'dtcs', 'ready', 'trips', 'vehicles'].filter(other => other !== name)
      await client.until(() => namesIn(client).length === rest.length)
      await sleep(150)
      client.cut()
      expect(namesIn(client)).toEqual(rest)
    },
  )

  it('show no place to whoever may not see positions', async () => {
    const blind = await service.key(
      'Fleet',
      CLIENT_PERMISSIONS.filter(permission => permission !== 'positions'),
    )
    const types = 'eventTypes=GPS_SPEED,POSITION,NETWORK_CELL_INFO,GPS_COURSE,GPS_ALTITUDE,ICCID'
    const [shut, seeing] = [await open(blind, types, '1970-01-01'), await open(owner, types, '1970-01-01')]
    const alone = await open(blind, 'resources=events&eventTypes=POSITION', '1970-01-01')
    await report(54)
    for (const client of [shut, seeing])
      await client.until(() => client.objects<{ value: unknown }>('events').some(({ value }) => value === 54))
    for (const client of [shut, seeing, alone]) client.cut()
    for (const place of ['8.4037', '262;01;4711', '84.0625', '115.0625', '8949020000'])
      expect(JSON.stringify(seeing.frames)).toContain(place)
    const hidden = /8\.4037|POSITION|262;01|84\.0625|115\.0625|8949020000|NETWORK_CELL|GPS_COURSE|GPS_ALT|ICCID/
    expect(JSON.stringify([shut.frames, alone.frames])).not.toMatch(hidden)
    expect(namesIn(alone)).toEqual(['ready'])
  })
})

it.each([
  ['is revoked', sql`revoked = now()`],
  ['expires', sql`expires = now()`],
  ['may read less', sql`permissions = '{vehicles}'`],
  ['may read more', sql`permissions = '{vehicles,trips,positions,devices}'`],
])('a token that changes while its stream runs ends it when it %s', async (_what, change) => {
  const key = await service.key('Fleet', ['vehicles', 'trips', 'positions'])
  const [client, other] = [await open(key), await open(owner)]
  await client.ready()
  await writeTransaction(service.database, transaction =>
    transaction.rows(sql`update api_keys set ${change} where id = (select max(id) from api_keys) returning id`),
  )
  await client.until(({ end }) => end !== undefined, 30_000)
  expect(other.end).toBeUndefined()
  other.cut()
})
