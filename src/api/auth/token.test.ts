import * as argon2 from '@node-rs/argon2'
import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  EMAIL,
  formOf,
  LIFETIME_S,
  PASSWORD,
  serveTokens,
  startTokenEndpoint,
  type TokenEndpoint,
} from '../../../test/token-endpoint.ts'
import { createCallerLookup } from '../../access/callers.ts'
import { revokeUser } from '../../access/users.ts'
import { openDatabase } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'

vi.mock('@node-rs/argon2', async original => {
  const real = await original<typeof argon2>()
  return { ...real, verify: vi.fn<typeof real.verify>(real.verify) }
})

let endpoint: TokenEndpoint

beforeAll(async () => {
  endpoint = await startTokenEndpoint()
})

afterAll(() => endpoint.stop())

beforeEach(() => endpoint.change(sql`delete from failed_logins`))

/** As another node would see it, without anything remembered. */
const callerOf = (token: string | undefined) => createCallerLookup(endpoint.database).find(token ?? '')

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
    'urlencoded form': formOf(fields),
    'multipart/form-data': { payload: multipart },
    JSON: { payload: JSON.stringify(fields), headers: json },
    'query string': { url: `/auth/token?${query}` },
    'query string at the root, empty JSON body': { url: `/?${query}`, headers: json },
    'query and body mixed, the body wins': {
      url: '/auth/token?grant_type=password&username=nobody&client_id=connectedCarApi',
      payload: JSON.stringify({ username: EMAIL, password: PASSWORD }),
      headers: json,
    },
    'form at the root': { url: '/', ...formOf(fields) },
    'form, trailing slash': { url: '/auth/token/', ...formOf(fields) },
  }
  test.each(Object.keys(encodings))('%s', async name => {
    const { status, headers, body } = await endpoint.post(encodings[name] ?? {})
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
    expect((await endpoint.logIn(' oPERATOR@EXAMPLE.COM ', PASSWORD)).status).toBe(200)
  })

  test('a refresh token is no access token', async () => {
    const { body } = await endpoint.logIn(EMAIL, PASSWORD)
    expect(await callerOf(body.refresh_token)).toBeUndefined()
    expect((await endpoint.refresh(body.access_token)).body.error).toBe('invalid_grant')
  })

  test('wrong password and unknown user: same answer, same work', async () => {
    const verify = vi.mocked(argon2.verify)
    verify.mockClear()
    const wrong = await endpoint.logIn(EMAIL, 'wrong')
    const unknown = await endpoint.logIn('nobody@example.com', 'wrong')
    const impossible = await endpoint.logIn('no\0body', 'wrong')
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
    expect((await endpoint.logIn('nobody@example.com', 'whatever')).body).toEqual(WRONG)
  })
})

describe('refresh grant', () => {
  test('the old refresh token keeps working, older access tokens stay valid', async () => {
    const first = (await endpoint.logIn(EMAIL, PASSWORD)).body
    const second = (await endpoint.refresh(first.refresh_token)).body
    const third = (await endpoint.refresh(second.refresh_token)).body
    const again = (await endpoint.refresh(first.refresh_token)).body
    const all = [first, second, third, again]
    expect(new Set(all.map(reply => reply.refresh_token)).size).toBe(4)
    for (const reply of all) expect(await callerOf(reply.access_token)).toMatchObject({ name: EMAIL })
  })

  test('every use renews its 180 days', async () => {
    const { refresh_token: token = '' } = (await endpoint.logIn(EMAIL, PASSWORD)).body
    const isOurs = sql`hash = sha256(convert_to(${token}, 'UTF8'))`
    await endpoint.change(sql`update tokens set expires = clock_timestamp() + interval '1 minute' where ${isOurs}`)
    expect((await endpoint.refresh(token)).status).toBe(200)
    const [row] = await endpoint.database.rows<{ days: number }>(
      sql`select extract(epoch from expires - clock_timestamp()) / 86400 as days from tokens where ${isOurs}`,
    )
    expect(row?.days).toBeCloseTo(180, 2)
  })

  test('expired, unknown, of a revoked user: invalid_grant', async () => {
    const { refresh_token: token = '' } = (await endpoint.logIn(EMAIL, PASSWORD)).body
    await endpoint.change(
      sql`update tokens set expires = clock_timestamp() where hash = sha256(convert_to(${token}, 'UTF8'))`,
    )
    for (const refused of [token, 'x', `${token}x`, 'ä\0\ud800'])
      expect(await endpoint.refresh(refused)).toMatchObject({
        status: 400,
        body: { errorMessage: 'The refresh token is not valid or has expired.', error: 'invalid_grant' },
      })
  })
})

