import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureFirstUser } from '../../src/access/users.ts'
import { sql } from '../../src/db/sql.ts'
import { startRedisStandIn } from './redis-stand-in.ts'
import { type SecondApi, startSecondApi } from './second-api.ts'
import type { DeviceList, ErrorBody } from './shapes.ts'
import { type Answer, nextOf, startWorld } from './world.ts'

const HEADERS = ['x-rate-limit', 'x-rate-limit-remaining', 'x-response-time'] as const
const DEVICE = 356307042441013

// It has no setting of its own, so the default applies.
const world = await startWorld({ RATE_LIMIT: '', RATE_LIMIT_WINDOW_S: '' })
const fleet = await world.client('Fleet')
await fleet.measured(DEVICE, '2020-02-22T14:37:07Z', { GPS_SPEED: 1 })
afterAll(() => world.stop())

const remainingOf = ({ headers }: Answer) => Number(headers.get('x-rate-limit-remaining'))

describe('maxResults', () => {
  beforeAll(async () => {
    const rows = sql`from generate_series(1, 10050) as n`
    await world.rows.change(
      () =>
        sql`insert into devices (id, modified) select n, '2020-01-01'::timestamptz + n * interval '1 second' ${rows}`,
    )
    await world.rows.change(
      () => sql`
        insert into vehicles (account_id, first_device_id, modified)
        select ${fleet.accountId}, n, '2020-01-01'::timestamptz + n * interval '1 second' ${rows}`,
    )
    await world.rows.change(
      () => sql`
        insert into assignments (device_id, account_id, vehicle_id)
        select first_device_id, account_id, id from vehicles where first_device_id <= 10050`,
    )
    await world.rows.change(
      () => sql`
        insert into trips (device_id, account_id, vehicle_id, start_time, end_time, distance_m, duration_s, modified)
        select first_device_id, account_id, id, modified, modified, 1, 1, modified from vehicles where first_device_id <= 10050`,
    )
    await world.rows.change(
      () => sql`
        insert into dtcs (device_id, account_id, vehicle_id, ecu_type_id, code, encoded, encoding, dtc_type, recorded, modified)
        select first_device_id, account_id, id, 0, 'P0301', '', 'PCODE', 'PERMANENT', modified, modified
        from vehicles where first_device_id <= 10050`,
    )
    const events = Array.from({ length: 10_050 }, (_, index) => ({
      deviceId: DEVICE,
      recordedTimestamp: new Date(Date.UTC(2020, 0, 1) + index * 1000).toISOString(),
      eventType: 'GPS_SPEED',
      value: index,
    }))
    await fleet.ingest(events)
  })

  const countOf = (body: unknown, list: string) =>
    (list === 'events' ? (body as unknown[]) : ((body as Record<string, unknown[]>)[list] ?? [])).length

  test.each<[title: string, list: string]>([
    ['[C-LIMITS-01, C-LIMITS-02, C-ENDPOINTS-03, D-READ-17] devices', 'devices'],
    ['[C-LIMITS-01, C-LIMITS-02, C-ENDPOINTS-03, D-READ-17] vehicles', 'vehicles'],
    ['[C-LIMITS-01, C-LIMITS-02, C-ENDPOINTS-03, D-READ-17] trips', 'trips'],
    ['[C-LIMITS-01, C-LIMITS-02, C-ENDPOINTS-03, D-READ-17] events', 'events'],
    ['[C-LIMITS-01, C-LIMITS-02, C-ENDPOINTS-03, D-READ-17] dtcs', 'dtcs'],
  ])('%s: 500 by default, at most 10,000, whatever is asked for', async (_title, list) => {
    expect(countOf(await fleet.read(`/${list}`), list)).toBe(500)
    expect(countOf(await fleet.read(`/${list}?maxResults=7`), list)).toBe(7)
    const most = await fleet.get(`/${list}?maxResults=10001`)
    expect([most.status, countOf(most.body, list)]).toEqual([200, 10_000])
    expect(nextOf(most)).toContain('cursor=')
    expect(countOf(await fleet.read(nextOf(most) ?? ''), list)).toBeGreaterThanOrEqual(50)
  })
})

