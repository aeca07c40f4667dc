import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openTestDatabase } from '../../test/database.ts'
import { deep } from '../../test/deep.ts'
import { fleetRows } from '../../test/fleet-rows.ts'
import { rebuildDays } from '../../test/settled.ts'
import { ensureAccount } from '../access/accounts.ts'
import { type LockedDevice, lockDevices, lockSharedVehicles } from '../db/shards.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { instantOfMs } from '../db/values.ts'
import { type DeviceId } from '../model/sample.ts'
import { type MeasuredTrip, supersededTrips } from './trips/overlaps.ts'
import { retractTrips } from './trips/rows.ts'
import { touchTrips } from './trips/shared-cars.ts'

const START_MS = Date.UTC(2026, 0, 12, 20)
const MINUTE_MS = 60_000
const DONGLES = 3

let lastDevice = 0

const database = await openTestDatabase({ writerCount: DONGLES + 1 })
const accountId = (await writeTransaction(database, transaction => ensureAccount(transaction, 'Fleet'))).id

/** What a dongle does to the trip of a slot: trips of one dongle never overlap, so each has an hour for itself. */
interface Change {
  readonly slot: number
  readonly kind: 'drive' | 'open' | 'take away'
  /** Minutes within the hour, and beyond it for a trip that is the last. */
  readonly from: number
  readonly length: number
  readonly hasOdometer: boolean
  readonly fixCount: number
}

const SLOTS = 4
const anyChange: fc.Arbitrary<Change> = fc.record({
  slot: fc.integer({ min: 0, max: SLOTS - 1 }),
  kind: fc.constantFrom('drive', 'drive', 'open', 'take away'),
  from: fc.integer({ min: 0, max: 30 }),
  length: fc.integer({ min: 1, max: 30 }),
  hasOdometer: fc.boolean(),
  fixCount: fc.integer({ min: 0, max: 2 }),
})

interface KnownTrip extends MeasuredTrip {
  readonly id: number
}

/** A car with several dongles, and what each of them has measured. */
class Car {
  readonly vehicleId: number
  readonly deviceIds: readonly DeviceId[]
  readonly #trips: readonly Map<number, KnownTrip>[]

  private constructor(vehicleId: number, deviceIds: readonly DeviceId[]) {
    this.vehicleId = vehicleId
    this.deviceIds = deviceIds
    this.#trips = deviceIds.map(() => new Map())
  }

  static async make(): Promise<Car> {
    const deviceIds = Array.from({ length: DONGLES }, () => ++lastDevice as DeviceId)
    const [first, ...others] = deviceIds
    const rows = fleetRows(database)
    const { vehicleId } = await rows.vehicle(accountId, { deviceId: first ?? 0 })
    for (const deviceId of others) {
      await rows.change(
        revision => sql`insert into devices (id, modified) values (${deviceId}, ${revision}) returning id`,
      )
      await rows.change(
        () => sql`
          insert into assignments (device_id, account_id, vehicle_id)
          values (${deviceId}, ${accountId}, ${vehicleId}) returning device_id as id`,
      )
    }
    return new Car(vehicleId, deviceIds)
  }

  /** One transaction of a writer. @param knows that there are other dongles in the car */
  async change(dongle: number, change: Change, knows = true): Promise<void> {
    const trips = this.#trips[dongle]
    const deviceId = this.deviceIds[dongle]
    if (!trips || deviceId === undefined) throw new Error(`no dongle ${dongle}`)
    // Dongles are half a slot apart, so that one trip can overlap two of another dongle.
    const startMs = START_MS + (change.slot * 60 + dongle * 30 + change.from) * MINUTE_MS
    const wanted = {
      deviceId,
      startMs,
      endMs: startMs + change.length * MINUTE_MS,
      isOpen: change.kind === 'open',
      hasOdometer: change.hasOdometer,
      fixCount: change.fixCount,
    }
    const before = trips.get(change.slot)
    if (!before && change.kind === 'take away') return
    const id = await writeTransaction(database, async transaction => {
      const locked = (await lockDevices(transaction, [deviceId])).device(deviceId)
      if (knows) await lockSharedVehicles(transaction, [this.vehicleId])
      const tripId = await this.#write(locked, wanted, before?.id, change.kind)
      const touched = [wanted, ...(before ? [before] : [])].map(trip => ({
        accountId,
        vehicleId: this.vehicleId,
        timeMs: trip.startMs,
        tripId,
      }))
      touchTrips(transaction, touched)
      return tripId
    })
    if (change.kind === 'take away') trips.delete(change.slot)
    else trips.set(change.slot, { ...wanted, id })
  }