test('an access token ends with its lifetime, and expired ones are removed', async () => {
  const { access_token: token = '' } = (await endpoint.logIn(EMAIL, PASSWORD)).body
  const ours = sql`from tokens where hash = sha256(convert_to(${token}, 'UTF8'))`
  const [row] = await endpoint.database.rows<{ s: number }>(
    sql`select extract(epoch from expires - clock_timestamp()) as s ${ours}`,
  )
  expect(row?.s).toBeGreaterThan(LIFETIME_S - 60)
  expect(row?.s).toBeLessThanOrEqual(LIFETIME_S)
  await endpoint.change(sql`update tokens set expires = clock_timestamp() - interval '1 second'
    where hash = sha256(convert_to(${token}, 'UTF8'))`)
  expect(await callerOf(token)).toBeUndefined()
  await endpoint.logIn(EMAIL, PASSWORD)
  expect(await endpoint.database.rows(sql`select 1 ${ours}`)).toEqual([])
})

test('a revoked user gets nothing more and loses all tokens', async () => {
  const email = 'leaver@example.com'
  await endpoint.change(sql`insert into users (account_id, email, password_hash, permissions)
    select account_id, ${email}, password_hash, permissions from users where email = ${EMAIL}`)
  const { body } = await endpoint.logIn(email, PASSWORD)
  expect(await callerOf(body.access_token)).toMatchObject({ name: email })
  expect(await writeTransaction(endpoint.database, transaction => revokeUser(transaction, 'LEAVER@example.com'))).toBe(
    true,
  )
  expect(await callerOf(body.access_token)).toBeUndefined()
  expect((await endpoint.refresh(body.refresh_token)).body.error).toBe('invalid_grant')
  expect((await endpoint.logIn(email, PASSWORD)).body).toEqual(WRONG)
  expect(
    await endpoint.database.rows(sql`select 1 from tokens join users on users.id = user_id where email = ${email}`),
  ).toEqual([])
})

test('tokens that were issued at the very moment of the revocation are not valid either', async () => {
  const email = 'quick@example.com'
  await endpoint.change(sql`insert into users (account_id, email, password_hash, permissions)
    select account_id, ${email}, password_hash, permissions from users where email = ${EMAIL}`)
  const { body } = await endpoint.logIn(email, PASSWORD)
  await endpoint.change(sql`update users set revoked = clock_timestamp() where email = ${email}`)
  expect(await callerOf(body.access_token)).toBeUndefined()
  expect((await endpoint.refresh(body.refresh_token)).body.error).toBe('invalid_grant')
})

test('without the database: 503 with Retry-After', async () => {
  const nowhere = openDatabase({ url: 'postgresql://127.0.0.1:1/none' })
  const lonely = await serveTokens(nowhere)
  const response = await lonely.inject({
    method: 'POST',
    url: `/auth/token?grant_type=password&username=a&password=b`,
  })
  expect(response.statusCode).toBe(503)
  expect(response.headers['retry-after']).toMatch(/^\d+$/)
  expect(response.json()).toMatchObject({
    errorMessage: expect.stringContaining('cannot be reached'),
    error: 'temporarily_unavailable',
  })
  await lonely.close()
  await nowhere.close()
})

test('neither database nor log holds a password or a token', async () => {
  const wrongPassword = 'another-secret-typed'
  const { body } = await endpoint.post({
    url: `/auth/token?${new URLSearchParams({ grant_type: 'password', username: EMAIL, password: PASSWORD }).toString()}`,
  })
  const refreshed = (await endpoint.post({ url: `/?grant_type=refresh_token&refresh_token=${body.refresh_token}` }))
    .body
  await endpoint.logIn(wrongPassword, wrongPassword)
  const secrets = [PASSWORD, encodeURIComponent(PASSWORD), 'correct+horse', wrongPassword]
  for (const reply of [body, refreshed]) secrets.push(reply.access_token ?? '', reply.refresh_token ?? '')
  const tables = await endpoint.database.rows<{ name: string }>(
    sql`select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'`,
  )
  let dump = ''
  for (const { name } of tables) {
    const { rows } = await endpoint.database.readers.query<{ row: string }>(`select ${name}::text as row from ${name}`)
    dump += rows.map(({ row }) => row).join('\n')
  }
  expect(dump).toContain(EMAIL)
  const everything = dump + endpoint.logged.join('')
  // A bytea column prints in hexadecimal, and PHC in base64.
  const forms = secrets.flatMap(secret => [
    secret,
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret, 'base64url').toString('hex'),
    Buffer.from(secret).toString('base64'),
  ])
  expect(forms.filter(form => everything.includes(form))).toEqual([])
})