describe('the allowance', () => {
  test('[C-LIMITS-04, C-LIMITS-05, C-ERRORS-05, C-ERRORS-06, D-REPLY-39, D-REPLY-42] 600 requests in 60 s by default, then 429 with Retry-After', async () => {
    const client = await world.client('Busy')
    const etag = (await client.get('/units')).headers.get('etag') ?? ''
    const ask = () =>
      world.ask('/cc/v2.0/units', { headers: { authorization: `Bearer ${client.token}`, 'if-none-match': etag } })
    const remaining = new Set<number>()
    // The first one is used up; 599 are left, some of them at once.
    for (const atOnce of [...Array.from({ length: 11 }, () => 54), 5])
      for (const answer of await Promise.all(Array.from({ length: atOnce }, ask))) {
        expect([answer.status, answer.headers.get('x-rate-limit')]).toEqual([304, '600'])
        remaining.add(remainingOf(answer))
      }
    expect([...remaining].sort((x, y) => x - y)).toEqual(Array.from({ length: 599 }, (_, index) => index))
    const refused = await client.get<ErrorBody>('/units')
    expect(refused.status).toBe(429)
    expect(refused.body).toEqual({ errorMessage: expect.stringContaining('600') })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect(remainingOf(refused)).toBe(0)
    for (const header of HEADERS) expect(refused.headers.get(header)).toMatch(/^\d+$/)
  })

  test('[C-LIMITS-04, D-REPLY-41] of requests that arrive together, exactly as many are answered as are left', async () => {
    const few = await startSecondApi(world.service, { rateLimit: 25 })
    const answers = await Promise.all(Array.from({ length: 40 }, () => askOf(few, fleet.token)))
    const answered = answers.filter(({ status }) => status === 200)
    expect(answered.map(remainingOf).sort((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, index) => index))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15)
    await few.stop()
  })

  test('[C-LIMITS-04, D-REPLY-42] after the period, requests are answered again', async () => {
    const brief = await startSecondApi(world.service, { rateLimit: 1, rateLimitWindowS: 1 })
    const ask = () => askOf(brief, fleet.token)
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 429])
    world.service.clock.advance(1000)
    expect((await ask()).status).toBe(200)
    await brief.stop()
  })

  test('[D-REPLY-39] keys and users are counted by themselves, whatever tokens a user has', async () => {
    const few = await startSecondApi(world.service, { rateLimit: 2 })
    await ensureFirstUser(world.service.database, { email: 'a@example.com', password: 'long enough' })
    const logIn = async () => {
      const body = new URLSearchParams({ grant_type: 'password', username: 'a@example.com', password: 'long enough' })
      const reply = await fetch(`${few.url}/auth/token`, { method: 'POST', body })
      return ((await reply.json()) as { access_token: string }).access_token
    }
    const tokens = [await logIn(), await logIn(), await logIn()]
    const statuses = []
    for (const token of tokens) statuses.push((await askOf(few, token)).status)
    expect(statuses).toEqual([200, 200, 429])
    const key = await world.client('Fleet')
    expect((await askOf(few, key.token)).status).toBe(200)
    await few.stop()
  })

  test('[D-REPLY-39, D-REPLY-42] the keys of an account share an allowance as well, which other accounts do not feel', async () => {
    const few = await startSecondApi(world.service, { rateLimit: 3, accountRateLimit: 5 })
    const keys = [(await world.client('Shared')).token, (await world.client('Shared')).token]
    const statuses: number[][] = []
    for (const key of keys) {
      const answers = []
      for (let i = 0; i < 4; i++) answers.push(await askOf(few, key))
      statuses.push(answers.map(({ status }) => status))
    }
    // The fourth request of the first key exceeds its own limit, and does not count against the other one.
    expect(statuses).toEqual([
      [200, 200, 200, 429],
      [200, 200, 429, 429],
    ])
    const refused = await askOf(few, (await world.client('Shared')).token)
    expect([refused.status, remainingOf(refused)]).toEqual([429, 0])
    expect(refused.text).toContain('5 are allowed to the keys and users of an account together')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await askOf(few, (await world.client('Others')).token)).status).toBe(200)
    await few.stop()
  })

  test('[D-REPLY-41] every request with a valid token counts: 400, 403, 404 and 304 too, and one without a token does not', async () => {
    const client = await world.client('Counted', ['devices'])
    const etag = (await client.get('/units')).headers.get('etag') ?? ''
    let remaining = remainingOf(await client.get('/units'))
    const counted = async (answer: Promise<Answer>, status: number) => {
      const given = await answer
      expect([given.status, remainingOf(given)]).toEqual([status, remaining - 1])
      remaining--
    }
    await counted(client.get('/devices?maxResults=0'), 400)
    await counted(client.get('/trips'), 403)
    await counted(client.get('/devices/4711'), 404)
    await counted(client.get('/units', { 'if-none-match': etag }), 304)
    await world.ask('/cc/v2.0/devices')
    await counted(client.get('/devices'), 200)
  })

  test('[D-REPLY-40] all nodes of a deployment share it', async () => {
    const redis = await startRedisStandIn()
    const settings = { rateLimit: 5, redisUrl: redis.url }
    const nodes = [
      await startSecondApi(world.service, settings),
      await startSecondApi(world.service, settings),
    ] as const
    const { token } = await world.client('Two nodes')
    for (const node of nodes) await expect.poll(() => redisOf(node)).toEqual({ status: 'ready' })
    const statuses: number[] = []
    for (let round = 0; round < 5; round++) for (const node of nodes) statuses.push((await askOf(node, token)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429, 429])
    expect(redis.keys()).toEqual([
      'tacho-rate-limit-tried',
      expect.stringMatching(/^tacho-rate-limit-key:\d+$/),
      expect.stringMatching(/^tacho-rate-limit-account:\d+$/),
    ])
    for (const node of nodes) await node.stop()
    await redis.stop()
  })

  test.each<[state: string, error?: string]>([['is frozen'], ['is full', 'OOM command not allowed']])(
    '[D-REPLY-40] while Redis %s, each node answers at once, counts by itself, and says so',
    async (_, error) => {
      const redis = await startRedisStandIn()
      const node = await startSecondApi(world.service, { rateLimit: 5, redisUrl: redis.url })
      const { token } = await world.client('Frozen')
      await expect.poll(() => redisOf(node)).toEqual({ status: 'ready' })
      expect(remainingOf(await askOf(node, token))).toBe(4)
      redis.freeze(error)
      const startMs = performance.now()
      const statuses: number[] = []
      for (let request = 0; request < 8; request++) statuses.push((await askOf(node, token)).status)
      expect(performance.now() - startMs).toBeLessThan(3000)
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
      const reason = 'Redis does not count: each node counts requests by itself.'
      expect(await redisOf(node)).toEqual({ status: 'failing', reason, since: expect.any(String) })
      expect(node.log().split('Redis does not count')).toHaveLength(2)
      redis.thaw()
      await expect.poll(() => redisOf(node), { timeout: 20_000 }).toEqual({ status: 'ready' })
      expect(node.log()).toContain('Redis counts again')
      expect((await askOf(node, token)).status).toBe(200)
      await node.stop()
      await redis.stop()
    },
  )

  async function redisOf(api: SecondApi): Promise<unknown> {
    const body = (await (await fetch(`${api.url}/readyz`)).json()) as {
      readonly parts: Readonly<Record<string, unknown>>
    }
    return body.parts.redis
  }

  async function askOf(api: SecondApi, token: string): Promise<Answer> {
    const reply = await fetch(`${api.url}/cc/v2.0/units`, { headers: { authorization: `Bearer ${token}` } })
    const text = await reply.text()
    return { status: reply.status, headers: reply.headers, text, body: text }
  }
})

