import { afterAll, beforeAll, expect, test } from 'vitest'
import { diceOf } from '../../../lab/simulation/dice.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { fleetRows } from '../../../test/fleet-rows.ts'
import { ensureAccount } from '../../access/accounts.ts'
import { requiredEventType } from '../../catalogue/event-types.ts'
import { type Database, openDatabase } from '../../db/database.ts'
import { migrate } from '../../db/migrations.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { rebuildDays } from './rebuild-days.ts'

const MILEAGE = requiredEventType('MILEAGE').id
const HOUR_MS = 3_600_000

let testDatabase: TestDatabase
let database: Database

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase({ url: testDatabase.url })
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

/** As a database is before the migration. */
async function undo(): Promise<void> {
  await database.writers.query(`
    alter table vehicle_days drop first_reading, drop last_reading, drop first_read_at, drop last_read_at,
      drop odometer_jump;
    delete from migrations where number = 12`)
}

test('days that were summed up before the migration know their odometer as those after it do', async () => {
  const { id: accountId } = await writeTransaction(database, transaction => ensureAccount(transaction, 'Fleet'))
  const rows = fleetRows(database)
  const dice = diceOf(12)
  for (const deviceId of [1, 2, 3]) {
    const vehicle = await rows.vehicle(accountId, { deviceId })
    let km = 1000
    for (let trip = 0; trip < 40; trip++) {
      const startMs = Date.UTC(2020, 0, 1) + trip * 5 * HOUR_MS
      const metres = dice.whole(100, 50_000)
      if (dice.happens(0.2)) km += dice.whole(-900, 2000)
      const start = km
      km += (metres + (dice.happens(0.3) ? dice.whole(-metres, 3000) : 0)) / 1000
      await rows.trip(vehicle, {
        start: new Date(startMs).toISOString(),
        end: new Date(startMs + HOUR_MS * (dice.happens(0.1) ? 7 : 1)).toISOString(),
        metres,
        meters: dice.happens(0.2) ? {} : { [MILEAGE]: { start: dice.happens(0.1) ? 1e9 : start, end: km } },
      })
    }
  }
  const readDays = () =>
    database.rows<{ odometer_jump: number }>(sql`select * from vehicle_days order by vehicle_id, day`)
  const before = await readDays()
  expect(before.filter(day => day.odometer_jump !== 0).length).toBeGreaterThan(5)
  await undo()
  expect((await migrate(testDatabase.url)).applied).toEqual(['0012-odometer-jumps.sql'])
  expect(await readDays()).toEqual(before)
  expect(await writeTransaction(database, transaction => rebuildDays(transaction))).toBe(0)
})
