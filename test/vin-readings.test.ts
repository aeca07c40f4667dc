import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../src/db/sql.ts'
import { deriveDevice } from '../src/derive/derive.ts'
import type { Sample } from '../src/model/sample.ts'
import { startApi, type TestClient } from './api.ts'
import { IS_DEEP } from './deep.ts'
import { Dongle } from './dongle.ts'
import { intakeOf } from './intake.ts'
import { storeInOrder } from './sample-store.ts'
import { settleDevices } from './settled.ts'
import { everythingOf, type SyncedObject } from './sync-client.ts'

const A = 'WVWZZZ1KZAW000001'
const B = 'WBA3A5C58DF000002'
const C = 'TMBJJ7NE8E0000003'
const START_MS = Date.UTC(2026, 0, 12, 8)
const MINUTE_MS = 60_000

let client: TestClient
let accounts = 0

const api = await startApi()
const intake = intakeOf(api)
afterAll(async () => {
  await intake.stop()
  await api.stop()
})
beforeEach(async () => {
  client = await api.client(`Fleet ${++accounts}`)
})

/** Uploads samples and lets everything settle that follows from them. */
async function send(...samples: readonly Sample[]): Promise<void> {
  await receive(...samples)
  await settle()
}

async function receive(...samples: readonly Sample[]): Promise<void> {
  expect(await intake.submit({ accountId: client.accountId, samples })).toMatchObject({ kind: 'stored' })
}

const settle = () => settleDevices(api.database)

async function enterVin(vehicleId: string, vin: string): Promise<number> {
  const { statusCode } = await client.send('PUT', `/vehicles/${vehicleId}/settings`, { vin })
  await settle()
  return statusCode
}

interface Vehicle extends SyncedObject {
  readonly id: string
  readonly vin: string
  readonly make: string
  readonly fuelType: string
  readonly deviceId: number | null
  readonly deleteTimestamp: string | null
  readonly lastEvents: readonly { readonly eventType: string; readonly value: unknown }[]
}
interface Trip extends SyncedObject {
  readonly vehicleId: string
  readonly tripStartTimestamp: string
}
interface Device extends SyncedObject {
  readonly vehicleId: string
}

async function read<T>(path: string): Promise<T> {
  const response = await client.get(path)
  expect([path, response.statusCode]).toEqual([path, 200])
  return response.json<T>()
}
const vehicleOf = (id: string) => read<Vehicle>(`/vehicles/${id}`)
const vehicleIds = async () => (await read<{ vehicles: Vehicle[] }>('/vehicles')).vehicles.map(({ id }) => id)
const vehicleIdOf = async (dongle: Dongle) => (await read<Device>(`/devices/${dongle.id}`)).vehicleId
/** Trips by vehicle: the minutes at which they began. */
async function tripsOf(vehicleId: string): Promise<number[]> {
  const { trips } = await read<{ trips: Trip[] }>(`/trips?vehicleId=${vehicleId}`)
  return trips.map(trip => (Date.parse(trip.tripStartTimestamp) - START_MS) / MINUTE_MS)
}
/** The minutes of the first and the last event of a vehicle. */
async function eventsOf(vehicleId: string): Promise<(number | undefined)[]> {
  const events = await read<{ recorded_timestamp: string }[]>(`/events?vehicleId=${vehicleId}&maxResults=10000`)
  const minutes = events.map(event => (Date.parse(event.recorded_timestamp) - START_MS) / MINUTE_MS)
  return [minutes[0], minutes.at(-1)]
}
const lastValuesOf = async (vehicleId: string) =>
  Object.fromEntries((await vehicleOf(vehicleId)).lastEvents.map(({ eventType, value }) => [eventType, value]))

/** A client that syncs everything, and is asked again and again. */
class SyncedFleet {
  readonly #known = new Map<string, Map<string | number, SyncedObject>>()
  readonly #filters = new Map<string, string>()

