import { setMaxListeners } from 'node:events'
import { afterAll, expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { eventually } from '../../test/eventually.ts'
import { openDatabase } from './database.ts'
import { sql } from './sql.ts'

const GREEDY = 1
const MODEST = 2

const testDatabase = await createTestDatabase()
const database = openDatabase({ url: testDatabase.url })
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

const sleeping = async () => {
  const [row] = await database.checks.rows<{ count: number }>(sql`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and query like 'select pg_sleep%' and state = 'active'`)
  return row?.count
}

it('the slow queries of one account leave connections for the next one, and for who checks', async () => {
  const gone = new AbortController()
  setMaxListeners(0, gone.signal)
  const reads = database.readsOf(GREEDY, { signal: gone.signal })
  const slow = Array.from({ length: 60 }, () => reads.rows(sql`select pg_sleep(60)`))
  const ended = Promise.allSettled(slow)
  await eventually(async () => expect(await sleeping()).toBe(5))
  for (let i = 0; i < 20; i++)
    expect(await database.readsOf(MODEST).rows<{ one: number }>(sql`select 1 as one`)).toEqual([{ one: 1 }])
  // Its streams read apart from its requests.
  expect(await database.readsOf(GREEDY, { use: 'streams' }).rows(sql`select 1 as one`)).toHaveLength(1)
  gone.abort(new Error('the client has gone'))
  for (const result of await ended)
    expect(result).toMatchObject({ status: 'rejected', reason: { message: 'the client has gone' } })
  // Much sooner than they would end by themselves.
  await eventually(async () => expect(await sleeping()).toBe(0), 30_000)
})

it('a connection that is held is given back, whether the work succeeds or fails', async () => {
  const reads = database.readsOf(GREEDY)
  for (let i = 0; i < 30; i++) {
    await reads.hold(client => client.query('select 1'))
    await expect(reads.hold(client => client.query('select 1/0'))).rejects.toThrow('division by zero')
  }
  expect(await reads.rows(sql`select 1 as one`)).toHaveLength(1)
})

it('a query that takes too long is ended by the database', async () => {
  const hasty = openDatabase({ url: testDatabase.url, readTimeoutMs: 100 })
  await expect(hasty.readsOf(GREEDY).rows(sql`select pg_sleep(60)`)).rejects.toMatchObject({ code: '57014' })
  await hasty.close()
})
