import * as argon2 from '@node-rs/argon2'
import * as fc from 'fast-check'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createMetrics } from '../../http/metrics.ts'
import { createHttpServer } from '../../http/server.ts'
import { createCallerLookup } from '../../store/callers.ts'
import { type Database, openDatabase } from '../../store/database.ts'
import { sql } from '../../store/sql.ts'
import { writeTransaction } from '../../store/transaction.ts'
import { ensureFirstUser, revokeUser } from '../../store/users.ts'
import { tokenRoutes } from './token.ts'

vi.mock('@node-rs/argon2', async original => {
  const real = await original<typeof argon2>()
  return { ...real, verify: vi.fn<typeof real.verify>(real.verify) }
})

const EMAIL = 'Operator@example.com'
const PASSWORD = 'correct horse, bättery & staple'
const LIFETIME_S = 864_000

let testDatabase: TestDatabase
let database: Database
let server: FastifyInstance
const logged: string[] = []

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase({ url: testDatabase.url })
  server = await serverOn(database)
  await ensureFirstUser(database, { email: EMAIL, password: PASSWORD })
})

afterAll(async () => {
  await server.close()
  await database.close()
  await testDatabase.drop()
})

beforeEach(() => change(sql`delete from failed_logins`))

async function serverOn(on: Database): Promise<FastifyInstance> {
  const log = pino({ level: 'trace' }, { write: line => logged.push(line) })
  const duration = createMetrics('api', on).requestDuration
  const created = createHttpServer({ log, duration, bodyLimitBytes: 65_536 })
  await created.register(tokenRoutes, { database: on, accessTokenLifetimeS: LIFETIME_S })
  return created
}

function change(statement: ReturnType<typeof sql>): Promise<object[]> {
  return writeTransaction(database, transaction => transaction.rows(statement))
}

async function post(request: Omit<InjectOptions, 'method'>) {
  const response = await server.inject({ url: '/auth/token', ...request, method: 'POST' })
  return { status: response.statusCode, headers: response.headers, body: response.json<Record<string, string>>() }
}

function postForm(fields: Record<string, string>, remoteAddress = '192.0.2.1') {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return post({ payload: new URLSearchParams(fields).toString(), headers, remoteAddress })
}

const logInAs = (username: string, password: string, remoteAddress?: string) =>
  postForm({ grant_type: 'password', username, password }, remoteAddress)

const refreshWith = (token: string | undefined) => postForm({ grant_type: 'refresh_token', refresh_token: token ?? '' })

/** As another node would see it, without anything remembered. */
const callerOf = (token: string | undefined) => createCallerLookup(database).find(token ?? '')

const WRONG = {
  errorMessage: 'The e-mail address or the password is wrong.',
  error: 'invalid_grant',
  error_description: 'The e-mail address or the password is wrong.',
}

