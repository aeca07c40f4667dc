import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { writeTransaction } from '../src/db/transaction.ts'
import { rebuildDevice } from '../src/derive/rebuild.ts'
import type { DeviceEntry } from '../src/fleet/device-entry.ts'
import type { MoveRequest } from '../src/fleet/record-move.ts'
import { admitDevices, moveDevice } from '../src/fleet/with-consequences.ts'
import type { Sample } from '../src/model/sample.ts'
import { startApi, type TestClient } from './api.ts'
import { IS_DEEP } from './deep.ts'
import { Dongle } from './dongle.ts'
import { intakeOf } from './intake.ts'
import { settleDevices } from './settled.ts'
import { everythingOf, type SyncedObject } from './sync-client.ts'

const A = 'WVWZZZ1KZAW000001'
const B = 'WBA3A5C58DF000002'
const START_MS = Date.UTC(2026, 0, 12, 8)
const MINUTE_MS = 60_000

let client: TestClient
let other: TestClient
let accounts = 0

const api = await startApi()
const intake = intakeOf(api, 'reject')
afterAll(async () => {
  await intake.stop()
  await api.stop()
})
beforeEach(newAccounts)

async function newAccounts(): Promise<void> {
  client = await api.client(`Fleet ${++accounts}`)
  other = await api.client(`Other ${accounts}`)
}

/** A dongle that was added. */
class AddedDongle extends Dongle {
  static async add(entry: Partial<DeviceEntry> = {}): Promise<AddedDongle> {
    const dongle = new AddedDongle(START_MS)
    const { accountId } = client
    const outcome = await writeTransaction(api.database, transaction =>
      admitDevices(transaction, [{ deviceId: dongle.id, accountId, ...entry }], { firstAccountId: accountId }),
    )
    if (outcome.kind !== 'entered') throw new Error(outcome.problems.map(({ text }) => text).join())
    return dongle
  }

  async move(to: string | MoveRequest['to'], minute: number, accountId?: number): Promise<string> {
    const outcome = await moveDevice(api.database, {
      deviceId: this.id,
      to: typeof to === 'string' ? { kind: 'named', name: to } : to,
      accountId,
      atMs: START_MS + minute * MINUTE_MS,
    })
    await settle()
    return outcome.kind === 'moved' ? outcome.publicId : outcome.kind === 'refused' ? outcome.text : outcome.kind
  }
}

const NEW = { kind: 'new', vin: undefined } as const

async function send(...samples: readonly Sample[]): Promise<void> {
  expect(await intake.submit({ accountId: undefined, samples })).toMatchObject({ kind: 'stored' })
  await settle()
}

const settle = () => settleDevices(api.database)

interface Vehicle extends SyncedObject {
  readonly id: string
  readonly deviceId: number | null
  readonly lastEvents: readonly { readonly eventType: string; readonly value: unknown }[]
}
interface Trip extends SyncedObject {
  readonly vehicleId: string
  readonly tripStartTimestamp: string
  readonly tripEndTimestamp: string
}

async function read<T>(path: string, who = client): Promise<T> {
  const response = await who.get(path)
  expect([path, response.statusCode]).toEqual([path, 200])
  return response.json<T>()
}

const minuteOf = (instant: string) => (Date.parse(instant) - START_MS) / MINUTE_MS

/** The trips of a vehicle, or of all: from which to which minute. */
async function tripsOf(vehicleId: string | undefined, who = client): Promise<string[]> {
  const query = vehicleId === undefined ? '' : `?vehicleId=${vehicleId}`
  const { trips } = await read<{ trips: Trip[] }>(`/trips${query}`, who)
  return trips.map(trip => `${minuteOf(trip.tripStartTimestamp)}-${minuteOf(trip.tripEndTimestamp)}`)
}

