import { afterAll, describe, expect, test } from 'vitest'
import { ALL_PERMISSIONS, type Permission } from '../../src/catalogue/permissions.ts'
import { sql } from '../../src/db/sql.ts'
import { startSecondApi } from './second-api.ts'
import type { ErrorBody } from './shapes.ts'
import { type Client, startWorld } from './world.ts'

const DEVICE = 356307042441013

const world = await startWorld()
const fleet = await world.client('Fleet')
const stranger = await world.client('Strangers')
await fleet.measured(DEVICE, '2020-02-22T14:37:07Z', { GPS_SPEED: 1 })
await world.rows.trip(await world.vehicleOf(DEVICE), { start: '2020-02-22T14:37:07Z' })
afterAll(() => world.stop())

const settings = `/vehicles/IMEI_${DEVICE}/settings`

describe('400', () => {
  test.each<[title: string, path: string, named: string]>([
    ['[C-ERRORS-02, D-REPLY-33] devices', '/devices?isOnline=perhaps', 'isOnline'],
    ['[C-ERRORS-02, D-REPLY-33] one device', '/devices/abc', 'deviceId'],
    ['[C-ERRORS-02, D-REPLY-33] vehicles', '/vehicles?maxResults=0', 'maxResults'],
    ['[C-ERRORS-02, D-REPLY-33] trips', '/trips?fromTimestamp=soon', 'fromTimestamp'],
    ['[C-ERRORS-02, D-REPLY-33] events', '/events?toTimestamp=soon', 'toTimestamp'],
    ['[C-ERRORS-02, D-REPLY-33] dtcs', '/dtcs?filterTimestamp=soon', 'filterTimestamp'],
    ['[C-ERRORS-02, D-REPLY-33] aggregations', '/aggregations?binSize=HOUR', 'binSize'],
  ])('%s: exactly errorMessage, in plain words that name the parameter', async (_title, path, named) => {
    const { status, body } = await fleet.get<ErrorBody>(path)
    expect(status).toBe(400)
    expect(body).toEqual({ errorMessage: expect.stringMatching(new RegExp(`^${named} must be .*\\.$`)) })
  })

  test('[C-ERRORS-02, D-REPLY-33] settings', async () => {
    const { status, body } = await fleet.send<ErrorBody>('PUT', settings, { alarmSystem: 'yes' })
    expect([status, body]).toEqual([400, { errorMessage: 'alarmSystem must be true or false.' }])
  })

  test('[C-ERRORS-02] an address that is malformed, on any endpoint', async () => {
    const headers = { authorization: `Bearer ${fleet.token}` }
    for (const path of ['/cc/v2.0/vehicles/%E0%A4', '/cc/v2.0/eventTypes%zz', '/cc/v2.0/units%']) {
      const { status, body } = await world.ask<ErrorBody>(path, { headers })
      expect([path, status, body]).toEqual([path, 400, { errorMessage: expect.any(String) }])
    }
  })
})

test('[C-ERRORS-01, C-CONVENTION-03] every error is a JSON object with one field, errorMessage, a text', async () => {
  const reader = await world.client('Fleet', ['devices'])
  const headers = { authorization: `Bearer ${fleet.token}` }
  const answers = [
    await fleet.get('/devices?maxResults=0'),
    await world.ask('/cc/v2.0/devices'),
    await reader.get('/trips'),
    await fleet.get('/devices/1'),
    await world.ask('/cc/v2.0/nothing', { headers }),
    await world.ask('/cc/v2.0/devices', { method: 'DELETE', headers }),
    await fleet.send('PUT', settings, '{'),
    await fleet.send('PUT', settings, '{}', { 'content-type': 'text/plain' }),
    await fleet.send('PUT', settings, JSON.stringify({ numberPlate: 'x'.repeat(70_000) })),
  ]
  expect(answers.map(({ status }) => status)).toEqual([400, 401, 403, 404, 404, 405, 400, 415, 413])
  for (const { headers: given, body } of answers) {
    expect(given.get('content-type')).toMatch(/^application\/json/)
    expect(body).toEqual({ errorMessage: expect.stringMatching(/\S/) })
  }
})

describe('bodies', () => {
  const put = (body: string, contentType = 'application/json') =>
    fleet.send<ErrorBody>('PUT', settings, body, { 'content-type': contentType })
  const ingest = (body: string, contentType = 'application/json') =>
    world.ask<ErrorBody>('/ingest/events', {
      method: 'POST',
      headers: { authorization: `Bearer ${fleet.token}`, 'content-type': contentType },
      body,
    })
  const token = (body: string, contentType = 'application/json') =>
    world.ask<ErrorBody>('/auth/token', { method: 'POST', headers: { 'content-type': contentType }, body })
  const ALL = [put, ingest, token]
  const large = JSON.stringify({ numberPlate: 'x'.repeat(17 * 1024 * 1024) })

  test('[D-READ-37] malformed JSON: 400 with errorMessage', async () => {
    for (const send of ALL)
      for (const body of ['{', '{"a":}', 'nonsense', '[1,', '{"a":1}}']) {
        const answer = await send(body)
        expect([body, answer.status]).toEqual([body, 400])
        expect(answer.body.errorMessage).toContain('JSON')
      }
  })

  test('[D-READ-38] wrong content type: 415 with errorMessage', async () => {
    for (const send of ALL) {
      const answer = await send('{}', 'text/plain')
      expect([answer.status, answer.body.errorMessage]).toEqual([415, expect.any(String)])
    }
  })

  test('[D-READ-39] too large: 413 with errorMessage', async () => {
    for (const send of ALL) {
      const answer = await send(large)
      expect([answer.status, answer.body.errorMessage]).toEqual([413, expect.any(String)])
    }
  })
})