  async #write(
    locked: LockedDevice,
    trip: MeasuredTrip,
    id: number | undefined,
    kind: Change['kind'],
  ): Promise<number> {
    const { transaction } = locked
    if (id !== undefined && kind === 'take away') {
      await retractTrips(locked, [{ deviceId: locked.deviceId, id }])
      return id
    }
    const revision = await transaction.takeRevisions(1)
    const [start, end] = [instantOfMs(trip.startMs), instantOfMs(trip.endMs)]
    const meters = JSON.stringify(trip.hasOdometer ? { 85: { start: 1, end: 2 } } : {})
    const [row] = await transaction.rows<{ id: number }>(
      id === undefined
        ? sql`
            insert into trips (device_id, account_id, vehicle_id, start_time, end_time, is_open, distance_m, duration_s,
              meters, fix_count, modified)
            values (${trip.deviceId}, ${accountId}, ${this.vehicleId}, ${start}, ${end}, ${trip.isOpen}, 1000, 60,
              ${meters}, ${trip.fixCount}, ${revision}) returning id`
        : sql`
            update trips set start_time = ${start}, end_time = ${end}, is_open = ${trip.isOpen}, meters = ${meters},
              fix_count = ${trip.fixCount}, modified = ${revision} where id = ${id} returning id`,
    )
    if (!row) throw new Error('no row was written')
    return row.id
  }

  /** Which trips count in place of which others, by what was measured. */
  expected(): Map<number, number> {
    const superseded = supersededTrips(this.#trips.flatMap(trips => [...trips.values()]))
    return new Map([...superseded].map(([loser, winner]) => [loser.id, winner.id]))
  }

  async stored(): Promise<Map<number, number>> {
    const rows = await database.rows<{ id: number; by: number }>(sql`
      select id, superseded_by as by from trips where vehicle_id = ${this.vehicleId} and superseded_by is not null`)
    return new Map(rows.map(row => [row.id, row.by]))
  }
}

/** Days are what the trips say that count. */
const wrongDays = () => writeTransaction(database, transaction => rebuildDays(transaction))

describe('trips of several dongles in one car', () => {
  it('count one at a time after each transaction, whatever happens to them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: DONGLES - 1 }), anyChange), { minLength: 5, maxLength: 30 }),
        async changes => {
          const car = await Car.make()
          for (const [dongle, change] of changes) {
            await car.change(dongle, change)
            expect(await car.stored()).toEqual(car.expected())
          }
          expect(await wrongDays()).toBe(0)
        },
      ),
      { numRuns: deep(7) },
    )
  })

  it.each([
    ['know', true],
    ['do not know', false],
  ])('count one at a time when they are written at once, by writers that %s of each other', async (_, knows) => {
    const changesOfOne = fc.array(anyChange, { minLength: 3, maxLength: knows ? 25 : 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(changesOfOne, { minLength: DONGLES, maxLength: DONGLES }), async changes => {
        const car = await Car.make()
        await Promise.all(
          changes.map(async (ofDongle, dongle) => {
            for (const change of ofDongle) await car.change(dongle, change, knows)
          }),
        )
        expect(await car.stored()).toEqual(car.expected())
        expect(await wrongDays()).toBe(0)
      }),
      { numRuns: deep(knows ? 8 : 2) },
    )
  })

  it('come back unchanged, with their id, when the one that counted is none', async () => {
    const car = await Car.make()
    const drive: Change = { slot: 0, kind: 'drive', from: 0, length: 60, hasOdometer: false, fixCount: 9 }
    await car.change(0, drive)
    const read = () =>
      database.rows(sql`
        select id, distance_m, duration_s, meters, fix_count, deleted, superseded_by from trips
        where device_id = ${car.deviceIds[0]}`)
    const shown = () =>
      database.rows(sql`
        select distance_m, duration_s, meters, polyline, deleted is not null as deleted from trips_now
        where device_id = ${car.deviceIds[0]}`)
    const [before, seen] = [await read(), await shown()]
    await car.change(1, { ...drive, hasOdometer: true })
    expect(await shown()).toEqual([{ distance_m: 0, duration_s: 0, meters: {}, polyline: '', deleted: true }])
    await car.change(1, { ...drive, kind: 'take away' })
    expect(await read()).toEqual(before)
    expect(await shown()).toEqual(seen)
  })
})