/** The minutes of the first and the last event of a vehicle, or of all. */
async function eventsOf(vehicleId: string | undefined, who = client): Promise<(number | undefined)[]> {
  const query = vehicleId === undefined ? '' : `&vehicleId=${vehicleId}`
  const events = await read<{ recorded_timestamp: string }[]>(`/events?maxResults=10000${query}`, who)
  const minutes = events.map(event => minuteOf(event.recorded_timestamp))
  return [minutes[0], minutes.at(-1)]
}

/** What a client sees, without ids of objects and revisions, and with the places of dongles instead of their numbers. */
async function seen(dongles: readonly Dongle[], who = client): Promise<unknown> {
  const names = new Map(dongles.map((dongle, index) => [String(dongle.id), String(index)]))
  const lists = []
  for (const name of ['vehicles', 'devices', 'trips', 'dtcs', 'aggregations']) {
    const query = name === 'aggregations' ? '?aggregationTimeSpan=DAY&bin=VEHICLE' : ''
    const response = await who.get(`/${name}${query}`)
    if (response.statusCode !== 200) throw new Error(`${name}: ${response.body}`)
    lists.push(response.json<Record<string, object[]>>()[name]?.map(item => ('id' in item ? { ...item, id: 0 } : item)))
  }
  for (const { imei } of dongles) lists.push((await who.get(`/vehicles/${imei}`)).json<Vehicle>().id ?? null)
  const ids = (await read<{ vehicles: Vehicle[] }>('/vehicles', who)).vehicles.map(({ id }) => id)
  return JSON.parse(
    JSON.stringify([lists, ids]).replaceAll(/\d{15}/g, id => names.get(id) ?? id),
    (key, item: unknown) => (key === 'modifyTimestamp' || key === 'createTimestamp' ? undefined : item),
  )
}

async function rebuildDifferences(dongles: readonly Dongle[]) {
  const differences = []
  for (const { id } of dongles) differences.push(...(await rebuildDevice(api.database, id, { isCheck: true })))
  return differences
}