describe('headers', () => {
  test.each([
    [404, 'GET', '/nothing'],
    [405, 'DELETE', '/devices'],
    [405, 'PUT', '/devices'],
  ])('[D-REPLY-43] %d for %s %s has all three for a valid token, none for others', async (status, method, path) => {
    const ask = async (token: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = method === 'PUT' ? '{' : null
      return fetch(`${world.service.baseUrl}${path}`, { method, headers, body })
    }
    const known = await ask((await world.client('Elsewhere')).token)
    const unknown = await ask('nobody')
    for (const header of HEADERS)
      expect([known.status, known.headers.get(header)]).toEqual([status, expect.stringMatching(/^\d+$/)])
    expect([unknown.status, ...HEADERS.map(header => unknown.headers.get(header))]).toEqual([status, null, null, null])
  })

  test('[C-CONVENTION-11, C-LIMITS-05, C-ERRORS-06, D-REPLY-43] every reply to a valid token has all three, as integers, errors included', async () => {
    const client = await world.client('Headers', ['devices', 'settings'])
    const etag = (await client.get('/units')).headers.get('etag') ?? ''
    const settings = '/vehicles/NONE/settings'
    const answers: readonly (readonly [number, Answer])[] = [
      [200, await client.get<DeviceList>('/devices')],
      [304, await client.get('/units', { 'if-none-match': etag })],
      [400, await client.get('/devices?maxResults=0')],
      [403, await client.get('/trips')],
      [404, await client.get('/devices/4711')],
      [400, await client.send('PUT', settings, '{')],
      [404, await client.send('PUT', settings, { alarmSystem: true })],
      [413, await client.send('PUT', settings, JSON.stringify({ numberPlate: 'x'.repeat(70_000) }))],
      [415, await client.send('PUT', settings, '{}', { 'content-type': 'text/plain' })],
    ]
    for (const [status, answer] of answers) {
      expect(answer.status).toBe(status)
      for (const header of HEADERS)
        expect([status, header, answer.headers.get(header)]).toEqual([status, header, expect.stringMatching(/^\d+$/)])
      expect(Number(answer.headers.get('x-response-time'))).toBeLessThan(30_000)
    }
  })
})

