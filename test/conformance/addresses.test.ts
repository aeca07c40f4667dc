import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postedForm, type Question } from '../http-client.ts'
import type { Device, ErrorBody, EventItem, Vehicle } from './shapes.ts'
import { type Client, startWorld, type World } from './world.ts'

const DEVICE = 356307042441013

let world: World
let fleet: Client
let trip: string

beforeAll(async () => {
  world = await startWorld({ RATE_LIMIT: '1000000' })
  fleet = await world.client('Fleet')
  await fleet.measured(DEVICE, '2020-02-22T14:37:07.797Z', { GPS_SPEED: 48.5, POSITION: 'POINT(8.4 49)' })
  const vehicle = await world.vehicleOf(DEVICE)
  const startAddressId = await world.rows.address({ lat: 49, lon: 8.4 })
  trip = await world.rows.trip(vehicle, { start: '2020-02-22T14:37:00Z', startAddressId })
  await world.rows.dtc(vehicle, { recorded: '2020-02-22T14:37:00Z' })
})
afterAll(() => world.stop())

const withToken = (token = fleet.token) => ({ authorization: `Bearer ${token}` })
const raw = <T = ErrorBody>(path: string, question: Question = {}, headers: Record<string, string> = {}) =>
  world.ask<T>(path, { ...question, headers: { ...withToken(), ...headers } })

describe('the address of the API', () => {
  test('[C-VERSION-01, C-CONVENTION-01, D-ADDRESS-01] is http://HOST:PORT/cc/v2.0, and the paths are below it only', async () => {
    expect(world.service.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/cc\/v2\.0$/)
    expect((await raw('/cc/v2.0/devices')).status).toBe(200)
    for (const path of ['/devices', '/cc/devices', '/cc/v1.0/devices', '/cc/v2.1/devices'])
      expect([path, (await raw(path)).status]).toEqual([path, 404])
  })

  test('[C-OBJECT-06] has the additional resources: trouble codes, statistics, addresses, event types, units', async () => {
    expect(await fleet.read('/dtcs')).toMatchObject({ dtcs: [{ code: 'P0301' }] })
    expect(await fleet.read<unknown[]>('/aggregations')).not.toEqual([])
    expect(await fleet.read(`/trip/${trip}`)).toMatchObject({ tripStartAddress: { lat: 49, lon: 8.4 } })
    expect(await fleet.read<unknown[]>('/eventTypes')).not.toEqual([])
    expect(await fleet.read<unknown[]>('/units')).not.toEqual([])
  })

  test('[D-ADDRESS-06] a trailing slash is ignored', async () => {
    for (const path of [
      '/devices',
      `/devices/${DEVICE}`,
      '/vehicles',
      `/vehicles/IMEI_${DEVICE}`,
      '/trips',
      `/trip/${trip}`,
      '/events',
      '/dtcs',
      '/aggregations',
      '/eventTypes',
      '/units',
    ]) {
      const { body } = await raw<{ modifyTimestamp?: string }>(`/cc/v2.0${path}/`)
      const expected = await fleet.read<object>(path)
      const { modifyTimestamp: _revision, ...rest } = body
      expect(Array.isArray(body) ? body : expected).toMatchObject(Array.isArray(body) ? expected : rest)
    }
    const settings = `/cc/v2.0/vehicles/IMEI_${DEVICE}/settings/`
    const init = { method: 'PUT', body: '{"numberPlate":"X"}' }
    expect((await raw(settings, init, { 'content-type': 'application/json' })).status).toBe(200)
    expect((await world.ask<ErrorBody>('/auth/token/', { method: 'POST' })).status).toBe(400)
  })
})

describe('addresses that do not exist', () => {
  test('[D-ADDRESS-07] an unknown path is 404 with errorMessage, with a token and without', async () => {
    for (const path of ['/nothing', '/cc/v2.0', '/cc/v2.0/nothing', '/cc/v2.0/vehicles/x/y', '/cc/v2.0/trip'])
      for (const headers of [{}, withToken()])
        for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
          const { status, body } = await world.ask<ErrorBody>(path, { method, headers })
          expect([path, status, body]).toEqual([path, 404, { errorMessage: expect.any(String) }])
        }
  })

  test.each<[title: string, path: string, methods: readonly string[], allow: string]>([
    ['[D-ADDRESS-08] a list', '/cc/v2.0/devices', ['POST', 'PUT', 'PATCH', 'DELETE'], 'GET, HEAD'],
    ['[D-ADDRESS-08] one object', '/cc/v2.0/vehicles/x', ['POST', 'PUT', 'PATCH', 'DELETE'], 'GET, HEAD'],
    ['[D-ADDRESS-08] settings', '/cc/v2.0/vehicles/x/settings', ['GET', 'PATCH', 'DELETE'], 'POST, PUT'],
    ['[D-ADDRESS-08] the token endpoint', '/auth/token', ['GET', 'PUT', 'DELETE'], 'POST'],
    ['[D-ADDRESS-08] the ingest', '/ingest/events', ['GET', 'PUT', 'DELETE'], 'POST'],
  ])('%s with a wrong method: 405 with Allow and errorMessage', async (_title, path, methods, allow) => {
    for (const method of methods) {
      const { status, body, headers } = await world.ask<ErrorBody>(path, { method })
      expect([method, status, headers.get('allow')]).toEqual([method, 405, allow])
      expect(body).toEqual({ errorMessage: expect.stringContaining(method) })
    }
  })
})