describe('dongles that were put into other cars', () => {
  test('leave both histories right', async () => {
    const [first, second] = [await AddedDongle.add(), await AddedDongle.add()]
    await send(...first.drive(0, 10), first.at(12, { OBD_DTC_PERMANENT: 'P0301', BATTERY_VOLTAGE: 12 }))
    await send(...second.drive(0, 20))
    expect(await first.move(second.imei, 30)).toBe(second.imei)
    expect(await second.move(first.imei, 30)).toBe(first.imei)
    await send(...first.drive(40, 50), first.at(60, { OBD_DTC_PERMANENT: 'P0420', BATTERY_VOLTAGE: 13 }))
    await send(...second.drive(45, 55), second.at(70, { GPS_SPEED: 0 }))
    expect([await tripsOf(first.imei), await eventsOf(first.imei)]).toEqual([
      ['0-10', '45-55'],
      [0, 70],
    ])
    expect([await tripsOf(second.imei), await eventsOf(second.imei)]).toEqual([
      ['0-20', '40-50'],
      [0, 60],
    ])
    const dtcs = (id: string) => read<{ dtcs: { code: string }[] }>(`/dtcs?vehicleId=${id}&includeDeleted=true`)
    expect((await dtcs(first.imei)).dtcs.map(({ code }) => code)).toEqual(['P0301'])
    expect((await dtcs(second.imei)).dtcs.map(({ code }) => code)).toEqual(['P0420'])
    const { lastEvents, deviceId } = await read<Vehicle>(`/vehicles/${first.imei}`)
    expect(deviceId).toBe(second.id)
    expect(lastEvents.find(({ eventType }) => eventType === 'BATTERY_VOLTAGE')?.value).toBe(12)
    expect(await rebuildDifferences([first, second])).toEqual([])
  })

  test('while driving: the trip is cut there, and each car has its part', async () => {
    const [first, second] = [await AddedDongle.add(), await AddedDongle.add()]
    await send(...first.drive(0, 30), first.at(60, { GPS_SPEED: 0 }))
    expect(await tripsOf(first.imei)).toEqual(['0-30'])
    await first.move(second.imei, 20)
    expect([await tripsOf(first.imei), await tripsOf(second.imei)]).toEqual([['0-19.5'], ['20-30']])
    expect([await eventsOf(first.imei), await eventsOf(second.imei)]).toEqual([
      [0, 19.5],
      [20, 60],
    ])
    expect(await rebuildDifferences([first])).toEqual([])
    const [cut] = (await read<{ trips: Trip[] }>(`/trips?vehicleId=${first.imei}`)).trips
    expect(await read(`/trips/${cut?.id}/explain`)).toMatchObject({
      state: 'ENDED',
      closed: null,
      remarks: ['The device was put into another car, and what it measured from then on belongs to that one.'],
    })
  })

  test('over midnight: the same is stored as if that had been known before', async () => {
    const midnight = 16 * 60
    for (const minute of [-25, -5, 0, 5, 10]) {
      const [first, second] = [await AddedDongle.add(), await AddedDongle.add()]
      await send(
        ...first.drive(midnight - 50, midnight - 30),
        first.at(midnight - 20),
        ...first.drive(midnight + 10, midnight + 20),
      )
      await first.move(second.imei, midnight + minute)
      expect([minute, await rebuildDifferences([first])]).toEqual([minute, []])
    }
  })

  const uploadsOf = ([first, second]: readonly [Dongle, Dongle], vins: boolean) => {
    const [a, b] = vins ? [A, B] : []
    return [
      [...first.drive(0, 10, { vin: a }), first.at(11, { BATTERY_VOLTAGE: 14, OBD_DTC_PERMANENT: 'P0301' })],
      [...first.drive(25, 35)],
      [...first.drive(40, 50, { vin: b }), first.at(60, { FUEL_TYPE: '4', OBD_DTC_PERMANENT: '' })],
      [...second.drive(5, 15, { vin: b }), second.at(16, { FIRMWARE_VERSION: 'FMC003 03.28.03' })],
      [...second.drive(45, 55, { vin: a }), second.at(70, { BATTERY_VOLTAGE: 11 })],
      [first.at(31.25, { BATTERY_VOLTAGE: 12.5 }), second.at(29.75, { GPS_SPEED: 3 })],
    ]
  }
  type Step = 'move' | 'swap' | number
  const ORDERS: readonly (readonly Step[])[] = [
    ['move', 'swap', 0, 1, 2, 3, 4, 5],
    [0, 1, 2, 3, 4, 5, 'move', 'swap'],
    ['move', 0, 2, 'swap', 3, 4, 1, 5],
    ['swap', 'move', 5, 4, 3, 2, 1, 0],
    [3, 0, 4, 2, 1, 5, 'swap', 'move'],
  ]
  // What dongles read after they were moved may make their ids lead to other cars before the moves are known.
  const ORDERS_WITHOUT_VINS: readonly (readonly Step[])[] = [
    ...ORDERS,
    [2, 'swap', 4, 0, 'move', 3, 1, 5],
    [4, 1, 'move', 5, 0, 2, 'swap', 3],
  ]

  /** Every second one of them, and the last. */
  const some = <T>(orders: readonly T[]) =>
    IS_DEEP ? orders : orders.filter((_, i) => i % 2 === 0 || i === orders.length - 1)

  test.each([
    ['without VINs', false, some(ORDERS_WITHOUT_VINS)],
    ['with VINs that only these two read', true, some(ORDERS)],
  ])('end in the same state whatever is known first, %s', async (_what, vins, orders) => {
    const outcomes = []
    const replies = []
    for (const order of orders) {
      await newAccounts()
      const dongles = [await AddedDongle.add(), await AddedDongle.add()] as const
      const uploads = uploadsOf(dongles, vins)
      for (const step of order)
        if (step === 'move') replies.push(await dongles[0].move(dongles[1].imei, 30))
        else if (step === 'swap') replies.push(await dongles[1].move(dongles[0].imei, 30))
        else await send(...(uploads[step] ?? []))
      outcomes.push(await seen(dongles))
      expect(await rebuildDifferences(dongles)).toEqual([])
    }
    for (const reply of replies) expect(reply).toMatch(/^(IMEI|VIN)/)
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0])
  })
})