describe('browsers of other origins', () => {
  const ask = async (url: string, method: string, origin: string) => {
    const headers = {
      origin,
      authorization: `Bearer ${fleet.token}`,
      ...(method === 'OPTIONS'
        ? { 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' }
        : {}),
    }
    const reply = await fetch(`${url}/cc/v2.0/units`, { method, headers })
    return { status: reply.status, allowed: reply.headers.get('access-control-allow-origin') }
  }

  test('[D-REPLY-44] are refused by default: no reply allows any origin', async () => {
    for (const method of ['GET', 'OPTIONS'])
      expect((await ask(world.service.url, method, 'https://app.example')).allowed).toBeNull()
  })

  test('[D-REPLY-44] are allowed when listed in CORS_ORIGINS, others are not', async () => {
    const api = await startSecondApi(world.service, { corsOrigins: ['https://app.example', 'https://b.example'] })
    for (const method of ['GET', 'OPTIONS']) {
      expect((await ask(api.url, method, 'https://app.example')).allowed).toBe('https://app.example')
      expect((await ask(api.url, method, 'https://evil.example')).allowed).not.toBe('https://evil.example')
      expect((await ask(api.url, method, 'https://evil.example')).allowed).not.toBe('*')
    }
    expect((await ask(api.url, 'OPTIONS', 'https://app.example')).status).toBe(204)
    await api.stop()
  })
})
