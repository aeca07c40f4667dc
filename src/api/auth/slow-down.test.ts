import * as argon2 from '@node-rs/argon2'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { EMAIL, formOf, PASSWORD, startTokenEndpoint, type TokenEndpoint } from '../../../test/token-endpoint.ts'
import { sql } from '../../db/sql.ts'

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

const failures = async (count: number, email: string, address?: string) => {
  const statuses: number[] = []
  for (let i = 0; i < count; i++) statuses.push((await endpoint.logIn(email, 'wrong', address)).status)
  return statuses
}

/** As if they had happened a minute from now, so that a slow machine does not outwait them. */
const postpone = () =>
  endpoint.change(sql`update failed_logins set
    last_failure = last_failure + interval '1 minute', forgiven = forgiven + interval '1 minute'`)

test.each([EMAIL, 'nobody@example.com'])('%s: six failures, then 429 for the right password, too', async email => {
  expect(await failures(6, email, '198.51.100.1')).toEqual([400, 400, 400, 400, 400, 400])
  await postpone()
  const verify = vi.mocked(argon2.verify)
  verify.mockClear()
  const slowed = await endpoint.logIn(email, PASSWORD, '198.51.100.1')
  expect(slowed.status).toBe(429)
  const retryAfterS = Number(slowed.headers['retry-after'])
  expect(retryAfterS).toBeGreaterThan(40)
  expect(retryAfterS).toBeLessThanOrEqual(61)
  expect(slowed.body).toMatchObject({
    errorMessage: `Too many failed logins: try again in ${retryAfterS} s.`,
    error: 'temporarily_unavailable',
  })
  expect(verify).not.toHaveBeenCalled()
})

test('it never lasts longer than 8 s, however many failures there were', async () => {
  await failures(1, EMAIL, '198.51.100.2')
  await endpoint.change(sql`update failed_logins set forgiven = last_failure + interval '1 hour'`)
  const { headers } = await endpoint.logIn(EMAIL, PASSWORD, '198.51.100.3')
  expect(Number(headers['retry-after'])).toBeGreaterThan(6)
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(8)
  await endpoint.change(sql`update failed_logins set last_failure = last_failure - interval '8 s'`)
  expect((await endpoint.logIn(EMAIL, PASSWORD, '198.51.100.3')).status).toBe(200)
})

test('failures elsewhere do not slow a user down where there was a login before', async () => {
  expect((await endpoint.logIn(EMAIL, PASSWORD, '2001:db8::1')).status).toBe(200)
  await failures(6, EMAIL, '198.51.100.4')
  await postpone()
  expect((await endpoint.logIn(EMAIL, PASSWORD, '198.51.100.5')).status).toBe(429)
  expect((await endpoint.logIn(EMAIL, PASSWORD, '2001:db8::2')).status).toBe(200)
})

test('many addresses tried from one network are slowed down, other networks are not', async () => {
  await failures(1, 'a@example.com', '198.51.100.6')
  await endpoint.change(sql`update failed_logins set forgiven = last_failure + interval '60 minutes'`)
  await endpoint.change(sql`delete from failed_logins where subject = sha256('login:address a@example.com')`)
  const slowed = await endpoint.logIn('b@example.com', 'wrong', '198.51.100.6')
  expect(slowed.status).toBe(429)
  expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(50)
  expect((await endpoint.logIn('b@example.com', 'wrong', '198.51.100.7')).status).toBe(400)
})

test('fifty failures from one network are still no reason', async () => {
  await failures(1, 'a@example.com', '198.51.100.9')
  await endpoint.change(sql`update failed_logins set forgiven = last_failure + interval '50 minutes'`)
  expect((await endpoint.logIn('b@example.com', 'wrong', '198.51.100.9')).status).toBe(400)
})

test('what is forgiven is forgotten', async () => {
  await failures(2, 'a@example.com')
  await endpoint.change(sql`update failed_logins set forgiven = clock_timestamp() - interval '1 second'`)
  await failures(1, 'b@example.com', '198.51.100.8')
  expect(await endpoint.database.rows(sql`select 1 from failed_logins`)).toHaveLength(2)
})

test('requests that no password was tried with do not count', async () => {
  for (let i = 0; i < 10; i++) await endpoint.post(formOf({ grant_type: 'password', username: EMAIL }))
  expect(await endpoint.database.rows(sql`select 1 from failed_logins`)).toEqual([])
})