describe('a dongle that another account took over', () => {
  test('shows each account its own time, and nothing else', async () => {
    const dongle = await AddedDongle.add()
    await send(
      ...dongle.drive(0, 10, { vin: A }),
      dongle.at(12, { OBD_DTC_PERMANENT: 'P0301' }),
      ...dongle.drive(20, 30),
    )
    expect(await dongle.move(NEW, 25, other.accountId)).toBe(dongle.imei)
    await send(...dongle.drive(40, 50, { vin: A }), dongle.at(60, { OBD_DTC_PERMANENT: 'P0420' }))
    // Late ones of either side, and one that has a trip go on across the boundary.
    await send(
      dongle.at(5.25, { GPS_SPEED: 36 }),
      dongle.at(24.75, { GPS_SPEED: 36 }),
      dongle.at(25.25, { GPS_SPEED: 36 }),
    )
    expect([await tripsOf(undefined), await tripsOf(undefined, other)]).toEqual([
      ['0-10', '20-24.75'],
      ['25-30', '40-50'],
    ])
    expect([await eventsOf(undefined), await eventsOf(undefined, other)]).toEqual([
      [0, 24.75],
      [25, 60],
    ])
    const codes = async (who: TestClient) =>
      (await read<{ dtcs: { code: string }[] }>('/dtcs?includeDeleted=true', who)).dtcs.map(({ code }) => code)
    expect([await codes(client), await codes(other)]).toEqual([['P0301'], ['P0420']])
    const vehicles = async (who: TestClient) =>
      (await read<{ vehicles: Vehicle[] }>('/vehicles', who)).vehicles.map(({ id, deviceId }) => [id, deviceId])
    expect([await vehicles(client), await vehicles(other)]).toEqual([[[`VIN${A}`, null]], [[`VIN${A}`, dongle.id]]])
    expect((await client.get(`/devices/${dongle.id}`)).statusCode).toBe(404)
    expect((await other.get(`/devices/${dongle.id}`)).statusCode).toBe(200)
    for (const [who, stranger] of [
      [client, other],
      [other, client],
    ] as const)
      for (const { id } of (await read<{ trips: Trip[] }>('/trips', who)).trips) {
        expect((await stranger.get(`/trips/${id}`)).statusCode).toBe(404)
        const explained = await read<{ samples: number }>(`/trip/${id}/explain`, who)
        expect(explained).toMatchObject({ remarks: expect.not.arrayContaining([expect.stringMatching(/differ/i)]) })
      }
    expect(await rebuildDifferences([dongle])).toEqual([])
  })

  test('ends no fault code and takes no trip along that the account before has', async () => {
    const dongle = await AddedDongle.add()
    // It is driven while it changes hands.
    await send(dongle.at(-1, { OBD_DTC_PERMANENT: 'P0301' }), ...dongle.drive(0, 20).slice(0, -1))
    await dongle.move(NEW, 20, other.accountId)
    const [device] = (await read<{ devices: { tripId: string }[] }>('/devices', other)).devices
    expect(device?.tripId).toBe('')
    await send(...dongle.drive(20, 40), dongle.at(41, { OBD_DTC_PERMANENT: '' }))
    expect([await tripsOf(undefined), await tripsOf(undefined, other)]).toEqual([['0-19.5'], ['20-40']])
    expect((await read<{ dtcs: object[] }>('/dtcs')).dtcs).toMatchObject([{ code: 'P0301', deleteTimestamp: null }])
    expect((await read<{ dtcs: object[] }>('/dtcs?includeDeleted=true', other)).dtcs).toEqual([])
  })

  test.each([
    { read: 'before it left', vins: [A, undefined] },
    { read: 'after it came back', vins: [undefined, A] },
  ])('may come back to the first one, into its car whose VIN was read $read', async ({ vins: [before, after] }) => {
    const dongle = await AddedDongle.add()
    await send(...dongle.drive(0, 10, { vin: before }))
    await dongle.move(NEW, 20, other.accountId)
    await send(...dongle.drive(25, 35, { vin: B }))
    expect(await dongle.move(dongle.imei, 40, client.accountId)).toMatch(/^(VIN|IMEI_)/)
    await send(...dongle.drive(45, 55, { vin: after }))
    await send(...dongle.drive(65, 75))
    const ids = async (who: TestClient) =>
      (await read<{ vehicles: Vehicle[] }>('/vehicles', who)).vehicles.map(({ id }) => id)
    expect([await ids(client), await ids(other)]).toEqual([[`VIN${A}`], [`VIN${B}`]])
    expect(await tripsOf(`VIN${A}`)).toEqual(['0-10', '45-55', '65-75'])
    expect(await tripsOf(undefined, other)).toEqual(['25-35'])
    expect(await rebuildDifferences([dongle])).toEqual([])
  })

  test('takes from the key of each account nothing of the time in which the other one had it', async () => {
    const dongle = await AddedDongle.add()
    const known = dongle.at(10, { GPS_SPEED: 36 })
    await send(known)
    await dongle.move(NEW, 25, other.accountId)
    const sentBy = ({ accountId }: TestClient, ...samples: readonly Sample[]) => intake.submit({ accountId, samples })
    const now = dongle.at(30, { GPS_SPEED: 50 })
    const refused = { kind: 'refused', deviceIds: new Set([dongle.id]) }
    // Not even whether it knows them already.
    expect(await sentBy(other, known)).toEqual(refused)
    expect(await sentBy(other, now, dongle.at(24.999, { GPS_SPEED: 200 }))).toEqual(refused)
    expect(await sentBy(client, now)).toEqual(refused)
    expect(await sentBy(other, now, dongle.at(25, { GPS_SPEED: 50 }))).toMatchObject({ kind: 'stored', accepted: 2 })
    expect(await eventsOf(undefined)).toEqual([10, 10])
  })

  test('ends in the same state whether its data or the move came first', async () => {
    const outcomes = []
    for (const order of [
      ['move', 0, 1, 2],
      [0, 1, 2, 'move'],
      [2, 'move', 1, 0],
    ] as const) {
      await newAccounts()
      const dongle = await AddedDongle.add()
      const uploads = [
        [...dongle.drive(0, 10, { vin: A })],
        [...dongle.drive(20, 30), dongle.at(31, { OBD_DTC_PERMANENT: 'P0301' })],
        [...dongle.drive(40, 50, { vin: A }), dongle.at(60, { OBD_DTC_PERMANENT: 'P0301', BATTERY_VOLTAGE: 12 })],
      ]
      for (const step of order)
        if (step === 'move') await dongle.move(NEW, 25, other.accountId)
        else await send(...(uploads[step] ?? []))
      outcomes.push([await seen([dongle]), await seen([dongle], other)])
    }
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0])
  })
})

