import { afterAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { ensureAddresses } from '../../src/derive/addresses/addresses.ts'
import type { VehicleRows } from '../fleet-rows.ts'
import type { Trip, Vehicle, VehicleList } from './shapes.ts'
import { type Client, REVISION, startWorld } from './world.ts'

const PATIENCE = { timeout: 100_000 }

const LISTS = ['devices', 'vehicles', 'trips', 'dtcs'] as const
type List = (typeof LISTS)[number]

interface Synced {
  readonly id: string | number
  readonly modifyTimestamp: string
}

type Reply = Readonly<Record<List, readonly Synced[]>> & { readonly modifyTimestamp: string }

const world = await startWorld()
afterAll(() => world.stop())

/** A client that syncs one list, `maxResults` objects at a time, beginning without a filter. */
class SyncClient {
  readonly known = new Map<Synced['id'], Synced>()
  filter: string | undefined
  readonly #client: Client
  readonly #list: List
  readonly #maxResults: number

  constructor(client: Client, list: List, maxResults = 1) {
    this.#client = client
    this.#list = list
    this.#maxResults = maxResults
  }

  /** Sends one request. @returns the number of objects received. */
  async ask(): Promise<number> {
    const filter = this.filter === undefined ? '' : `&filterTimestamp=${this.filter}`
    const reply = await this.#client.read<Reply>(`/${this.#list}?maxResults=${this.#maxResults}${filter}`)
    for (const object of reply[this.#list]) this.known.set(object.id, object)
    if (this.filter !== undefined && reply.modifyTimestamp < this.filter)
      throw new Error('the top-level value went back')
    this.filter = reply.modifyTimestamp
    return reply[this.#list].length
  }

  /** Repeats the request until a reply is empty. */
  async catchUp(): Promise<void> {
    while ((await this.ask()) > 0 || this.filter === undefined);
  }
}

/** What the server has, deleted objects included, by id. */
async function stateOf(client: Client, list: List): Promise<Map<Synced['id'], Synced>> {
  const reply = await client.read<Reply>(`/${list}?maxResults=10000&filterTimestamp=1970-01-01`)
  return new Map(reply[list].map(object => [object.id, object]))
}

async function carsOf(client: Client, firstDeviceId: number, count: number): Promise<VehicleRows[]> {
  const cars = []
  for (let car = 0; car < count; car++)
    cars.push(await world.rows.vehicle(client.accountId, { deviceId: firstDeviceId + car }))
  return cars
}

describe('a client that keeps asking with the modifyTimestamp of its last reply', () => {
  test('[D-SYNC-01, D-SYNC-03, D-SYNC-11] ends with exactly the state of the server: eight writers, maxResults=1, no filter at first', async () => {
    const fleet = await world.client('Writers')
    const cars = await carsOf(fleet, 1000, 8)
    for (const car of cars) {
      await world.rows.trip(car, { start: '2020-02-22T14:37:07Z' })
      await world.rows.dtc(car, { recorded: '2020-02-22T14:37:07Z' })
    }
    const writing = { isOver: false }
    const clients = LISTS.map(list => new SyncClient(fleet, list))
    const syncing = clients.map(async client => {
      while (!writing.isOver) await client.ask()
    })
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      const mine = cars.filter((_car, index) => index % 8 === writer)
      for (let round = 0; round < 2; round++)
        for (const car of mine) {
          const recorded = new Date(Date.UTC(2020, 1, 23) + round * 1000).toISOString()
          await fleet.measured(car.deviceId, recorded, { GPS_SPEED: round, IS_DONGLE_PLUGGED_IN: round % 2 === 0 })
          await fleet.send('PUT', `/vehicles/${car.publicId}/settings`, { numberPlate: `${writer}-${round}` })
          await world.rows.change(
            revision =>
              sql`update trips set distance_m = ${round}, modified = ${revision} where vehicle_id = ${car.vehicleId}`,
          )
          await world.rows.change(
            revision =>
              sql`update dtcs set deleted = ${recorded}, modified = ${revision} where vehicle_id = ${car.vehicleId}`,
          )
        }
    })
    await Promise.all(writers)
    writing.isOver = true
    await Promise.all(syncing)
    for (const [index, list] of LISTS.entries()) {
      await clients[index]?.catchUp()
      expect(clients[index]?.known).toEqual(await stateOf(fleet, list))
      expect(clients[index]?.known.size).toBe(cars.length)
    }
  })

  test('[D-SYNC-02, D-SYNC-05] misses nothing of a transaction that takes long, and is never told to skip its start', async () => {
    const fleet = await world.client('Slow')
    const [slow, quick] = (await carsOf(fleet, 2000, 2)) as [VehicleRows, VehicleRows]
    const client = new SyncClient(fleet, 'vehicles', 500)
    await client.catchUp()
    let started = ''
    let commit: () => void = () => undefined
    const isAsked = new Promise<void>(resolve => {
      commit = resolve
    })
    const transaction = writeTransaction(world.service.database, async writing => {
      const [row] = await writing.rows<{ now: string }>(sql`select now() as now`)
      started = row?.now ?? ''
      const revision = await writing.takeRevisions(1)
      await writing.rows(sql`update vehicles set make = 'Slow', modified = ${revision} where id = ${slow.vehicleId}`)
      await isAsked
    })
    await expect.poll(() => started).not.toBe('')
    await world.rows.change(
      revision => sql`update vehicles set make = 'Quick', modified = ${revision} where id = ${quick.vehicleId}`,
    )
    for (let asked = 0; asked < 5; asked++) {
      await client.ask()
      expect(String(client.filter) < started).toBe(true)
    }
    expect(client.known.get(quick.publicId)).toMatchObject({ make: 'Quick' })
    expect(client.known.get(slow.publicId)).toMatchObject({ make: '' })
    commit()
    await transaction
    await client.ask()
    expect(client.known.get(slow.publicId)).toMatchObject({ make: 'Slow' })
    expect(client.known).toEqual(await stateOf(fleet, 'vehicles'))
  })

  test.each<[title: string, list: List]>([
    ['[D-SYNC-03, D-SYNC-06] devices', 'devices'],
    ['[D-SYNC-03, D-SYNC-06] vehicles', 'vehicles'],
    ['[D-SYNC-03, D-SYNC-06] trips', 'trips'],
    ['[D-SYNC-03, D-SYNC-06] dtcs', 'dtcs'],
  ])('%s: is told to ask again for what a cut list left out', async (_title, list) => {
    const fleet = await world.client(`Cut ${list}`)
    const cars = await carsOf(fleet, 3000 + 100 * LISTS.indexOf(list), 4)
    // Changed in an order other than that of the list.
    for (const car of [cars[2], cars[0], cars[3], cars[1]] as VehicleRows[]) {
      await world.rows.trip(car, { start: `2020-02-22T0${car.deviceId % 10}:00:00Z` })
      await world.rows.dtc(car, { recorded: `2020-02-22T0${car.deviceId % 10}:00:00Z` })
      for (const table of [sql`devices`, sql`vehicles`])
        await world.rows.change(
          revision =>
            sql`update ${table} set modified = ${revision} where id = ${table.text === 'devices' ? car.deviceId : car.vehicleId}`,
        )
    }
    const whole = [...(await stateOf(fleet, list)).values()]
    for (const maxResults of [1, 2, 3]) {
      const reply = await fleet.read<Reply>(`/${list}?maxResults=${maxResults}`)
      const shown = new Set(reply[list].map(({ id }) => id))
      const leftOut = whole.filter(({ id }) => !shown.has(id)).map(({ modifyTimestamp }) => modifyTimestamp)
      expect(leftOut).toHaveLength(4 - maxResults)
      expect(leftOut.every(revision => reply.modifyTimestamp < revision)).toBe(true)
      const client = new SyncClient(fleet, list, maxResults)
      await client.catchUp()
      expect(client.known).toEqual(new Map(whole.map(object => [object.id, object])))
    }
  })
})

describe('modifyTimestamp', () => {
  test('[D-SYNC-04] is unique in its collection, though one request changes many objects', async () => {
    const fleet = await world.client('Unique')
    const events = Array.from({ length: 300 }, (_, index) => ({
      deviceId: 4000 + (index % 60),
      recordedTimestamp: new Date(Date.UTC(2020, 1, 22) + index * 1000).toISOString(),
      eventType: 'GPS_SPEED',
      value: index,
    }))
    expect((await fleet.ingest(events)).status).toBe(200)
    for (const list of ['devices', 'vehicles'] as const) {
      const revisions = [...(await stateOf(fleet, list)).values()].map(({ modifyTimestamp }) => modifyTimestamp)
      expect(revisions).toHaveLength(60)
      expect(new Set(revisions).size).toBe(60)
    }
  })

  test('[D-SYNC-07] of a list is a text always, never below the filter, and for an empty list the safe "now"', async () => {
    const nobody = await world.client('Nobody')
    for (const list of LISTS) {
      const before = new Date(Date.now() - 60_000).toISOString()
      const { modifyTimestamp } = await nobody.read<Reply>(`/${list}`)
      expect(modifyTimestamp).toMatch(REVISION)
      expect(modifyTimestamp > before).toBe(true)
      const future = await nobody.read<Reply>(`/${list}?filterTimestamp=2100-01-01T00:00:00.5Z`)
      expect(future.modifyTimestamp).toBe('2100-01-01T00:00:00.500000Z')
    }
  })

  test('[D-SYNC-08] of a vehicle changes with a new latest value, as a syncing client sees', async () => {
    const fleet = await world.client('Latest')
    await fleet.measured(5000, '2020-02-22T14:37:07Z', { GPS_SPEED: 1 })
    const { modifyTimestamp } = await fleet.read<VehicleList>('/vehicles')
    await fleet.measured(5000, '2020-02-22T14:37:06Z', { GPS_SPEED: 0 })
    expect((await fleet.read<VehicleList>(`/vehicles?filterTimestamp=${modifyTimestamp}`)).vehicles).toEqual([])
    await fleet.measured(5000, '2020-02-22T14:37:08Z', { GPS_SPEED: 2 })
    const { vehicles } = await fleet.read<VehicleList>(`/vehicles?filterTimestamp=${modifyTimestamp}`)
    expect(vehicles.map(({ id, lastEvents }: Vehicle) => [id, lastEvents[0]?.value])).toEqual([['IMEI_5000', 2]])
  })

  test('[D-SYNC-10] of trips changes with an address that is filled in later, as a syncing client sees', async () => {
    const fleet = await world.client('Places')
    const [car] = await carsOf(fleet, 6000, 1)
    const { id: tripId, modified } = await writeTransaction(world.service.database, async transaction => {
      const [addressId] = await ensureAddresses(transaction, [{ lat: 49.0135, lon: 8.4044 }])
      const [row] = await transaction.rows<{ id: number; modified: string }>(sql`
        insert into trips (device_id, account_id, vehicle_id, start_time, end_time, distance_m, duration_s,
          start_address_id, modified)
        values (${car?.deviceId}, ${fleet.accountId}, ${car?.vehicleId}, '2020-02-22T08:00:00Z', '2020-02-22T09:00:00Z',
          1000, 60, ${addressId}, ${await transaction.takeRevisions(1)})
        returning id, modified`)
      return { id: String(row?.id), modified: row?.modified ?? '' }
    })
    const client = new SyncClient(fleet, 'trips')
    await client.catchUp()
    const tripNow = () => fleet.read<Trip>(`/trips/${tripId}`)
    await expect.poll(async () => (await tripNow()).tripStartAddress?.locality, PATIENCE).toBe('Karlsruhe')
    await client.catchUp()
    expect(client.known.get(tripId)).toEqual(await tripNow())
    expect((await tripNow()).modifyTimestamp > modified).toBe(true)
  })
})
