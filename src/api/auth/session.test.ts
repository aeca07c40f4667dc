import { afterAll, expect, test } from 'vitest'
import { startAdministration } from '../../../test/administration.ts'
import { eventually } from '../../../test/eventually.ts'
import { expectDocumented } from '../../../test/openapi-conformity.ts'
import { ensureAccount } from '../../access/accounts.ts'
import { createKey } from '../../access/keys.ts'
import { ALL_PERMISSIONS } from '../../catalogue/permissions.ts'
import { writeTransaction } from '../../db/transaction.ts'

const EMAIL = 'Chief@example.com'
const JSON_TYPE = { 'content-type': 'application/json' }

const world = await startAdministration()
await world.addAdministrator(EMAIL, 'Fleet')
afterAll(() => world.stop())

test('a user is told who it is, what it may do and until when', async () => {
  const { accessToken } = await world.logIn(EMAIL.toLowerCase())
  const { status, body } = await world.ask(accessToken, 'GET', '/auth/session')
  expect([status, body]).toEqual([
    200,
    {
      kind: 'user',
      name: EMAIL,
      account: { id: expect.any(String), name: 'Fleet' },
      permissions: expect.arrayContaining([...ALL_PERMISSIONS]),
      expiresTimestamp: expect.stringMatching(/\.\d{3}Z$/),
    },
  ])
  const lifetimeMs = world.service.config.accessTokenLifetimeS * 1000
  expect(Math.abs(Date.parse(String(body.expiresTimestamp)) - Date.now() - lifetimeMs)).toBeLessThan(60_000)
})

test('a key is told the same, whatever it may do', async () => {
  const key = await writeTransaction(world.service.database, async transaction => {
    const { id: accountId } = await ensureAccount(transaction, 'Leasing')
    return createKey(transaction, { accountId, name: 'broker', permissions: ['ingest'], expires: undefined })
  })
  expect((await world.ask(key.secret, 'GET', '/auth/session')).body).toEqual({
    kind: 'key',
    name: 'broker',
    account: { id: expect.any(String), name: 'Leasing' },
    permissions: ['ingest'],
    expiresTimestamp: null,
  })
})

async function revoke(
  body: string | URLSearchParams,
  headers: Record<string, string> = {},
): Promise<readonly [number, unknown]> {
  const response = await fetch(`${world.service.url}/auth/revoke`, { method: 'POST', headers, body })
  const text = await response.text()
  expect(response.headers.get('cache-control')).toBe('no-store')
  const answered = { statusCode: response.status, headers: Object.fromEntries(response.headers), body: text }
  await expectDocumented(answered, 'POST', '/auth/revoke')
  return [response.status, JSON.parse(text)]
}

const refreshStatus = (refreshToken: string) =>
  world.exchange({ grant_type: 'refresh_token', refresh_token: refreshToken })

async function refreshed(refreshToken: string): Promise<{ accessToken: string; refreshToken: string }> {
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken })
  const response = await fetch(`${world.service.url}/auth/token`, { method: 'POST', body })
  const tokens = (await response.json()) as { access_token: string; refresh_token: string }
  return { accessToken: tokens.access_token, refreshToken: tokens.refresh_token }
}

test('logging out ends all that came of that login, everywhere within a second, and no other login', async () => {
  const login = await world.logIn(EMAIL)
  const other = await world.logIn(EMAIL)
  const later = await refreshed(login.refreshToken)
  expect(await world.statusesOf(later.accessToken)).toEqual([200, 200])
  // The newer refresh token: the older one and all access tokens go with it.
  expect(await revoke(new URLSearchParams({ token: later.refreshToken, token_type_hint: 'refresh_token' }))).toEqual([
    200,
    {},
  ])
  world.service.clock.advance(1000)
  for (const { accessToken, refreshToken } of [login, later]) {
    expect(await world.statusesOf(accessToken)).toEqual([401, 401])
    expect(await refreshStatus(refreshToken)).toBe(400)
  }
  expect(await world.statusesOf(other.accessToken)).toEqual([200, 200])
  expect(await refreshStatus(other.refreshToken)).toBe(200)
})

test('an access token ends alone', async () => {
  const { accessToken, refreshToken } = await world.logIn(EMAIL)
  expect(await revoke(JSON.stringify({ token: accessToken, token_type_hint: 'refresh_token' }), JSON_TYPE)).toEqual([
    200,
    {},
  ])
  await eventually(async () => expect(await world.statusesOf(accessToken)).toEqual([401, 401]), 1000)
  expect(await refreshStatus(refreshToken)).toBe(200)
})

test('a token that is none is answered the same, again and again; a key is no token', async () => {
  const key = await world.service.key('Fleet')
  const { refreshToken } = await world.logIn(EMAIL)
  for (const token of ['x', refreshToken, refreshToken, key, 'a'.repeat(43), "';--", '\0'])
    expect(await revoke(new URLSearchParams({ token, token_type_hint: 'saml' }))).toEqual([200, {}])
  world.service.clock.advance(1000)
  expect(await world.statusesOf(key)).toEqual([200, 200])
})

test('what cannot be read is told with the codes of OAuth', async () => {
  const refused = (words: RegExp) => ({
    errorMessage: expect.stringMatching(words),
    error: 'invalid_request',
    error_description: expect.stringMatching(words),
  })
  expect(await revoke('')).toEqual([400, refused(/token is missing/)])
  expect(await revoke('{', JSON_TYPE)).toEqual([400, refused(/JSON/)])
  expect(await revoke(JSON.stringify({ token: 7 }), JSON_TYPE)).toEqual([400, refused(/token must be text/)])
  expect(await revoke('token', { 'content-type': 'text/plain' })).toEqual([415, refused(/content type/)])
})