  async sync(): Promise<void> {
    for (const name of ['vehicles', 'devices', 'trips', 'dtcs']) {
      const known = this.#known.get(name) ?? new Map<string | number, SyncedObject>()
      this.#known.set(name, known)
      const filter = this.#filters.get(name)
      const query = filter === undefined ? '' : `?filterTimestamp=${filter}`
      const reply = await read<Record<string, SyncedObject[]> & { modifyTimestamp: string }>(`/${name}${query}`)
      for (const object of reply[name] ?? []) known.set(object.id, object)
      this.#filters.set(name, reply.modifyTimestamp)
    }
  }

  get vehicles() {
    return this.#known.get('vehicles') as ReadonlyMap<string, Vehicle> | undefined
  }

  /** What it believes to be there, and what the server has, by list. */
  async compared(): Promise<{ believed: SyncedObject[]; onServer: SyncedObject[] }[]> {
    await this.sync()
    const isThere = (object: object) => !('deleteTimestamp' in object) || object.deleteTimestamp === null
    const sorted = (objects: Iterable<SyncedObject>) =>
      [...objects].filter(isThere).sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
    const lists = []
    for (const [name, known] of this.#known)
      lists.push({
        believed: sorted(known.values()),
        onServer: sorted((await everythingOf(client, `/${name}`)).values()),
      })
    return lists
  }
}

async function expectUpToDate(fleet: SyncedFleet): Promise<void> {
  for (const { believed, onServer } of await fleet.compared()) expect(believed).toEqual(onServer)
}

describe('the first VIN that a dongle reads', () => {
  test('twice names the vehicle, which keeps answering to its old id', async () => {
    const dongle = new Dongle(START_MS)
    await send(...dongle.drive(0, 10))
    expect(await vehicleIdOf(dongle)).toBe(dongle.imei)
    const synced = new SyncedFleet()
    await synced.sync()
    await send(...dongle.drive(30, 40, { vin: A }), dongle.at(60, { GPS_SPEED: 0 }))
    expect(await vehicleIdOf(dongle)).toBe(`VIN${A}`)
    expect(await vehicleIds()).toEqual([`VIN${A}`])
    expect(await vehicleOf(dongle.imei)).toMatchObject({
      id: `VIN${A}`,
      vin: A,
      make: 'Volkswagen',
      deviceId: dongle.id,
    })
    expect(await tripsOf(dongle.imei)).toEqual([0, 30])
    expect(await eventsOf(dongle.imei)).toEqual([0, 60])
    await expectUpToDate(synced)
    expect(synced.vehicles?.get(dongle.imei)?.deleteTimestamp).not.toBeNull()
  })

  test('names the vehicle before a client with a key is answered, in order and late', async () => {
    const [inOrder, late] = [new Dongle(START_MS), new Dongle(START_MS)]
    await receive(...inOrder.drive(0, 10, { vin: A }), inOrder.at(20, { GPS_SPEED: 0 }))
    expect(await vehicleIds()).toEqual([`VIN${A}`])
    await receive(late.at(60, { GPS_SPEED: 0 }))
    await receive(...late.drive(30, 40, { vin: B }))
    expect(await vehicleIds()).toEqual([`VIN${A}`, `VIN${B}`].toSorted())
  })

  test('once is not believed', async () => {
    const dongle = new Dongle(START_MS)
    await send(dongle.at(0, { VIN: A }), dongle.at(1, { GPS_SPEED: 0 }))
    expect(await vehicleIds()).toEqual([dongle.imei])
  })

  test('is taken back when late readings show that it was never read twice in a row', async () => {
    const dongle = new Dongle(START_MS)
    await send(dongle.at(0, { VIN: A }), dongle.at(10, { VIN: A }), dongle.at(20, { GPS_SPEED: 0 }))
    expect(await vehicleIds()).toEqual([`VIN${A}`])
    const synced = new SyncedFleet()
    await synced.sync()
    await send(dongle.at(5, { VIN: B }))
    expect(await vehicleIds()).toEqual([dongle.imei])
    expect(await vehicleOf(dongle.imei)).toMatchObject({ vin: '', make: '', deviceId: dongle.id })
    await expectUpToDate(synced)
  })

  test('is not believed when its second reading turns out to be another one', async () => {
    const dongle = new Dongle(START_MS)
    await send(dongle.at(0, { VIN: B }))
    await send(dongle.at(10, { VIN: B }))
    expect(await vehicleIds()).toEqual([`VIN${B}`])
    // Of two values for the same instant the greater one stays.
    await send(dongle.at(10, { VIN: A }))
    expect(await vehicleIds()).toEqual([dongle.imei])
  })

  test('a misreading between readings of the same VIN changes nothing', async () => {
    const dongle = new Dongle(START_MS)
    await send(...dongle.drive(0, 10, { vin: A }), ...dongle.drive(30, 40), dongle.at(60, { GPS_SPEED: 0 }))
    const before = await vehicleOf(`VIN${A}`)
    await send(dongle.at(61, { VIN: B }), dongle.at(62, { VIN: A }), dongle.at(63, { GPS_SPEED: 0 }))
    expect(await vehicleIds()).toEqual([before.id])
    expect(await tripsOf(before.id)).toEqual([0, 30])
  })
})

describe('a dongle that reads another VIN', () => {
  test('moved: the old vehicle keeps what was measured in it, to the instant', async () => {
    const dongle = new Dongle(START_MS)
    await send(
      dongle.at(0, { BATTERY_VOLTAGE: 14, FUEL_TYPE: '4' }),
      ...dongle.drive(0.5, 10, { vin: A }),
      dongle.at(20, { BATTERY_VOLTAGE: 12, GPS_SPEED: 7 }),
    )
    const synced = new SyncedFleet()
    await synced.sync()
    await send(...dongle.drive(40, 50, { vin: B }), dongle.at(70, { BATTERY_VOLTAGE: 11, FUEL_TYPE: 'Petrol' }))
    await send(dongle.at(80, { GPS_SPEED: 9 }))
    expect(await vehicleIds()).toEqual([`VIN${B}`, `VIN${A}`].toSorted())
    expect(await vehicleIdOf(dongle)).toBe(`VIN${B}`)
    expect((await vehicleOf(dongle.imei)).id).toBe(`VIN${A}`)
    expect([await tripsOf(`VIN${A}`), await tripsOf(`VIN${B}`)]).toEqual([[0.5], [40]])
    // The drive in A ended at minute 10; what came later was measured in B.
    expect([await eventsOf(`VIN${A}`), await eventsOf(`VIN${B}`)]).toEqual([
      [0, 10],
      [20, 80],
    ])
    expect(await lastValuesOf(`VIN${A}`)).toMatchObject({ BATTERY_VOLTAGE: 14, BATTERY_STATE: 'Loading', VIN: A })
    expect(await lastValuesOf(`VIN${A}`)).not.toHaveProperty('GPS_SPEED')
    expect(await lastValuesOf(`VIN${B}`)).toMatchObject({ BATTERY_VOLTAGE: 11, BATTERY_STATE: 'Warning', GPS_SPEED: 9 })
    expect(await vehicleOf(`VIN${A}`)).toMatchObject({ deviceId: null, fuelType: 'Diesel' })
    expect(await vehicleOf(`VIN${B}`)).toMatchObject({ deviceId: dongle.id, fuelType: 'Petrol', make: 'BMW' })
    await expectUpToDate(synced)
  })

  test('takes trips and fault codes along, and whoever syncs the old vehicle learns that they left', async () => {
    const dongle = new Dongle(START_MS)
    await send(...dongle.drive(0, 10, { vin: A }), dongle.at(20, { GPS_SPEED: 0 }))
    const lists = ['trips', 'dtcs'] as const
    const known = new Map(lists.map(list => [list, { filter: '1970-01-01', ids: new Set<string>() }]))
    /** What a client that syncs the old vehicle alone believes to be there. */
    const sync = async () => {
      for (const [list, believed] of known) {
        const path = `/${list}?vehicleId=VIN${A}&filterTimestamp=${believed.filter}&maxResults=10000`
        const reply = await read<Record<string, (Trip & { deleteTimestamp: string | null })[]>>(path)
        for (const { id, deleteTimestamp } of reply[list] ?? [])
          if (deleteTimestamp === null) believed.ids.add(String(id))
          else believed.ids.delete(String(id))
        believed.filter = String((reply as Record<string, unknown>).modifyTimestamp)
      }
      return lists.map(list => known.get(list)?.ids.size)
    }
    expect(await sync()).toEqual([1, 0])
    // Until the second reading of B is settled, its drive counts as one in A.
    const drive = [...dongle.drive(40, 50, { vin: B }), dongle.at(51, { OBD_DTC_PERMANENT: 'P0301' })]
    await storeInOrder({ database: api.database, accountId: client.accountId }, drive)
    expect(await sync()).toEqual([2, 1])
    await settle()
    expect(await sync()).toEqual([1, 0])
    expect(await tripsOf(`VIN${B}`)).toEqual([40])
    expect((await read<{ dtcs: unknown[] }>(`/dtcs?vehicleId=VIN${B}`)).dtcs).toHaveLength(1)
    // What is in progress goes on under its new id.
    await send(dongle.at(51.5, { IS_IGNITION_ON: true }), ...dongle.drive(52, 60), dongle.at(80, { GPS_SPEED: 0 }))
    expect(await tripsOf(`VIN${B}`)).toEqual([40])
    expect(await sync()).toEqual([1, 0])
  })

  test('and the first one again moved back', async () => {
    const dongle = new Dongle(START_MS)
    await send(
      ...dongle.drive(0, 10, { vin: A }),
      ...dongle.drive(40, 50, { vin: B }),
      ...dongle.drive(80, 90, { vin: A }),
    )
    await send(dongle.at(120, { GPS_SPEED: 0 }))
    expect(await vehicleIds()).toEqual([`VIN${B}`, `VIN${A}`].toSorted())
    expect([await tripsOf(`VIN${A}`), await tripsOf(`VIN${B}`)]).toEqual([[0, 80], [40]])
    expect(await vehicleIdOf(dongle)).toBe(`VIN${A}`)
    expect(await eventsOf(`VIN${B}`)).toEqual([40, 50])
  })

  test('whose earlier readings come later: each car has its own, and the old id is that of the first', async () => {
    const dongle = new Dongle(START_MS)
    await send(...dongle.drive(40, 50, { vin: B }), dongle.at(70, { GPS_SPEED: 0 }))
    const synced = new SyncedFleet()
    await synced.sync()
    expect((await vehicleOf(dongle.imei)).id).toBe(`VIN${B}`)
    await send(...dongle.drive(0, 10, { vin: A }))
    expect(await vehicleIds()).toEqual([`VIN${B}`, `VIN${A}`].toSorted())
    expect((await vehicleOf(dongle.imei)).id).toBe(`VIN${A}`)
    expect([await tripsOf(`VIN${A}`), await tripsOf(`VIN${B}`)]).toEqual([[0], [40]])
    expect(await eventsOf(`VIN${B}`)).toEqual([40, 70])
    await expectUpToDate(synced)
  })

  test('takes its fault codes and statistics along by their time', async () => {
    const dongle = new Dongle(START_MS)
    await send(
      dongle.at(0, { OBD_DTC_PERMANENT: 'P0301' }),
      ...dongle.drive(1, 10, { vin: A }),
      ...dongle.drive(40, 50, { vin: B }),
      dongle.at(70, { OBD_DTC_PERMANENT: 'P0420' }),
    )
    const codes = async (vin: string) =>
      (await read<{ dtcs: { code: string }[] }>(`/dtcs?vehicleId=VIN${vin}`)).dtcs.map(({ code }) => code)
    expect([await codes(A), await codes(B)]).toEqual([['P0301'], ['P0420']])
    const days = await api.database.rows(sql`
      select v.vin, d.trips from vehicle_days d join vehicles v on v.id = d.vehicle_id
      where v.account_id = ${client.accountId} order by v.vin`)
    expect(days).toEqual([
      { vin: B, trips: 1 },
      { vin: A, trips: 1 },
    ])
  })
})

describe('a new dongle in a car that is known', () => {
  test('joins it; the vehicle that stood for the dongle is gone, and its id leads to the car', async () => {
    const [old, replacement] = [new Dongle(START_MS), new Dongle(START_MS)]
    await send(...old.drive(0, 10, { vin: A }), old.at(30, { GPS_SPEED: 0 }))
    await send(...replacement.drive(40, 50), replacement.at(55, { OBD_DTC_PERMANENT: 'P0301' }))
    await send(replacement.at(70, { GPS_SPEED: 5 }))
    const synced = new SyncedFleet()
    await synced.sync()
    expect(await vehicleIds()).toEqual([replacement.imei, `VIN${A}`])
    await send(...replacement.drive(80, 90, { vin: A }), replacement.at(120, { GPS_SPEED: 0 }))
    expect(await vehicleIds()).toEqual([`VIN${A}`])
    expect((await vehicleOf(replacement.imei)).id).toBe(`VIN${A}`)
    expect(await tripsOf(replacement.imei)).toEqual([0, 40, 80])
    expect(await eventsOf(`VIN${A}`)).toEqual([0, 120])
    expect((await read<{ dtcs: object[] }>(`/dtcs?vehicleId=VIN${A}`)).dtcs).toHaveLength(1)
    expect(await vehicleIdOf(replacement)).toBe(`VIN${A}`)
    await expectUpToDate(synced)
    expect(synced.vehicles?.get(replacement.imei)?.deleteTimestamp).not.toBeNull()
  })

  test.each([
    ['the old', 0],
    ['the new', 1],
  ])('has what an operator set of either vehicle, also when %s dongle told the VIN first', async (_which, first) => {
    const dongles = [new Dongle(START_MS), new Dongle(START_MS)] as const
    for (const dongle of dongles) await send(dongle.at(0, { GPS_SPEED: 0 }))
    await client.send('PUT', `/vehicles/${dongles[1].imei}/settings`, { numberPlate: 'M-TC 1', alarmSystem: true })
    for (const dongle of [dongles[first], dongles[1 - first]])
      await send(...(dongle?.drive(80, 90, { vin: A }) ?? []), ...(dongle ? [dongle.at(120, { GPS_SPEED: 0 })] : []))
    expect(await vehicleIds()).toEqual([`VIN${A}`])
    expect(await vehicleOf(`VIN${A}`)).toMatchObject({ licensePlate: 'M-TC 1' })
    expect(await lastValuesOf(`VIN${A}`)).toMatchObject({ ALARM_SYSTEM: true })
  })

  test('leaves what an operator set otherwise to the vehicle that stood for the dongle', async () => {
    const [old, replacement] = [new Dongle(START_MS), new Dongle(START_MS)]
    await send(...old.drive(0, 10, { vin: A }), old.at(30, { GPS_SPEED: 0 }))
    await client.send('PUT', `/vehicles/VIN${A}/settings`, { numberPlate: 'M-TC 1' })
    await send(replacement.at(40, { GPS_SPEED: 0 }))
    await client.send('PUT', `/vehicles/${replacement.imei}/settings`, { numberPlate: 'M-TC 2' })
    await send(...replacement.drive(80, 90, { vin: A }), replacement.at(120, { GPS_SPEED: 0 }))
    expect(await vehicleIds()).toEqual([replacement.imei, `VIN${A}`])
    expect(await vehicleOf(replacement.imei)).toMatchObject({ licensePlate: 'M-TC 2', deviceId: null, lastEvents: [] })
    expect(await vehicleOf(`VIN${A}`)).toMatchObject({ licensePlate: 'M-TC 1' })
    expect(await vehicleIdOf(replacement)).toBe(`VIN${A}`)
  })

  test('of another account is another car', async () => {
    const [ours, theirs] = [new Dongle(START_MS), new Dongle(START_MS)]
    await send(...ours.drive(0, 10, { vin: A }), ours.at(30, { GPS_SPEED: 0 }))
    const other = client
    client = await api.client(`Fleet ${++accounts}`)
    await send(...theirs.drive(0, 10, { vin: A }), theirs.at(30, { GPS_SPEED: 0 }))
    expect((await vehicleOf(`VIN${A}`)).deviceId).toBe(theirs.id)
    client = other
    expect((await vehicleOf(`VIN${A}`)).deviceId).toBe(ours.id)
  })
})

describe('several at once', () => {
  test('dongles that read one VIN at the same time are in one car, whichever node settles them', async () => {
    const dongles = Array.from({ length: 4 }, () => new Dongle(START_MS))
    for (const dongle of dongles) await receive(...dongle.drive(0, 10, { vin: A }), dongle.at(30, { GPS_SPEED: 0 }))
    await Promise.all(dongles.map(({ id }) => deriveDevice(api.database, id)))
    expect(await vehicleIds()).toEqual([`VIN${A}`])
    // All tell of one drive.
    expect(await tripsOf(`VIN${A}`)).toEqual([0])
    for (const dongle of dongles) expect((await vehicleOf(dongle.imei)).id).toBe(`VIN${A}`)
  })

  test('an operator who enters a VIN while dongles read it has it in one vehicle', async () => {
    const [first, second] = [new Dongle(START_MS), new Dongle(START_MS)]
    for (const dongle of [first, second]) await receive(dongle.at(0, { VIN: A }), dongle.at(1, { VIN: A }))
    for (const dongle of [first, second]) await receive(dongle.at(30, { GPS_SPEED: 0 }))
    const outcomes = await Promise.all([
      client.send('PUT', `/vehicles/${first.imei}/settings`, { vin: A }),
      client.send('PUT', `/vehicles/${second.imei}/settings`, { vin: A }),
      deriveDevice(api.database, first.id),
      deriveDevice(api.database, second.id),
    ])
    await settle()
    expect([200, 400, 404]).toContain(outcomes[0].statusCode)
    expect(await vehicleIds()).toContain(`VIN${A}`)
    expect([await vehicleIdOf(first), await vehicleIdOf(second)]).toEqual([`VIN${A}`, `VIN${A}`])
  })
})

describe('the entry of an operator', () => {
  test('makes one reading enough, also one that came before it', async () => {
    const [first, second] = [new Dongle(START_MS), new Dongle(START_MS)]
    await send(first.at(0, { GPS_SPEED: 0 }))
    await send(second.at(0, { VIN: A }), second.at(1, { GPS_SPEED: 0 }))
    expect(await enterVin(first.imei, A)).toBe(200)
    expect(await vehicleIds()).toEqual([`VIN${A}`])
    expect(await vehicleIdOf(second)).toBe(`VIN${A}`)
    expect((await vehicleOf(second.imei)).id).toBe(`VIN${A}`)
  })

  test('of the VIN that a dongle read is no change to see, and wins from then on', async () => {
    const dongle = new Dongle(START_MS)
    await send(...dongle.drive(0, 10, { vin: A }), dongle.at(30, { GPS_SPEED: 0 }))
    const before = await vehicleOf(`VIN${A}`)
    expect(await enterVin(`VIN${A}`, A)).toBe(200)
    expect(await vehicleOf(`VIN${A}`)).toEqual(before)
    // Late readings that would have taken the VIN back.
    await send(dongle.at(0.25, { VIN: B }))
    expect(await vehicleIds()).toEqual([`VIN${A}`])
  })

  const nothing = async () => undefined
  test.each([
    ['before', (imei: string) => enterVin(imei, C), nothing],
    ['after', nothing, (imei: string) => enterVin(imei, C)],
  ] as const)('%s the first reading wins over it; a later car is another one', async (_when, before, after) => {
    const dongle = new Dongle(START_MS)
    await send(dongle.at(0, { GPS_SPEED: 0 }))
    await before(dongle.imei)
    await send(...dongle.drive(10, 20, { vin: A }), dongle.at(30, { GPS_SPEED: 0 }))
    await after(dongle.imei)
    expect(await vehicleIds()).toEqual([`VIN${C}`])
    await send(
      ...dongle.drive(40, 50, { vin: B }),
      ...dongle.drive(80, 90, { vin: A }),
      dongle.at(120, { GPS_SPEED: 0 }),
    )
    expect(await vehicleIds()).toEqual([`VIN${B}`, `VIN${C}`].toSorted())
    expect([await tripsOf(`VIN${C}`), await tripsOf(`VIN${B}`)]).toEqual([[10, 80], [40]])
    expect(await vehicleOf(`VIN${C}`)).toMatchObject({ make: 'Škoda', deviceId: dongle.id })
  })

  test('does not stand for a VIN that was taken back for a while', async () => {
    const [first, second] = [new Dongle(START_MS), new Dongle(START_MS)]
    for (const dongle of [first, second]) await send(dongle.at(0, { GPS_SPEED: 0 }))
    await enterVin(first.imei, C)
    await send(second.at(500, { VIN: C }), second.at(600, { GPS_SPEED: 0 }))
    await send(second.at(100, { VIN: B }), second.at(300, { VIN: B }))
    await send(second.at(200, { VIN: C }))
    expect(await vehicleIds()).toEqual([`VIN${C}`])
    await send(second.at(110, { VIN: B }))
    expect(await vehicleIds()).toEqual([`VIN${C}`, `VIN${B}`].toSorted())
    expect(await eventsOf(`VIN${B}`)).toEqual([0, 110])
  })

  test('of a VIN that another vehicle has is refused, also when a dongle read it', async () => {
    const [first, second] = [new Dongle(START_MS), new Dongle(START_MS)]
    await send(...first.drive(0, 10, { vin: A }), first.at(30, { GPS_SPEED: 0 }))
    await send(second.at(0, { GPS_SPEED: 0 }))
    expect(await enterVin(second.imei, A)).toBe(400)
    expect(await vehicleIds()).toEqual([second.imei, `VIN${A}`])
  })
})

/** What a client sees, without ids of objects and revisions, and with the places of dongles instead of their numbers. */
async function seen(dongles: readonly Dongle[]) {
  const names = new Map(dongles.map((dongle, index) => [String(dongle.id), String(index)]))
  const plain = (value: unknown) =>
    JSON.parse(
      JSON.stringify(value).replaceAll(/\d{15}/g, id => names.get(id) ?? id),
      (key, item: unknown) => (key === 'modifyTimestamp' || key === 'createTimestamp' ? undefined : item),
    ) as unknown
  const lists = []
  for (const name of ['vehicles', 'devices', 'trips', 'dtcs'])
    lists.push((await read<Record<string, object[]>>(`/${name}`))[name]?.map(item => ({ ...item, id: 0 })))
  const former = []
  for (const { imei } of dongles) former.push((await vehicleOf(imei)).id)
  const ids = (await vehicleIds()).map(id => id.replaceAll(/\d{15}/g, imei => names.get(imei) ?? imei))
  return { lists: plain(lists), former: plain(former), ids: ids.toSorted() }
}

test('whatever order uploads come in, vehicles, assignments and everything that follows are the same', async () => {
  const uploadsOf = ([first, second]: readonly [Dongle, Dongle]) => [
    [...first.drive(0, 10, { vin: A }), first.at(11, { FIRMWARE_VERSION: 'FMC003 03.28.03', BATTERY_VOLTAGE: 14 })],
    [...first.drive(40, 50, { vin: B }), first.at(52, { OBD_DTC_PERMANENT: 'P0301', IS_DONGLE_PLUGGED_IN: false })],
    [...first.drive(80, 90, { vin: A }), first.at(91, { BATTERY_VOLTAGE: 11, FUEL_TYPE: '4' })],
    [first.at(45, { VIN: C })],
    [first.at(200, { GPS_SPEED: 0 })],
    [...second.drive(5, 15, { vin: B }), second.at(20, { FUEL_TYPE: '1' })],
    [...second.drive(60, 70, { vin: C }), second.at(200, { GPS_SPEED: 0, FIRMWARE_VERSION: '1.0.4' })],
  ]
  const orders = [
    [0, 1, 2, 3, 4, 5, 6],
    [6, 5, 4, 3, 2, 1, 0],
    [4, 6, 1, 2, 5, 0, 3],
    [3, 2, 6, 4, 0, 5, 1],
    [5, 3, 1, 6, 0, 4, 2],
  ]
  const outcomes = []
  for (const order of IS_DEEP ? orders : orders.slice(0, 3)) {
    client = await api.client(`Fleet ${++accounts}`)
    const dongles = [new Dongle(START_MS), new Dongle(START_MS)] as const
    const uploads = uploadsOf(dongles)
    const synced = new SyncedFleet()
    for (const index of order) {
      await send(...(uploads[index] ?? []))
      await synced.sync()
    }
    await expectUpToDate(synced)
    outcomes.push(await seen(dongles))
  }
  expect(outcomes[0]?.ids).toEqual([`VIN${A}`, `VIN${B}`, `VIN${C}`].toSorted())
  for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0])
})
