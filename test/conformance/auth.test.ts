import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { eventually } from '../eventually.ts'
import { postedForm } from '../http-client.ts'
import { startSecondApi } from './second-api.ts'
import { EMAIL, GRANT, PASSWORD, startTokenClient, type TokenError, type Tokens } from './token-client.ts'
import { type Answer, startWorld } from './world.ts'

const world = await startWorld()
const client = await startTokenClient(world)
afterAll(() => world.stop())
beforeEach(() => change(sql`delete from failed_logins`))

const change = (statement: ReturnType<typeof sql>) => world.rows.change(() => statement)

describe('the password grant', () => {
  let answer: Answer<Tokens>
  beforeAll(async () => {
    answer = await client.post(GRANT)
  })

  test('[C-AUTH-02, C-AUTH-03, C-AUTH-12, C-CONVENTION-02, D-ADDRESS-02] POST /auth/token gives a token that opens the data', async () => {
    expect(answer.status).toBe(200)
    expect(await client.statusWith(answer.body.access_token)).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('[C-AUTH-04] username is the e-mail address of the user, in any letter case', async () => {
    expect((await client.post({ ...GRANT, username: EMAIL.toUpperCase() })).status).toBe(200)
    expect((await client.post({ ...GRANT, username: 'somebody@example.com' })).status).toBe(400)
  })

  test('[C-AUTH-05] password must be that of the account', async () => {
    expect((await client.post({ ...GRANT, password: PASSWORD.toUpperCase() })).status).toBe(400)
  })

  test('[C-AUTH-06, C-AUTH-09, D-READ-07] client_id is connectedCarApi or missing; another one is refused', async () => {
    const { client_id: _client, ...withoutClient } = GRANT
    expect((await client.post(withoutClient)).status).toBe(200)
    for (const fields of [GRANT, { grant_type: 'refresh_token', refresh_token: answer.body.refresh_token }]) {
      const refused = await client.post<TokenError>({ ...fields, client_id: 'somebodyElse' })
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_client'])
    }
    expect((await client.refresh(answer.body.refresh_token)).status).toBe(200)
  })

  test('[C-AUTH-10, C-LIMITS-03, D-TOKEN-02] expires_in is 864000 by default', async () => {
    expect(answer.body.expires_in).toBe(864_000)
    const [row] = await world.service.database.rows<{ seconds: number }>(
      sql`select extract(epoch from max(expires) - now()) as seconds from tokens where kind = 'access'`,
    )
    expect(row?.seconds).toBeGreaterThan(864_000 - 60)
    expect(row?.seconds).toBeLessThanOrEqual(864_000)
  })

  test('[C-AUTH-11] token_type is bearer', () => {
    expect(answer.body.token_type).toBe('bearer')
  })

  test('[C-AUTH-13] the reply has a refresh_token', () => {
    expect(answer.body.refresh_token).toEqual(expect.any(String))
  })
})

describe('the refresh grant', () => {
  test('[C-AUTH-07, C-AUTH-08, C-AUTH-15] credentials, token, refresh, and on with the new access token', async () => {
    const first = (await client.post(GRANT)).body
    expect(await client.statusWith(first.access_token)).toBe(200)
    const second = await client.refresh(first.refresh_token)
    expect(second.status).toBe(200)
    expect(second.body).toEqual({
      expires_in: 864_000,
      token_type: 'bearer',
      access_token: expect.any(String),
      refresh_token: expect.any(String),
    })
    expect(second.body.access_token).not.toBe(first.access_token)
    expect(await client.statusWith(second.body.access_token)).toBe(200)
  })

  test('[C-AUTH-13, D-TOKEN-03, D-TOKEN-05] gives a new refresh token; the old one and older access tokens keep working', async () => {
    const first = (await client.post(GRANT)).body
    const second = (await client.refresh(first.refresh_token)).body
    const third = (await client.refresh(first.refresh_token)).body
    const fourth = (await client.refresh(second.refresh_token)).body
    const all = [first, second, third, fourth]
    expect(new Set(all.map(tokens => tokens.refresh_token)).size).toBe(4)
    for (const tokens of all) expect(await client.statusWith(tokens.access_token)).toBe(200)
  })

  test('[D-TOKEN-04] a refresh token lives 180 days, renewed by every use', async () => {
    const { refresh_token: token } = (await client.post(GRANT)).body
    const days = async () => {
      const [row] = await world.service.database.rows<{ days: number }>(
        sql`select extract(epoch from expires - now()) / 86400 as days from tokens where hash = sha256(${token}::bytea)`,
      )
      return row?.days
    }
    expect(await days()).toBeCloseTo(180, 2)
    await change(sql`update tokens set expires = now() + interval '1 minute' where hash = sha256(${token}::bytea)`)
    expect((await client.refresh(token)).status).toBe(200)
    expect(await days()).toBeCloseTo(180, 2)
    await change(sql`update tokens set expires = now() - interval '1 second' where hash = sha256(${token}::bytea)`)
    expect((await client.refresh(token)).status).toBe(400)
  })

  test('[C-AUTH-14] an access token ends after expires_in; its refresh token lives on', async () => {
    const brief = await startSecondApi(world.service, { accessTokenLifetimeS: 3600 })
    const reply = await fetch(`${brief.url}/auth/token`, { method: 'POST', body: new URLSearchParams(GRANT) })
    const tokens = (await reply.json()) as Tokens
    expect(tokens.expires_in).toBe(3600)
    expect(await client.statusWith(tokens.access_token)).toBe(200)
    // The hour passes.
    await change(
      sql`update tokens set expires = expires - interval '1 hour' where hash = sha256(${tokens.access_token}::bytea)`,
    )
    await eventually(async () => expect(await client.statusWith(tokens.access_token)).toBe(401), 1000)
    const next = (await client.refresh(tokens.refresh_token)).body
    expect(await client.statusWith(next.access_token)).toBe(200)
    await brief.stop()
  })
})

describe('encodings of the token request', () => {
  const query = new URLSearchParams(GRANT).toString()
  const multipart = new FormData()
  for (const [name, value] of Object.entries(GRANT)) multipart.append(name, value)

  test.each<[title: string, path: string, body?: FormData | URLSearchParams | object]>([
    ['[D-READ-01] urlencoded form', '/auth/token', new URLSearchParams(GRANT)],
    ['[D-READ-02] multipart/form-data', '/auth/token', multipart],
    ['[D-READ-03, C-CONVENTION-03] JSON', '/auth/token', GRANT],
    ['[D-READ-04] query string', `/auth/token?${query}`],
    [
      '[D-READ-05] query and body mixed, the body wins',
      '/auth/token?grant_type=password&username=nobody&client_id=connectedCarApi',
      { username: EMAIL, password: PASSWORD },
    ],
    ['[D-ADDRESS-03] the same at the root', '/', new URLSearchParams(GRANT)],
    ['[D-ADDRESS-03] the same at the root, as a query', `/?${query}`],
  ])('%s', async (_title, path, body) => {
    const isForm = body instanceof FormData || body instanceof URLSearchParams
    const asJson = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const question = isForm ? await postedForm(body) : asJson
    const answer = await world.ask<Tokens>(path, { method: 'POST', ...question })
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
    expect(await client.statusWith(answer.body.access_token)).toBe(200)
  })

  test('[D-READ-06] passwords in a query never reach a log', async () => {
    const api = await startSecondApi(world.service)
    for (const path of ['/auth/token', '/', '/cc/v2.0/devices', '/nothing'])
      for (const method of ['POST', 'GET']) await fetch(`${api.url}${path}?${query}`, { method })
    await api.stop()
    expect(api.log()).toContain('/auth/token')
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), 'correct+horse', 'correct%20horse', 'staple'])
      expect(api.log()).not.toContain(secret)
  })
})
