import type { PoolClient } from 'pg'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { eventually } from '../../test/eventually.ts'
import { GrowingPool, onConnection } from './pool.ts'

const MOST = 4

const testDatabase = await createTestDatabase()
afterAll(() => testDatabase.drop())

function openPool(more: { readonly connectionString?: string; readonly idleTimeoutMillis?: number } = {}): GrowingPool {
  const pool = new GrowingPool({ connectionString: testDatabase.url, max: MOST, min: 1, ...more })
  // When its database is dropped, a connection may not yet have heard that it was closed.
  pool.on('error', () => undefined)
  onTestFinished(() => pool.end())
  return pool
}

const held = (pool: GrowingPool, count: number): Promise<PoolClient>[] =>
  Array.from({ length: count }, () => pool.connect())

it('who asks at once does not get a connection each, but is answered', async () => {
  const pool = openPool()
  const answers = Array.from({ length: 50 }, (_, index) => pool.query('select $1::integer as index', [index]))
  expect(pool.totalCount).toBe(1)
  expect((await Promise.all(answers)).map(({ rows }) => rows[0].index)).toEqual([...Array(50).keys()])
  expect(pool.totalCount).toBeLessThanOrEqual(MOST)
})

it('while connections are held, it opens others, up to the most that it may have', async () => {
  const pool = openPool()
  const clients = await Promise.all(held(pool, MOST))
  expect(new Set(clients).size).toBe(MOST)
  const next = pool.connect()
  const isOver = await Promise.race([
    next.then(() => true),
    clients[0]?.query('select pg_sleep(0.1)').then(() => false),
  ])
  expect([isOver, pool.totalCount]).toEqual([false, MOST])
  clients[0]?.release()
  expect(await next).toBe(clients[0])
  for (const client of clients) client.release()
})

it('a connection that broke is replaced for who waits', async () => {
  const pool = openPool()
  const clients = await Promise.all(held(pool, MOST))
  const next = pool.connect()
  clients[0]?.release(true)
  const replacement = await next
  expect(clients).not.toContain(replacement)
  for (const client of [replacement, ...clients.slice(1)]) client.release()
})

it('when idle connections were closed, it begins anew', async () => {
  const pool = openPool({ idleTimeoutMillis: 1 })
  for (const client of await Promise.all(held(pool, MOST))) client.release()
  await eventually(async () => expect(pool.totalCount).toBe(1))
  const again = held(pool, MOST)
  expect(pool.totalCount).toBe(1)
  for (const client of await Promise.all(again)) client.release()
})

it('without a database, everybody who waits is told so', async () => {
  const pool = openPool({ connectionString: 'postgresql://tacho@/tacho?host=/there-is-no-such-folder' })
  const results = await Promise.allSettled(held(pool, 3 * MOST))
  for (const result of results) expect(result).toMatchObject({ status: 'rejected', reason: { code: 'ENOENT' } })
  expect(pool.totalCount).toBe(0)
})

it('who waits for a connection while it is closed is told so at once, and who has one keeps it', async () => {
  const pool = new GrowingPool({ connectionString: testDatabase.url, max: 1, connectionTimeoutMillis: 60_000 })
  const client = await pool.connect()
  const waiting = Promise.allSettled([pool.connect(), pool.query('select 1')])
  const ended = pool.end()
  const answer = client.query('select 2 as number')
  expect(await Promise.race([waiting, answer.then(({ rows }) => rows)])).toMatchObject([
    { status: 'rejected', reason: { message: expect.stringContaining('end on the pool') } },
    { status: 'rejected', reason: { message: expect.stringContaining('end on the pool') } },
  ])
  expect((await answer).rows).toEqual([{ number: 2 }])
  client.release()
  await ended
  expect(pool.totalCount).toBe(0)
})

it('a connection of its own that breaks fails its statement, and not the process', async () => {
  await onConnection(testDatabase.url, 'test', async client => {
    const ended = new Promise<void>(fulfil => {
      client.once('end', fulfil)
    })
    const broken = client.query('select pg_terminate_backend(pg_backend_pid())')
    await expect(broken).rejects.toMatchObject({ code: '57P01' })
    await ended
  })
})