describe('which error comes first', () => {
  test('[D-ADDRESS-09] 404 path, 405, 401, 429, 403, 400, 404 object', async () => {
    const limited = await startWorld({ RATE_LIMIT: '3' })
    const token = (await limited.client('Fleet', ['trips'])).token
    const ask = async (path: string, method = 'GET', headers: Record<string, string> = withToken(token)) =>
      (await limited.ask<ErrorBody>(`/cc/v2.0${path}`, { method, headers })).status
    const noToken = { authorization: 'Bearer nonsense' }
    // Each request would also fail for a later reason, which the earlier one hides.
    expect(await ask('/nothing?maxResults=x', 'POST', noToken)).toBe(404)
    expect(await ask('/devices?maxResults=x', 'POST', noToken)).toBe(405)
    expect(await ask('/devices?maxResults=x', 'GET', noToken)).toBe(401)
    expect(await ask('/devices?maxResults=x')).toBe(403)
    expect(await ask('/trips/4711?filterTimestamp=x')).toBe(400)
    expect(await ask('/trips/4711')).toBe(404)
    expect(await ask('/devices?maxResults=x')).toBe(429)
    expect(await ask('/devices?maxResults=x', 'POST')).toBe(405)
    await limited.stop()
  })

  test('[D-ADDRESS-09] of a request with a body: 401, 403 before 400 and 415, these before 404 of the object', async () => {
    const reader = await world.client('Fleet', ['vehicles'])
    const put = async (token: string, contentType: string, body: string) =>
      (
        await world.ask('/cc/v2.0/vehicles/NONE/settings', {
          method: 'PUT',
          headers: { ...withToken(token), 'content-type': contentType },
          body,
        })
      ).status
    expect(await put('nonsense', 'application/json', '{')).toBe(401)
    expect(await put(reader.token, 'application/json', '{')).toBe(403)
    expect(await put(fleet.token, 'application/json', '{')).toBe(400)
    expect(await put(fleet.token, 'text/plain', '{')).toBe(415)
    expect(await put(fleet.token, 'application/json', '{"colour":1}')).toBe(400)
    expect(await put(fleet.token, 'application/json', '{"alarmSystem":true}')).toBe(404)
  })
})

describe('a client written against the original', () => {
  test('[D-GENERAL-01] logs in at the root with a form, lists, reads, sets with POST and polls on without any change', async () => {
    const { database } = world.service
    const { ensureFirstUser } = await import('../../src/access/users.ts')
    await ensureFirstUser(database, { email: 'old@example.com', password: 'a password of old' })
    const form = new FormData()
    const fields = {
      grant_type: 'password',
      username: 'old@example.com',
      password: 'a password of old',
      client_id: 'connectedCarApi',
    }
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    const login = await world.ask<{ access_token: string; expires_in: number }>('/', await postedForm(form))
    expect(login.status).toBe(200)
    const headers = { authorization: `Bearer ${login.body.access_token}`, accept: 'application/json' }
    const get = async <T>(path: string) => (await world.ask<T>(`/cc/v2.0${path}`, { headers })).body
    const { vehicles } = await get<{ vehicles: Vehicle[] }>('/vehicles?maxResults=10000&filterTimestamp=')
    const [vehicle] = vehicles
    expect(vehicle?.id).toBe(`IMEI_${DEVICE}`)
    expect((await get<Device>(`/devices/${vehicle?.deviceId}`)).vehicleId).toBe(vehicle?.id)
    const range = 'fromTimestamp=2020-02-22%2014:00:00&toTimestamp=2020-02-22T16:00:00+01:00'
    const types = 'eventType=POSITION, GPS_SPEED'
    const events = await get<EventItem[]>(`/events?vehicleId=${vehicle?.id}&${types}&${range}`)
    expect(events.map(({ event_type: type }) => type)).toEqual(['GPS_SPEED', 'POSITION'])
    const set = await world.ask(`/cc/v2.0/vehicles/${vehicle?.id}/settings`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ deleteTimestamp: '2020-02-22T14:37:07.797Z' }),
    })
    expect(set.status).toBe(200)
    const changed = await get<{ vehicles: Vehicle[] }>(`/vehicles?filterTimestamp=${vehicle?.modifyTimestamp}`)
    expect(changed.vehicles).toMatchObject([{ id: vehicle?.id, deleteTimestamp: '2020-02-22T14:37:07.797Z' }])
  })
})