test('a client that syncs learns of everything that a move takes along', async () => {
  const [first, second] = [await AddedDongle.add(), await AddedDongle.add()]
  await send(...first.drive(0, 10), ...first.drive(40, 50), first.at(60, { OBD_DTC_PERMANENT: 'P0301' }))
  const path = `/trips?vehicleId=${first.imei}`
  const before = await read<{ trips: Trip[]; modifyTimestamp: string }>(path)
  expect(before.trips).toHaveLength(2)
  await first.move(second.imei, 30)
  const after = await read<{ trips: (Trip & { deleteTimestamp: string | null })[] }>(
    `${path}&filterTimestamp=${before.modifyTimestamp}`,
  )
  const known = new Map<string | number, object>(before.trips.map(trip => [trip.id, trip]))
  for (const trip of after.trips)
    if (trip.deleteTimestamp === null) known.set(trip.id, trip)
    else known.delete(trip.id)
  expect([...known.values()]).toEqual((await read<{ trips: Trip[] }>(path)).trips)
  expect((await everythingOf<Trip>(client, '/trips')).size).toBe(3)
})

describe('a VIN that is read after a move', () => {
  test('names the car that the dongle was put into', async () => {
    const [first, second] = [await AddedDongle.add(), await AddedDongle.add()]
    await first.move(second.imei, 30)
    await send(...first.drive(40, 50, { vin: A }), first.at(70, { GPS_SPEED: 0 }))
    expect((await read<Vehicle>(`/vehicles/${second.imei}`)).id).toBe(`VIN${A}`)
    expect(await tripsOf(`VIN${A}`)).toEqual(['40-50'])
  })

  test('of another known car says that it is in that one, from its reading on', async () => {
    const [first, second] = [await AddedDongle.add(), await AddedDongle.add(), await AddedDongle.add({ vin: B })]
    await first.move(second.imei, 30)
    await send(...first.drive(40, 50), ...first.drive(60, 70, { vin: B }), first.at(90, { GPS_SPEED: 0 }))
    expect([await tripsOf(second.imei), await tripsOf(`VIN${B}`)]).toEqual([['40-50'], ['60-70']])
  })

  test('does not move a dongle out of the car whose VIN an operator entered', async () => {
    const [first] = [await AddedDongle.add(), await AddedDongle.add({ vin: B })]
    await first.move(B, 30)
    await send(...first.drive(40, 50, { vin: A }), first.at(70, { GPS_SPEED: 0 }))
    expect(await tripsOf(`VIN${B}`)).toEqual(['40-50'])
  })
})