describe('password grant', () => {
  const fields = { grant_type: 'password', username: EMAIL, password: PASSWORD, client_id: 'connectedCarApi' }
  const multipart = new FormData()
  for (const [name, value] of Object.entries(fields)) multipart.append(name, value)
  const query = new URLSearchParams(fields).toString()
  const json = { 'content-type': 'application/json' }

  const encodings: Record<string, Omit<InjectOptions, 'method'>> = {
    'urlencoded form': { payload: query, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    'multipart/form-data': { payload: multipart },
    JSON: { payload: JSON.stringify(fields), headers: json },
    'query string': { url: `/auth/token?${query}` },
    'query string at the root, empty JSON body': { url: `/?${query}`, headers: json },
    'query and body mixed, the body wins': {
      url: '/auth/token?grant_type=password&username=nobody&client_id=connectedCarApi',
      payload: JSON.stringify({ username: EMAIL, password: PASSWORD }),
      headers: json,
    },
    'form at the root': { url: '/', payload: query, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    'form, trailing slash': {
      url: '/auth/token/',
      payload: query,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
  }
  test.each(Object.keys(encodings))('%s', async name => {
    const { status, headers, body } = await post(encodings[name] ?? {})
    expect(body).toEqual({
      expires_in: LIFETIME_S,
      token_type: 'bearer',
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' })
    expect(headers['content-type']).toMatch(/^application\/json/)
    expect(await callerOf(body.access_token)).toMatchObject({ kind: 'user', name: EMAIL })
  })

  test('the address in any letter case', async () => {
    expect((await logInAs(' oPERATOR@EXAMPLE.COM ', PASSWORD)).status).toBe(200)
  })

  test('a refresh token is no access token', async () => {
    const { body } = await logInAs(EMAIL, PASSWORD)
    expect(await callerOf(body.refresh_token)).toBeUndefined()
    expect((await refreshWith(body.access_token)).body.error).toBe('invalid_grant')
  })

  test('wrong password and unknown user: same answer, same work', async () => {
    const verify = vi.mocked(argon2.verify)
    verify.mockClear()
    const wrong = await logInAs(EMAIL, 'wrong')
    const unknown = await logInAs('nobody@example.com', 'wrong')
    const impossible = await logInAs('no\0body', 'wrong')
    expect([wrong, unknown, impossible].map(({ status, body }) => ({ status, body }))).toEqual(
      Array.from({ length: 3 }, () => ({ status: 400, body: WRONG })),
    )
    expect(wrong.headers['cache-control']).toBe('no-store')
    const work = verify.mock.calls.map(([hash]) => argon2.parseOptions(hash))
    expect(work).toEqual(
      Array.from({ length: 3 }, () =>
        expect.objectContaining({ algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 }),
      ),
    )
  })

  test('the password of the hash that unknown users are checked against lets nobody in', async () => {
    vi.mocked(argon2.verify).mockResolvedValueOnce(true)
    expect((await logInAs('nobody@example.com', 'whatever')).body).toEqual(WRONG)
  })
})

describe('refresh grant', () => {
  test('the old refresh token keeps working, older access tokens stay valid', async () => {
    const first = (await logInAs(EMAIL, PASSWORD)).body
    const second = (await refreshWith(first.refresh_token)).body
    const third = (await refreshWith(second.refresh_token)).body
    const again = (await refreshWith(first.refresh_token)).body
    const all = [first, second, third, again]
    expect(new Set(all.map(reply => reply.refresh_token)).size).toBe(4)
    for (const reply of all) expect(await callerOf(reply.access_token)).toMatchObject({ name: EMAIL })
  })

  test('every use renews its 180 days', async () => {
    const { refresh_token: token = '' } = (await logInAs(EMAIL, PASSWORD)).body
    const isOurs = sql`hash = sha256(convert_to(${token}, 'UTF8'))`
    await change(sql`update tokens set expires = clock_timestamp() + interval '1 minute' where ${isOurs}`)
    expect((await refreshWith(token)).status).toBe(200)
    const [row] = await database.rows<{ days: number }>(
      sql`select extract(epoch from expires - clock_timestamp()) / 86400 as days from tokens where ${isOurs}`,
    )
    expect(row?.days).toBeCloseTo(180, 2)
  })

  test('expired, unknown, of a revoked user: invalid_grant', async () => {
    const { refresh_token: token = '' } = (await logInAs(EMAIL, PASSWORD)).body
    await change(sql`update tokens set expires = clock_timestamp() where hash = sha256(convert_to(${token}, 'UTF8'))`)
    for (const refused of [token, 'x', `${token}x`, 'ä\0\ud800'])
      expect(await refreshWith(refused)).toMatchObject({
        status: 400,
        body: { errorMessage: 'The refresh token is not valid or has expired.', error: 'invalid_grant' },
      })
  })
})

test('an access token ends with its lifetime, and expired ones are removed', async () => {
  const { access_token: token = '' } = (await logInAs(EMAIL, PASSWORD)).body
  const ours = sql`from tokens where hash = sha256(convert_to(${token}, 'UTF8'))`
  const [row] = await database.rows<{ s: number }>(
    sql`select extract(epoch from expires - clock_timestamp()) as s ${ours}`,
  )
  expect(row?.s).toBeGreaterThan(LIFETIME_S - 60)
  expect(row?.s).toBeLessThanOrEqual(LIFETIME_S)
  await change(sql`update tokens set expires = clock_timestamp() - interval '1 second'
    where hash = sha256(convert_to(${token}, 'UTF8'))`)
  expect(await callerOf(token)).toBeUndefined()
  await logInAs(EMAIL, PASSWORD)
  expect(await database.rows(sql`select 1 ${ours}`)).toEqual([])
})

test('a revoked user gets nothing more and loses all tokens', async () => {
  const email = 'leaver@example.com'
  await change(sql`insert into users (account_id, email, password_hash, permissions)
    select account_id, ${email}, password_hash, permissions from users where email = ${EMAIL}`)
  const { body } = await logInAs(email, PASSWORD)
  expect(await callerOf(body.access_token)).toMatchObject({ name: email })
  expect(await writeTransaction(database, transaction => revokeUser(transaction, 'LEAVER@example.com'))).toBe(true)
  expect(await callerOf(body.access_token)).toBeUndefined()
  expect((await refreshWith(body.refresh_token)).body.error).toBe('invalid_grant')
  expect((await logInAs(email, PASSWORD)).body).toEqual(WRONG)
  expect(
    await database.rows(sql`select 1 from tokens join users on users.id = user_id where email = ${email}`),
  ).toEqual([])
})

test('tokens that were issued at the very moment of the revocation are not valid either', async () => {
  const email = 'quick@example.com'
  await change(sql`insert into users (account_id, email, password_hash, permissions)
    select account_id, ${email}, password_hash, permissions from users where email = ${EMAIL}`)
  const { body } = await logInAs(email, PASSWORD)
  await change(sql`update users set revoked = clock_timestamp() where email = ${email}`)
  expect(await callerOf(body.access_token)).toBeUndefined()
  expect((await refreshWith(body.refresh_token)).body.error).toBe('invalid_grant')
})

describe('slow-down', () => {
  const failures = async (count: number, email: string, address?: string) => {
    const statuses: number[] = []
    for (let i = 0; i < count; i++) statuses.push((await logInAs(email, 'wrong', address)).status)
    return statuses
  }

  test.each([EMAIL, 'nobody@example.com'])('%s: six failures, then 429 for the right password, too', async email => {
    expect(await failures(7, email, '198.51.100.1')).toEqual([400, 400, 400, 400, 400, 400, 429])
    const verify = vi.mocked(argon2.verify)
    verify.mockClear()
    const slowed = await logInAs(email, PASSWORD, '198.51.100.1')
    expect(slowed).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      body: { errorMessage: 'Too many failed logins: try again in 1 s.', error: 'temporarily_unavailable' },
    })
    expect(verify).not.toHaveBeenCalled()
  })

  test('it never lasts longer than 8 s, however many failures there were', async () => {
    await failures(1, EMAIL, '198.51.100.2')
    await change(sql`update failed_logins set forgiven = last_failure + interval '1 hour'`)
    const { headers } = await logInAs(EMAIL, PASSWORD, '198.51.100.3')
    expect(Number(headers['retry-after'])).toBeGreaterThan(6)
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(8)
    await change(sql`update failed_logins set last_failure = last_failure - interval '8 s'`)
    expect((await logInAs(EMAIL, PASSWORD, '198.51.100.3')).status).toBe(200)
  })

  test('failures elsewhere do not slow a user down where there was a login before', async () => {
    expect((await logInAs(EMAIL, PASSWORD, '2001:db8::1')).status).toBe(200)
    await failures(7, EMAIL, '198.51.100.4')
    expect((await logInAs(EMAIL, PASSWORD, '198.51.100.5')).status).toBe(429)
    expect((await logInAs(EMAIL, PASSWORD, '2001:db8::2')).status).toBe(200)
  })

  test('many addresses tried from one network are slowed down, other networks are not', async () => {
    await failures(1, 'a@example.com', '198.51.100.6')
    await change(sql`update failed_logins set forgiven = last_failure + interval '60 minutes'`)
    await change(sql`delete from failed_logins where subject = sha256('login:address a@example.com')`)
    const slowed = await logInAs('b@example.com', 'wrong', '198.51.100.6')
    expect(slowed.status).toBe(429)
    expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(50)
    expect((await logInAs('b@example.com', 'wrong', '198.51.100.7')).status).toBe(400)
  })

  test('fifty failures from one network are still no reason', async () => {
    await failures(1, 'a@example.com', '198.51.100.9')
    await change(sql`update failed_logins set forgiven = last_failure + interval '50 minutes'`)
    expect((await logInAs('b@example.com', 'wrong', '198.51.100.9')).status).toBe(400)
  })

  test('what is forgiven is forgotten', async () => {
    await failures(2, 'a@example.com')
    await change(sql`update failed_logins set forgiven = clock_timestamp() - interval '1 second'`)
    await failures(1, 'b@example.com', '198.51.100.8')
    expect(await database.rows(sql`select 1 from failed_logins`)).toHaveLength(2)
  })

  test('requests that no password was tried with do not count', async () => {
    for (let i = 0; i < 10; i++) await postForm({ grant_type: 'password', username: EMAIL })
    expect(await database.rows(sql`select 1 from failed_logins`)).toEqual([])
  })
})

test('too large: 413, another type: 415, malformed: 400; each as OAuth clients and all others expect it', async () => {
  const json = { 'content-type': 'application/json' }
  const large = new FormData()
  large.append('password', 'x'.repeat(20_000))
  for (const [status, request] of [
    [413, { payload: JSON.stringify({ password: 'x'.repeat(20_000) }), headers: json }],
    [413, { payload: large }],
    [415, { payload: '<a/>', headers: { 'content-type': 'application/xml' } }],
    [415, { payload: 'grant_type=password', headers: { 'content-type': 'nonsense' } }],
    [400, { payload: '{"grant_type":', headers: json }],
    [400, { payload: '{}', headers: { ...json, 'content-length': '7' } }],
  ] as const) {
    const reply = await post(request)
    expect(reply).toMatchObject({ status, body: { error: 'invalid_request' } })
    expect(reply.body.error_description).toBe(reply.body.errorMessage)
    expect(Object.keys(reply.body).sort()).toEqual(['error', 'errorMessage', 'error_description'])
    expect(reply.headers['cache-control']).toBe('no-store')
  }
})

test('without the database: 503 with Retry-After', async () => {
  const nowhere = openDatabase({ url: 'postgresql://127.0.0.1:1/none' })
  const lonely = await serverOn(nowhere)
  const response = await lonely.inject({
    method: 'POST',
    url: `/auth/token?grant_type=password&username=a&password=b`,
  })
  expect(response.statusCode).toBe(503)
  expect(response.headers['retry-after']).toMatch(/^\d+$/)
  expect(response.json()).toMatchObject({
    errorMessage: expect.stringContaining('can not be reached'),
    error: 'temporarily_unavailable',
  })
  await lonely.close()
  await nowhere.close()
})

test('neither database nor log holds a password or a token', async () => {
  const wrongPassword = 'another-secret-typed'
  const { body } = await post({
    url: `/auth/token?${new URLSearchParams({ grant_type: 'password', username: EMAIL, password: PASSWORD }).toString()}`,
  })
  const refreshed = (await post({ url: `/?grant_type=refresh_token&refresh_token=${body.refresh_token}` })).body
  await logInAs(wrongPassword, wrongPassword)
  const secrets = [PASSWORD, encodeURIComponent(PASSWORD), 'correct+horse', wrongPassword]
  for (const reply of [body, refreshed]) secrets.push(reply.access_token ?? '', reply.refresh_token ?? '')
  const tables = await database.rows<{ name: string }>(
    sql`select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'`,
  )
  let dump = ''
  for (const { name } of tables) {
    const { rows } = await database.readers.query<{ row: string }>(`select ${name}::text as row from ${name}`)
    dump += rows.map(({ row }) => row).join('\n')
  }
  expect(dump).toContain(EMAIL)
  const everything = dump + logged.join('')
  // A bytea column prints in hexadecimal, and PHC in base64.
  const forms = secrets.flatMap(secret => [
    secret,
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret, 'base64url').toString('hex'),
    Buffer.from(secret).toString('base64'),
  ])
  expect(forms.filter(form => everything.includes(form))).toEqual([])
})

test('whatever is sent, the answer is no 5xx and says what was wrong', async () => {
  const word = fc.oneof(fc.constantFrom('password', 'refresh_token', 'connectedCarApi', EMAIL, ''), fc.string())
  const name = fc.oneof(
    fc.constantFrom('grant_type', 'username', 'password', 'refresh_token', 'client_id'),
    fc.string(),
  )
  const pairs = fc.array(fc.tuple(name, word)).map(list => new URLSearchParams(list).toString())
  const payload = fc.oneof(
    pairs,
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.dictionary(name, fc.oneof(word, fc.jsonValue())).map(fields => JSON.stringify(fields)),
  )
  const contentType = fc.oneof(
    fc.constantFrom(
      'application/x-www-form-urlencoded',
      'application/json',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      'text/plain',
    ),
    fc.stringMatching(/^[!-~]{1,20}$/),
  )
  await fc.assert(
    fc.asyncProperty(pairs, payload, contentType, async (query, body, type) => {
      await change(sql`delete from failed_logins`)
      const reply = await post({ url: `/auth/token?${query}`, payload: body, headers: { 'content-type': type } })
      expect(reply.status).toBeGreaterThanOrEqual(400)
      expect(reply.status).toBeLessThan(500)
      expect(reply.body.errorMessage).toMatch(/.\.$/)
    }),
    { numRuns: 300 },
  )
})
