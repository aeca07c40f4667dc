import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { eventually } from '../../test/eventually.ts'
import { TestClock } from '../../test/test-clock.ts'
import { refreshAccountDays } from '../derive/days/account-days.ts'
import type { ChangeHeard, ChangeListener } from './change-notifications.ts'
import { type Database, openDatabase } from './database.ts'
import { sql } from './sql.ts'
import { writeTransaction } from './transaction.ts'

let testDatabase: TestDatabase
let database: Database
let listener: ChangeListener
let heard: (string | undefined)[]

beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase({ url: testDatabase.url })
  heard = []
  listener = database.listen(lowWatermark => void heard.push(lowWatermark))
  // The first one says that there is a connection.
  await connected()
})
afterEach(async () => {
  await listener.close()
  await database.close()
  await testDatabase.drop()
})

const connected = () => expect.poll(() => heard.length).toBeGreaterThan(0)

const commit = () => writeTransaction(database, transaction => transaction.takeRevisions(1))

it('whoever listens hears of a commit, with a low watermark that covers it', async () => {
  const revision = await commit()
  await expect.poll(() => heard).toHaveLength(2)
  expect(String(heard[1]) >= revision).toBe(true)
})

it('many commits are told together, the last one included', async () => {
  const revisions: string[] = []
  for (let i = 0; i < 50; i++) revisions.push(await commit())
  const last = revisions.at(-1) ?? ''
  await expect.poll(() => String(heard.at(-1)) >= last).toBe(true)
  expect(heard.length).toBeLessThan(50)
})

it.each([
  ['each', 100],
  ['some', 8000],
] as const)('whoever asks for %s change hears of two at once, and of the next one %i ms later', async (to, ms) => {
  await listener.close()
  const clock = new TestClock()
  const own = openDatabase({ url: testDatabase.url, clock })
  const hearing = vi.fn<ChangeHeard>()
  listener = own.listen(hearing, to)
  await expect.poll(() => hearing.mock.calls.length).toBe(1)
  const commitHere = () => writeTransaction(own, transaction => transaction.rows(sql`select`))
  for (const heardOf of [2, 3]) {
    await commitHere()
    await expect.poll(() => hearing.mock.calls.length).toBe(heardOf)
  }
  await expect.poll(() => clock.pending).toBe(1)
  await commitHere()
  clock.advance(ms - 1)
  expect(clock.pending).toBe(1)
  clock.advance(1)
  await expect.poll(() => hearing.mock.calls.length).toBe(4)
  await own.close()
})

it('who waits for each change of another database on the same server hurries nobody here', async () => {
  await listener.close()
  const otherDatabase = await createTestDatabase()
  const other = openDatabase({ url: otherDatabase.url })
  const hearing = vi.fn<ChangeHeard>()
  const hurried = other.listen(hearing)
  await expect.poll(() => hearing.mock.calls.length).toBe(1)
  await eventually(async () => {
    await commit()
    expect(database.changes.isHurried).toBe(false)
  })
  await hurried.close()
  await other.close()
  await otherDatabase.drop()
})

it('who begins to wait for each change need not wait until the jobs would hear of the last one', async () => {
  await listener.close()
  const clock = new TestClock()
  const own = openDatabase({ url: testDatabase.url, clock })
  const jobs = vi.fn<ChangeHeard>()
  const hearing = vi.fn<ChangeHeard>()
  const ofJobs = own.listen(jobs, 'some')
  await expect.poll(() => jobs.mock.calls.length).toBe(1)
  const commitHere = () => writeTransaction(own, transaction => transaction.rows(sql`select`))
  for (const heardOf of [2, 3]) {
    await commitHere()
    await expect.poll(() => jobs.mock.calls.length).toBe(heardOf)
  }
  await expect.poll(() => clock.pending).toBe(1)
  await commitHere()
  listener = database.listen(hearing)
  await expect.poll(() => hearing.mock.calls.length).toBe(2)
  expect(clock.monotonicMs()).toBe(0)
  await ofJobs.close()
  await own.close()
})

it('nobody hears anything of housekeeping that finds nothing to do', async () => {
  for (let i = 0; i < 3; i++) expect(await refreshAccountDays(database)).toBe(false)
  await sleep(300)
  expect(heard).toEqual([undefined])
})

it('who cannot tell holds nobody back, and tells of the next commit', async () => {
  await commit()
  await expect.poll(() => heard).toHaveLength(2)
  const other = new Client({ connectionString: testDatabase.url })
  await other.connect()
  // Whatever takes a revision waits, as the notification does for its low watermark.
  await other.query('select pg_advisory_lock(7411, 0)')
  await writeTransaction(database, transaction => transaction.rows(sql`select 1 as one`))
  await sleep(2_200)
  await other.end()
  await commit()
  await expect.poll(() => heard.length).toBeGreaterThan(2)
})

it('a process that stops does not wait for ever until it could tell', async () => {
  const own = openDatabase({ url: testDatabase.url })
  const other = new Client({ connectionString: testDatabase.url })
  await other.connect()
  await other.query('select pg_advisory_lock(7411, 0)')
  await writeTransaction(own, transaction => transaction.rows(sql`select 1 as one`))
  await expect(own.close()).resolves.toBeUndefined()
  await other.end()
})