test('what stood for a dongle turns out to be a known car: who was put into it is in that car', async () => {
  const [first, second] = [await AddedDongle.add(), await AddedDongle.add()]
  await AddedDongle.add({ vin: B })
  await first.move(second.imei, 30)
  await send(...first.drive(40, 50), first.at(70, { GPS_SPEED: 0 }))
  await send(...second.drive(0, 10, { vin: B }), second.at(20, { GPS_SPEED: 0 }))
  expect(await tripsOf(`VIN${B}`)).toEqual(['0-10', '40-50'])
  expect((await read<{ vehicles: Vehicle[] }>('/vehicles')).vehicles.map(({ id }) => id)).toEqual([
    first.imei,
    `VIN${B}`,
  ])
})

describe('a move is refused', () => {
  test.each([
    [
      'of an unknown dongle',
      (dongle: AddedDongle) => Object.assign(dongle, { id: 356307042439999 }).move(NEW, 0),
      /unknown/,
    ],
    ['to nowhere', (dongle: AddedDongle) => dongle.move('IMEI_1', 0), /no vehicle IMEI_1/],
    ['into the future', (dongle: AddedDongle) => dongle.move(NEW, 1e8), /still to come/],
    ['to a new car without a name', (dongle: AddedDongle) => dongle.move(NEW, 0), /needs its VIN/],
  ])('%s', async (_what, move, message) => {
    expect(await move(await AddedDongle.add())).toMatch(message)
  })

  test('into a car of another account, and before another account took it over', async () => {
    const dongle = await AddedDongle.add()
    await dongle.move(NEW, 20, other.accountId)
    const own = await AddedDongle.add()
    expect(await dongle.move(own.imei, 30)).toMatch(/no vehicle/)
    expect(await dongle.move(NEW, 10, other.accountId)).toMatch(/only take over after/)
  })
})
