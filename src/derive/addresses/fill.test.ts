import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { fleetRows, type VehicleRows } from '../../../test/fleet-rows.ts'
import { ensureFirstAccount } from '../../access/accounts.ts'
import { type Database, openDatabase } from '../../db/database.ts'
import { lockDevices } from '../../db/shards.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import { ensureAddresses, fillAddresses, readWaitingAddresses } from './addresses.ts'

const MUNICH = { en: { locality: 'Munich' }, de: { locality: 'München' } }
const ROAD = { en: { locality: 'Munich', road: 'Tal' }, de: { locality: 'München', road: 'Tal' } }
const START = '2026-01-15T08:00:00Z'

describe('texts of addresses', () => {
  let testDatabase: TestDatabase
  let database: Database
  let car: VehicleRows
  let home: number
  let work: number

  beforeEach(async () => {
    testDatabase = await createTestDatabase()
    database = openDatabase({ url: testDatabase.url, writerCount: 8 })
    const account = await writeTransaction(database, transaction => ensureFirstAccount(transaction))
    car = await fleetRows(database).vehicle(account.id, { deviceId: 350_000_000_000_001 })
    ;[home = 0, work = 0] = await writeTransaction(database, transaction =>
      ensureAddresses(transaction, [
        { lat: 48.1, lon: 11.5 },
        { lat: 48.2, lon: 11.6 },
      ]),
    )
  })
  afterEach(async () => {
    await database.close()
    await testDatabase.drop()
  })

  const fill = (id: number, texts: typeof MUNICH | undefined, isGeocoded = false) =>
    fillAddresses(database, [{ id, texts, isGeocoded }])
  const trip = (addresses: { startAddressId?: number; endAddressId?: number; deleted?: string }) =>
    fleetRows(database).trip(car, { start: START, ...addresses })
  const modifiedOf = async (id: string) => {
    const [row] = await database.rows<{ modified: string }>(sql`select modified from trips where id = ${id}::bigint`)
    return row?.modified ?? ''
  }
  const textsOf = async (id: number) => {
    const [row] = await database.rows<{ texts: unknown }>(sql`select texts from addresses where id = ${id}`)
    return row?.texts
  }
  const waitingIds = async () => (await readWaitingAddresses(database, 10)).map(({ id }) => id)

  it('change every trip that shows them, each with a revision of its own, and no other', async () => {
    const trips = await Promise.all([
      trip({ startAddressId: home, endAddressId: work }),
      trip({ startAddressId: work, endAddressId: home }),
      trip({ startAddressId: home, endAddressId: home, deleted: START }),
      trip({ startAddressId: work }),
      trip({}),
    ])
    const before = await Promise.all(trips.map(modifiedOf))
    expect(await fill(home, MUNICH)).toBe(1)
    const after = await Promise.all(trips.map(modifiedOf))
    expect(after.map((modified, index) => modified > before[index]!)).toEqual([true, true, true, false, false])
    expect(new Set(after)).toHaveLength(5)
    expect(await waitingIds()).toEqual([work])
  })

  it('that are not there, or not new, change no trip, and are not waited for any longer', async () => {
    const commute = await trip({ startAddressId: home, endAddressId: work })
    await fill(home, MUNICH)
    const before = await modifiedOf(commute)
    await fill(home, MUNICH, true)
    await fill(work, undefined)
    expect(await modifiedOf(commute)).toBe(before)
    expect(await waitingIds()).toEqual([])
  })

  it("of a geocoder replace the gazetteer's, never the other way round", async () => {
    await fill(home, MUNICH)
    await fill(home, ROAD, true)
    await fill(home, MUNICH)
    expect(await textsOf(home)).toEqual(ROAD)
    await fill(work, ROAD, true)
    await fill(work, MUNICH)
    expect(await textsOf(work)).toEqual(ROAD)
  })

  it('do not wait for a trip that is being written with them, and are filled in after it', async () => {
    const tripId = await writeTransaction(database, async transaction => {
      await lockDevices(transaction, [car.deviceId as DeviceId])
      const [row] = await transaction.rows<{ id: number }>(sql`
        insert into trips (device_id, account_id, vehicle_id, start_time, end_time, distance_m, duration_s,
          start_address_id, modified)
        values (${car.deviceId}, ${car.accountId}, ${car.vehicleId}, ${START}, ${START}, 0, 0, ${home},
          ${await transaction.takeRevisions(1)})
        returning id`)
      const both = [home, work].map(id => ({ id, texts: MUNICH, isGeocoded: false }))
      expect(await fillAddresses(database, both)).toBe(1)
      return String(row?.id)
    })
    const before = await modifiedOf(tripId)
    expect(await waitingIds()).toEqual([home])
    await fill(home, MUNICH)
    expect(await modifiedOf(tripId)).toSatisfy((modified: string) => modified > before)
  })

  it('are written once when several nodes fill the same ones in', async () => {
    const commute = await trip({ startAddressId: home, endAddressId: work })
    const counts = await Promise.all(Array.from({ length: 6 }, () => fill(home, MUNICH)))
    expect(counts.reduce((sum, count) => sum + count)).toBe(1)
    expect(await modifiedOf(commute)).not.toBe('')
  })
})