describe('403', () => {
  test.each<[title: string, permission: Permission, paths: readonly string[]]>([
    ['[C-ERRORS-04, D-REPLY-36] devices', 'devices', ['/devices', `/devices/${DEVICE}`]],
    ['[C-ERRORS-04, D-REPLY-36] vehicles', 'vehicles', ['/vehicles', `/vehicles/IMEI_${DEVICE}`]],
    ['[C-ERRORS-04, D-REPLY-36] trips', 'trips', ['/trips', '/trips/1', '/trip/1']],
    ['[C-ERRORS-04, D-REPLY-36] events', 'events', ['/events']],
    ['[C-ERRORS-04, D-REPLY-36] dtcs', 'dtcs', ['/dtcs']],
    ['[C-ERRORS-04, D-REPLY-36] aggregations', 'aggregations', ['/aggregations']],
  ])('%s need the permission of that name, and only that', async (_title, permission, paths) => {
    const without = await world.client(
      'Fleet',
      ALL_PERMISSIONS.filter(other => other !== permission),
    )
    const alone = await world.client('Fleet', [permission])
    for (const path of paths) {
      const refused = await without.get<ErrorBody>(path)
      expect([path, refused.status]).toEqual([path, 403])
      expect(refused.body.errorMessage).toContain(permission)
      expect((await alone.get(path)).status).toBe(200)
    }
  })

  test('[D-REPLY-36] settings and ingest have permissions of their own', async () => {
    const put = (client: Client) => client.send('PUT', settings, { alarmSystem: true })
    const event = { deviceId: DEVICE, recordedTimestamp: '2020-02-22T15:00:00Z', eventType: 'GPS_SPEED', value: 1 }
    const all = (permission: Permission) => ALL_PERMISSIONS.filter(other => other !== permission)
    expect((await put(await world.client('Fleet', all('settings')))).status).toBe(403)
    expect((await put(await world.client('Fleet', ['settings']))).status).toBe(200)
    expect((await (await world.client('Fleet', all('ingest'))).ingest([event])).status).toBe(403)
    expect((await (await world.client('Fleet', ['ingest'])).ingest([event])).status).toBe(200)
  })
})

describe('404', () => {
  test('[D-REPLY-38] an object that does not exist and one of another account: the same answer', async () => {
    await stranger.measured(17, '2020-02-22T14:37:07Z', { GPS_SPEED: 1 })
    const theirs = await world.rows.trip(await world.vehicleOf(17), { start: '2020-02-22T14:37:07Z' })
    for (const [path, missing] of [
      ['/devices/17', '/devices/18'],
      ['/vehicles/IMEI_17', '/vehicles/IMEI_18'],
      [`/trips/${theirs}`, '/trips/4711'],
      [`/trip/${theirs}`, '/trip/4711'],
      [`/vehicles/IMEI_${DEVICE}?deviceId=17`, `/vehicles/IMEI_${DEVICE}?deviceId=18`],
    ] as const) {
      const [other, none] = [await fleet.get<ErrorBody>(path), await fleet.get<ErrorBody>(missing)]
      expect([path, other.status, none.status]).toEqual([path, 404, 404])
      const withoutIds = ({ body }: typeof other) => body.errorMessage.replace(/\d+/g, '#')
      expect(withoutIds(other)).toBe(withoutIds(none))
    }
    const put = (id: string) => fleet.send<ErrorBody>('PUT', `/vehicles/${id}/settings`, { numberPlate: 'X' })
    expect([(await put('IMEI_17')).status, (await put('IMEI_18')).status]).toEqual([404, 404])
    expect(await stranger.read('/vehicles/IMEI_17')).toMatchObject({ licensePlate: '' })
  })
})

describe('5xx', () => {
  const idIn = (text: string) => /Request id: ([\w-]+)\./.exec(text)?.[1]

  test('[D-REPLY-45] 500: errorMessage with a request id that is also in the log, never a stack trace', async () => {
    const api = await startSecondApi(world.service)
    await world.rows.change(() => sql`alter table dtcs rename to hidden`)
    const reply = await fetch(`${api.url}/cc/v2.0/dtcs`, { headers: { authorization: `Bearer ${fleet.token}` } })
    const text = await reply.text()
    await world.rows.change(() => sql`alter table hidden rename to dtcs`)
    await api.stop()
    expect(reply.status).toBe(500)
    expect(JSON.parse(text)).toEqual({ errorMessage: expect.any(String) })
    const requestId = idIn(text)
    expect(requestId).toBeDefined()
    const lines = api
      .log()
      .split('\n')
      .filter(line => line.includes(String(requestId)))
    expect(lines.join('')).toContain('relation \\"dtcs\\" does not exist')
    expect(text).not.toMatch(/\n +at |\.[jt]s:|relation/)
  })

  test('[D-REPLY-45] 503 without the database, with Retry-After', async () => {
    const api = await startSecondApi(world.service, { databaseUrl: 'postgresql://127.0.0.1:1/none' })
    const reply = await fetch(`${api.url}/cc/v2.0/devices`, { headers: { authorization: `Bearer ${fleet.token}` } })
    const text = await reply.text()
    await api.stop()
    expect(reply.status).toBe(503)
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(JSON.parse(text)).toEqual({ errorMessage: expect.any(String) })
    expect(api.log()).toContain(String(idIn(text)))
    expect(text).not.toMatch(/\n +at |\.[jt]s:|ECONNREFUSED/)
  })
})
