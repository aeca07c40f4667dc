import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/database.ts'
import { TestClock } from '../../test/test-clock.ts'
import { ALL_PERMISSIONS } from '../catalogue/permissions.ts'
import { type Connection, sql } from '../db/sql.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import { firstAccount } from './accounts.ts'
import { createCallerLookup } from './callers.ts'
import { createKey, revokeKey } from './keys.ts'
import { issueTokens } from './tokens.ts'
import { ensureFirstUser, revokeUser } from './users.ts'

const database = await openTestDatabase()
await ensureFirstUser(database, { email: 'e@example.com', password: 'a password' })
const accountId = (await firstAccount(database))?.id ?? 0

const write = <T>(work: (transaction: Transaction) => Promise<T>) => writeTransaction(database, work)

const newKey = (name: string, expires?: string | number) =>
  write(
    async transaction =>
      (await createKey(transaction, { accountId, name, permissions: ['events', 'ingest'], expires })).secret,
  )

async function newAccessToken(): Promise<string> {
  const [user] = await database.rows<{ id: number }>(sql`select max(id) as id from users`)
  const terms = { address: '', accessTokenLifetimeS: 60 }
  return (await write(transaction => issueTokens(transaction, user?.id ?? 0, terms))).accessToken
}

/** Counts the questions that reach the database. */
function counted(answer: Connection['rows'] = (...given) => database.rows(...given)) {
  let questions = 0
  const connection: Connection = {
    rows(...given) {
      questions++
      return answer(...given) as Promise<never>
    },
  }
  return { connection, questions: () => questions }
}

test('a key and a user, with their permissions', async () => {
  const { find } = createCallerLookup(database)
  const key = await find(await newKey('broker'))
  expect(key).toEqual({
    accountId,
    kind: 'key',
    id: 1,
    name: 'broker',
    permissions: new Set(['events', 'ingest']),
    expires: null,
    rateLimitKey: 'key:1',
  })
  expect(await find(await newAccessToken())).toEqual({
    accountId,
    kind: 'user',
    id: 1,
    name: 'e@example.com',
    permissions: new Set(ALL_PERMISSIONS),
    expires: expect.stringMatching(/^2.*Z$/),
    rateLimitKey: 'user:1',
  })
})

test('a permission that only a newer version knows is left out', async () => {
  const token = await newKey('newer')
  await write(t => t.rows(sql`update api_keys set permissions = '{events,teleport}' where name = 'newer'`))
  expect((await createCallerLookup(database).find(token))?.permissions).toEqual(new Set(['events']))
})

test('what was not issued here is nobody', async () => {
  const { connection, questions } = counted()
  const { find } = createCallerLookup(connection)
  const token = await newKey('nobody')
  for (const other of ['', 'x', token.slice(0, -1), `${token}x`, token.replace('tacho_', ''), token.toUpperCase()])
    expect(await find(other)).toBeUndefined()
  expect(questions()).toBe(1)
})

test('an expired key is nobody', async () => {
  expect(await createCallerLookup(database).find(await newKey('past', '2020-01-01T00:00:00Z'))).toBeUndefined()
  expect(await createCallerLookup(database).find(await newKey('future', '2999-01-01T00:00:00Z'))).toBeDefined()
  const brief = await newKey('brief', 60)
  expect(await createCallerLookup(database).find(brief)).toBeDefined()
  await write(transaction => transaction.rows(sql`update api_keys set expires = now() where name = 'brief'`))
  expect(await createCallerLookup(database).find(brief)).toBeUndefined()
})

test('revoking a key or a user takes effect within 1 s, also where they were just seen', async () => {
  const key = await newKey('leaving')
  const token = await newAccessToken()
  const clock = new TestClock()
  const lookups = [createCallerLookup(database, { clock }), createCallerLookup(database, { clock })]
  const found = () => Promise.all(lookups.flatMap(lookup => [lookup.find(key), lookup.find(token)]))
  const seeing = found()
  expect((await seeing).every(Boolean)).toBe(true)
  expect(await write(transaction => revokeKey(transaction, key.slice(0, 12)))).toEqual(['leaving'])
  expect(await write(transaction => revokeUser(transaction, 'e@example.com'))).toBe(true)
  const revokedMs = clock.monotonicMs()
  // Asked all the time: that must not keep an answer alive.
  while ((await found()).some(Boolean)) clock.advance(20)
  expect(clock.monotonicMs() - revokedMs).toBeLessThan(1000)
})

test('answers are remembered for a moment, that there is none as well; askers share a question', async () => {
  const { connection, questions } = counted()
  const clock = new TestClock()
  const { find } = createCallerLookup(connection, { clock })
  const [key, unknown] = [await newKey('busy'), 'x'.repeat(43)]
  for (let i = 0; i < 3; i++) await Promise.all([find(key), find(key), find(unknown), find(unknown)])
  expect(questions()).toBe(2)
  clock.advance(299)
  await Promise.all([find(key), find(unknown)])
  expect(questions()).toBe(2)
  clock.advance(201)
  await Promise.all([find(key), find(unknown)])
  expect(questions()).toBe(4)
})

test('a failure of the database is told to those who asked, and forgotten', async () => {
  const key = await newKey('unlucky')
  let isDown = true
  const { connection, questions } = counted((...given) =>
    isDown ? Promise.reject(new Error('down')) : database.rows(...given),
  )
  const { find } = createCallerLookup(connection)
  const outcomes = await Promise.allSettled([find(key), find(key)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(questions()).toBe(1)
  isDown = false
  expect(await find(key)).toMatchObject({ name: 'unlucky' })
})

test('what is remembered is bounded', async () => {
  const { connection, questions } = counted(() => Promise.resolve([]))
  const { find } = createCallerLookup(connection, { mostEntries: 10 })
  const token = (i: number) => String(i).padStart(43, '0')
  for (let i = 0; i < 15; i++) await find(token(i))
  await find(token(14))
  expect(questions()).toBe(15)
  await find(token(0))
  expect(questions()).toBe(16)
})
