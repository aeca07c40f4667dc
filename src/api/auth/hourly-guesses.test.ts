import { hash } from '@node-rs/argon2'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { EMAIL, PASSWORD, startTokenEndpoint } from '../../../test/token-endpoint.ts'
import { sql } from '../../db/sql.ts'

const endpoint = await startTokenEndpoint()
// What a guess costs is no matter here, and there are hundreds.
const cheapHash = await hash(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 })
await endpoint.change(sql`update users set password_hash = ${cheapHash}`)
for (const address of ['192.0.2.7', '192.0.2.8']) await endpoint.logIn(EMAIL, PASSWORD, address)
afterAll(() => endpoint.stop())
beforeEach(() => endpoint.change(sql`delete from login_guesses`))

/** Guesses for an hour, as fast as it is let; what slows down for seconds alone is passed over. */
async function guessForAnHour(addressOf: (attempt: number) => string): Promise<number> {
  let tried = 0
  for (let second = 0, attempt = 0; second < 3600; attempt++) {
    await endpoint.change(sql`delete from failed_logins`)
    const { status, headers } = await endpoint.logIn(EMAIL, 'wrong', addressOf(attempt))
    if (status === 400) tried++
    const waitS = status === 429 ? Number(headers['retry-after']) : 0
    if (waitS === 0) continue
    second += waitS
    await endpoint.change(sql`update login_guesses set forgiven = forgiven - ${waitS} * interval '1 second'`)
  }
  return tried
}

test('from everywhere else: some sixty an hour with a user, who gets in from a known place all the while', async () => {
  const tried = await guessForAnHour(attempt => `198.51.100.${attempt % 250}`)
  expect(tried).toBeGreaterThan(40)
  expect(tried).toBeLessThanOrEqual(62)
  const elsewhere = await endpoint.logIn(EMAIL, PASSWORD, '203.0.113.9')
  expect(elsewhere.status === 200 || Number(elsewhere.headers['retry-after']) > 60).toBe(true)
  expect((await endpoint.logIn(EMAIL, PASSWORD, '192.0.2.7')).status).toBe(200)
})

test("from the user's own networks some twenty-five; one network uses up its own part only", async () => {
  const ofOne = await guessForAnHour(() => '192.0.2.7')
  expect(ofOne).toBeLessThanOrEqual(16)
  expect((await endpoint.logIn(EMAIL, PASSWORD, '192.0.2.8')).status).toBe(200)
  await endpoint.change(sql`delete from login_guesses`)
  expect(await guessForAnHour(attempt => `192.0.2.${7 + (attempt % 2)}`)).toBeLessThanOrEqual(26)
})

test('who is told to wait gets in afterwards with the right password', async () => {
  let waitS = 0
  while (waitS === 0) {
    await endpoint.change(sql`delete from failed_logins`)
    waitS = Number((await endpoint.logIn(EMAIL, 'wrong', '198.51.100.1')).headers['retry-after'] ?? 0)
  }
  await endpoint.change(sql`update login_guesses set forgiven = forgiven - ${waitS} * interval '1 second'`)
  await endpoint.change(sql`delete from failed_logins`)
  expect((await endpoint.logIn(EMAIL, PASSWORD, '198.51.100.1')).status).toBe(200)
})

test('an address without a user counts alike, so that nobody learns which have one', async () => {
  const waits: string[] = []
  for (const email of [EMAIL, 'nobody@example.com']) {
    for (let tried = 0; tried < 34; tried++) {
      await endpoint.change(sql`delete from failed_logins`)
      await endpoint.logIn(email, 'wrong', '198.51.100.2')
    }
    await endpoint.change(sql`delete from failed_logins`)
    const { status, headers } = await endpoint.logIn(email, 'wrong', '198.51.100.3')
    waits.push(`${status} ${Number(headers['retry-after']) > 60}`)
  }
  expect(waits).toEqual(['429 true', '429 true'])
})
