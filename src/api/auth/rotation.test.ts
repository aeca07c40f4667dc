import { afterAll, expect, test } from 'vitest'
import { EMAIL, formOf, PASSWORD, startTokenEndpoint } from '../../../test/token-endpoint.ts'
import { createCallerLookup } from '../../access/callers.ts'
import { sql } from '../../db/sql.ts'

const endpoint = await startTokenEndpoint()
afterAll(() => endpoint.stop())

const ROTATE = { rotate_refresh_tokens: 'true' }

const logIn = async (more: Record<string, string> = ROTATE) =>
  (await endpoint.post(formOf({ grant_type: 'password', username: EMAIL, password: PASSWORD, ...more }))).body
const refresh = (token: string | undefined, more: Record<string, string> = ROTATE) =>
  endpoint.post(formOf({ grant_type: 'refresh_token', refresh_token: token ?? '', ...more }))
/** @returns the new refresh token */
const refreshed = async (token: string | undefined, more?: Record<string, string>) => {
  const { status, body } = await refresh(token, more)
  expect(status).toBe(200)
  return body.refresh_token
}
const isValid = async (accessToken: string | undefined) =>
  (await createCallerLookup(endpoint.database).find(accessToken ?? '')) !== undefined
const lastLine = async () =>
  (
    await endpoint.database.rows<{ kind: string; caller_name: string; address: string }>(
      sql`select kind, caller_name, address from security_log order by id desc limit 1`,
    )
  )[0]

test('who comes with a token whose successor was used ends the login, whoever of both is the thief', async () => {
  const owner = await logIn()
  const second = await refreshed(owner.refresh_token)
  const third = await refreshed(second)
  expect(await isValid(owner.access_token)).toBe(true)
  expect((await refresh(owner.refresh_token)).body.error).toBe('invalid_grant')
  expect(await lastLine()).toEqual({ kind: 'refresh-token-reused', caller_name: EMAIL, address: '192.0.2.1' })
  expect((await refresh(third)).status).toBe(400)
  expect(await isValid(owner.access_token)).toBe(false)
})

test('a reply that was lost, and two tabs that ask at once, are no theft; their copies cannot both go on', async () => {
  const { refresh_token: first } = await logIn()
  const [left, right] = [await refreshed(first), await refreshed(first)]
  const next = await refreshed(left)
  expect((await refresh(right)).status).toBe(400)
  expect((await refresh(next)).status).toBe(400)
})

test('a thief who is first is noticed when the owner comes, with the token that both had or with the next', async () => {
  const { refresh_token: stolen } = await logIn()
  const ofThief = await refreshed(await refreshed(stolen))
  expect((await refresh(stolen)).status).toBe(400)
  expect((await refresh(ofThief)).status).toBe(400)
})

test('a login that rotates goes on to rotate for who does not ask for it', async () => {
  const { refresh_token: first } = await logIn()
  const second = await refreshed(first, {})
  await refreshed(second, {})
  expect((await refresh(first, {})).status).toBe(400)
})

test('an older login rotates from the first refresh that asks for it, and its other tokens end', async () => {
  const { refresh_token: old } = await logIn({})
  const other = await refreshed(old, {})
  expect(await refreshed(old, {})).toBeTruthy()
  const next = await refreshed(old)
  expect((await refresh(other, {})).status).toBe(400)
  await refreshed(next)
  expect((await refresh(old)).status).toBe(400)
})

test('clients that do not ask keep their first refresh token for good, also after newer ones were used', async () => {
  const { refresh_token: first } = await logIn({})
  const second = await refreshed(first, {})
  await refreshed(second, { rotate_refresh_tokens: 'false' })
  const again = [await refresh(first, {}), await refresh(second, {})]
  expect(again.map(({ status }) => status)).toEqual([200, 200])
})

test('refreshes that come at once: at most one line of tokens goes on', async () => {
  const { refresh_token: first } = await logIn()
  const children = await Promise.all(Array.from({ length: 4 }, () => refreshed(first)))
  const outcomes = await Promise.all(children.map(async token => (await refresh(token)).status))
  expect(outcomes.filter(status => status === 200).length).toBeLessThanOrEqual(1)
})

test('another word than true or false is refused', async () => {
  const { status, body } = await refresh('x', { rotate_refresh_tokens: 'yes' })
  expect([status, body.errorMessage]).toEqual([400, 'rotate_refresh_tokens must be true or false.'])
})
