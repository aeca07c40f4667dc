import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Database, openDatabase } from '../database.ts'
import { LEASE_LOCK_KIND } from '../locks.ts'
import { sql } from '../sql.ts'
import type { LeaseLock } from './lease-lock.ts'

let testDatabase: TestDatabase
let database: Database
let leaseLock: LeaseLock

beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase({ url: testDatabase.url })
  leaseLock = database.createLeaseLock()
})
afterEach(async () => {
  await leaseLock.close()
  await database.close()
  await testDatabase.drop()
})

async function held(): Promise<number[]> {
  const rows = await database.rows<{ leaseOwner: number }>(sql`
    select objid::bigint as "leaseOwner" from pg_locks
    where locktype = 'advisory' and classid = ${LEASE_LOCK_KIND} and granted
      and database = (select oid from pg_database where datname = current_database())`)
  return rows.map(({ leaseOwner }) => leaseOwner)
}

async function heldSoon(wanted: readonly number[]): Promise<void> {
  while (JSON.stringify(await held()) !== JSON.stringify(wanted)) await sleep(10)
}

test('the lock of a process is held again after its connection was cut', async () => {
  expect(await leaseLock.hold(5)).toBe(true)
  for (let time = 0; time < 3; time++) {
    await database.rows(sql`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where application_name = 'tacho lease' and datname = current_database()`)
    // The process hears of it at some time; until then it believes what it knew.
    while ((await held()).length === 0) {
      await leaseLock.hold(5)
      await sleep(1)
    }
    expect(await leaseLock.hold(5)).toBe(true)
    expect(await held()).toEqual([5])
  }
})

test('nothing is held under a number that a process has given up', async () => {
  await leaseLock.hold(5)
  await leaseLock.releaseFormer(5)
  expect(await held()).toEqual([5])
  await leaseLock.releaseFormer(6)
  await heldSoon([])
  expect(await leaseLock.hold(6)).toBe(true)
  expect(await held()).toEqual([6])
})

test('who lets go of a number while it takes the next one ends with the lock or knows that it has none', async () => {
  for (let number = 1; number <= 20; number++) {
    await leaseLock.hold(number)
    const [isHeld] = await Promise.all([leaseLock.hold(number + 1), leaseLock.releaseFormer(number + 1)])
    const wanted = isHeld ? [number + 1] : []
    await heldSoon(wanted)
    expect(await held()).toEqual(wanted)
  }
})
