import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { fleetRows } from '../../test/fleet-rows.ts'
import { TestClock } from '../../test/test-clock.ts'
import { ensureFirstAccount } from '../access/accounts.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { writeTransaction } from '../db/transaction.ts'
import type { DeviceId } from '../model/sample.ts'
import { DeviceOwners } from './device-owners.ts'

const SEVERAL = Array.from({ length: 20 }, (_, index) => (356307042441000 + index) as DeviceId)

let testDatabase: TestDatabase
let database: Database
let accountId: number

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase({ url: testDatabase.url })
  ;({ id: accountId } = await writeTransaction(database, ensureFirstAccount))
  for (const deviceId of SEVERAL) await fleetRows(database).vehicle(accountId, { deviceId })
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

test('the account of a dongle is known until it is looked up again, for all together that report meanwhile', async () => {
  let lookups = 0
  const counting: Database = {
    ...database,
    rows(statement, options) {
      lookups++
      return database.rows(statement, options)
    },
  }
  const clock = new TestClock()
  const owners = new DeviceOwners(counting, pino({ level: 'silent' }), clock)
  await Promise.all(SEVERAL.map(deviceId => owners.learn(deviceId)))
  const first = lookups
  clock.advance(60_000)
  // Each reports, half a second after the one before.
  for (const deviceId of SEVERAL) {
    expect(owners.of(deviceId)).toBe(accountId)
    clock.advance(500)
  }
  expect(lookups).toBe(first)
  expect(owners.of(SEVERAL[0]!)).toBe(accountId)
  expect(lookups).toBe(first + 1)
})
