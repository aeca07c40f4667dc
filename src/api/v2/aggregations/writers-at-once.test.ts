import type { ClientBase } from 'pg'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../../../test/database.ts'
import { fleetRows, type VehicleRows } from '../../../../test/fleet-rows.ts'
import { rebuildDays } from '../../../../test/settled.ts'
import { ensureAccount } from '../../../access/accounts.ts'
import { type Connection, rowsOf, sql } from '../../../db/sql.ts'
import { writeTransaction } from '../../../db/transaction.ts'
import { refreshAccountDays } from '../../../derive/days/account-days.ts'
import { touchTrips } from '../../../derive/trips/shared-cars.ts'
import { type BinRequest, type BinRow, readBins } from './query.ts'

const WRITERS = 6
const TRIPS_OF_WRITER = 40

const database = await openTestDatabase({ writerCount: WRITERS + 2 })
const accountId = (await writeTransaction(database, transaction => ensureAccount(transaction, 'Fleet'))).id
const rows = fleetRows(database)
const vehicles: VehicleRows[] = []
for (const index of [0, 1, 2]) vehicles.push(await rows.vehicle(accountId, { deviceId: 11 + index }))

/** Each writer puts trips into all vehicles, in an order of its own, on the same few days, and takes some of them away. */
async function write(writer: number): Promise<void> {
  for (let trip = 0; trip < TRIPS_OF_WRITER; trip++) {
    const touched = [0, 1].map(step => ({
      ...(vehicles[(trip + writer * step + step) % vehicles.length] as VehicleRows),
      timeMs: Date.UTC(2020, 0, 1 + ((trip * (writer + 1) + step) % 3), writer, trip),
    }))
    await writeTransaction(database, async transaction => {
      for (const { deviceId, vehicleId, timeMs } of touched) {
        const start = new Date(timeMs).toISOString()
        await transaction.rows(sql`
          insert into trips (device_id, account_id, vehicle_id, start_time, end_time, distance_m, duration_s, modified)
          values (${deviceId}, ${accountId}, ${vehicleId}, ${start}, ${start}, ${100 + trip}, 60,
            ${await transaction.takeRevisions(1)})`)
        if (trip % 5 === 4)
          await transaction.rows(sql`
            update trips set deleted = clock_timestamp() where id = (
              select id from trips where vehicle_id = ${vehicleId} and deleted is null
                and start_time < ${start} and start_time >= date_trunc('day', ${start}::timestamptz)
                and extract(hour from start_time) = ${writer} limit 1)`)
      }
      touchTrips(transaction, touched)
    })
  }
}

const REQUEST: BinRequest = {
  vehicleId: undefined,
  perVehicle: false,
  withTotals: false,
  binSize: 'DAY',
  timeZone: 'UTC',
  fromTimestamp: undefined,
  toTimestamp: undefined,
}

/** The answer, and the sums of the trips of the same moment. */
async function readBoth(client: ClientBase): Promise<{ answered: BinRow[]; driven: object[] }> {
  await client.query('begin isolation level repeatable read')
  try {
    const connection: Connection = { rows: (statement, options) => rowsOf(client, statement, options) }
    return { driven: await readDriven(connection), answered: await readBins(connection, accountId, REQUEST) }
  } finally {
    await client.query('commit')
  }
}

function readDriven(connection: Connection): Promise<object[]> {
  return connection.rows(sql`
    select date_trunc('day', start_time) as bin, count(*) as trips, sum(distance_m) as "metresSum",
      min(distance_m) as "metresMin", max(distance_m) as "metresMax"
    from trips where account_id = ${accountId} and deleted is null group by 1 order by 1`)
}

test('while many write and days are summed up, the answer is exact at every moment', async () => {
  const writing = new AbortController()
  const written = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))).finally(() => {
    writing.abort()
  })
  const summedUp = (async () => {
    while (!writing.signal.aborted) await Promise.all([refreshAccountDays(database), refreshAccountDays(database)])
  })()
  const client = await database.readers.connect()
  try {
    let asked = 0
    for (; !writing.signal.aborted; asked++) {
      const { answered, driven } = await readBoth(client)
      expect(answered).toMatchObject(driven)
    }
    expect(asked).toBeGreaterThan(1)
  } finally {
    client.release()
    await Promise.all([written, summedUp])
  }
  while (await refreshAccountDays(database));
  expect(await database.rows(sql`select from due_account_days`)).toEqual([])
  expect(await readBins(database, accountId, REQUEST)).toMatchObject(await readDriven(database))
  expect(await writeTransaction(database, transaction => rebuildDays(transaction))).toBe(0)
})
