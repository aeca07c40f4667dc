import { expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/database.ts'
import { fleetRows } from '../../../test/fleet-rows.ts'
import { ensureAccount } from '../../access/accounts.ts'
import { requiredEventType } from '../../catalogue/event-types.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { touchTrips } from '../trips/shared-cars.ts'

const database = await openTestDatabase()
const { id: accountId } = await writeTransaction(database, transaction => ensureAccount(transaction, 'Fleet'))
const car = await fleetRows(database).vehicle(accountId, { deviceId: 11 })

const MILEAGE = requiredEventType('MILEAGE').id

/** Writes a trip and refreshes its day in one transaction, as the derivation does. */
function drive(start: string, metres: number, meters: object = {}, between = async () => {}): Promise<void> {
  return writeTransaction(database, async transaction => {
    await transaction.rows(sql`
      insert into trips (device_id, account_id, vehicle_id, start_time, end_time, distance_m, duration_s, meters, modified)
      values (${car.deviceId}, ${car.accountId}, ${car.vehicleId}, ${start}, ${start}, ${metres}, 60,
        ${JSON.stringify(meters)}, ${await transaction.takeRevisions(1)})`)
    await between()
    touchTrips(transaction, [{ ...car, timeMs: Date.parse(start) }])
  })
}

const dayOf = (day: string) =>
  database.rows(sql`
    select trips, metres_min, metres_max, metres_sum, odometer_start, odometer_end
    from vehicle_days where vehicle_id = ${car.vehicleId} and day = ${day}::date`)

test('the odometer is carried from the readings of the day to its ends; an absurd reading is none', async () => {
  const reading = (start?: number, end?: number) => ({ [MILEAGE]: { start, end } })
  await drive('2020-01-01T00:00:00Z', 100)
  await drive('2020-01-01T08:00:00Z', 1000, reading(1e9, undefined))
  await drive('2020-01-01T10:00:00Z', 2000, reading(undefined, 52.5))
  await drive('2020-01-01T12:00:00Z', 3000, reading(53, undefined))
  await drive('2020-01-01T23:59:59.999Z', 4)
  expect(await dayOf('2020-01-01')).toEqual([
    { trips: 5, metres_min: 4, metres_max: 3000, metres_sum: 6104, odometer_start: 49_400, odometer_end: 56_004 },
  ])
  expect(await dayOf('2019-12-31')).toEqual([])
  expect(await dayOf('2020-01-02')).toEqual([])
})

test('two writers of one vehicle at once: the day has the trips of both', async () => {
  let bothHaveWritten = () => {}
  const together = new Promise<void>(resolve => {
    let waiting = 2
    bothHaveWritten = () => {
      if (--waiting === 0) resolve()
    }
  })
  const wait = () => {
    bothHaveWritten()
    return together
  }
  await Promise.all([drive('2020-02-01T08:00:00Z', 10, {}, wait), drive('2020-02-01T09:00:00Z', 5, {}, wait)])
  expect(await dayOf('2020-02-01')).toMatchObject([{ trips: 2, metres_min: 5, metres_max: 10, metres_sum: 15 }])
})

test('a day without trips has no row, and its account is told of it', async () => {
  await drive('2020-03-01T08:00:00Z', 10)
  await database.writers.query('truncate due_account_days')
  const refresh = () =>
    writeTransaction(database, async transaction => {
      touchTrips(transaction, [{ ...car, timeMs: Date.UTC(2020, 2, 1, 8) }])
    })
  await refresh()
  expect(await database.rows(sql`select from due_account_days`)).toEqual([])
  await database.writers.query(`update trips set deleted = now() where start_time = '2020-03-01T08:00:00Z'`)
  await refresh()
  expect(await dayOf('2020-03-01')).toEqual([])
  expect(await database.rows(sql`select account_id, day::text from due_account_days`)).toEqual([
    { account_id: car.accountId, day: '2020-03-01' },
  ])
})
