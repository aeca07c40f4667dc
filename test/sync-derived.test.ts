import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { diceOf } from '../lab/simulation/chance.ts'
import { ALL_PERMISSIONS } from '../src/catalogue/permissions.ts'
import { lockDevice } from '../src/db/shards.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { fillAddresses } from '../src/derive/addresses/addresses.ts'
import { endWhatIsSilent } from '../src/derive/derive.ts'
import { importLabels, removeLabel } from '../src/derive/dtcs/labels.ts'
import type { Sample } from '../src/model/sample.ts'
import { startApi, type TestClient } from './api.ts'
import { IS_DEEP } from './deep.ts'
import { Dongle } from './dongle.ts'
import { intakeOf } from './intake.ts'
import { shuffled } from './order/uploads.ts'
import { settleDevices } from './settled.ts'
import { everythingOf, type SyncedObject, syncOneByOne } from './sync-client.ts'
import { readJson, syncedLists } from './synced-lists.ts'

const A = 'WVWZZZ1KZAW000001'
const B = 'WBA3A5C58DF000002'
const MINUTE_MS = 60_000
/** Drives end about now, so that the last ones are open. */
const LONGEST_MINUTE = 60

let client: TestClient
let accounts = 0
let startMs: number

const api = await startApi()
const intake = intakeOf(api)
afterAll(async () => {
  await intake.stop()
  await api.stop()
})
beforeEach(async () => {
  client = await api.client(`Fleet ${++accounts}`)
  startMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - LONGEST_MINUTE * MINUTE_MS
})

async function receive(...samples: readonly Sample[]): Promise<void> {
  expect(await intake.submit({ accountId: client.accountId, samples })).toMatchObject({ kind: 'stored' })
}

const settle = () => settleDevices(api.database)

async function send(...samples: readonly Sample[]): Promise<void> {
  await receive(...samples)
  await settle()
}

function fallSilent(dongle: Dongle): Promise<void> {
  return writeTransaction(api.database, async transaction => {
    await endWhatIsSilent(await lockDevice(transaction, dongle.id))
  })
}

async function fillWaitingAddresses(): Promise<void> {
  const waiting = await api.database.rows<{ id: number }>(sql`select id from addresses where found is null`)
  const texts = { en: { road: 'Main Street' }, de: { road: 'Hauptstraße' } }
  await fillAddresses(
    api.database,
    waiting.map(({ id }) => ({ id, texts, isGeocoded: false })),
  )
}

interface Trip extends SyncedObject {
  readonly id: string
  readonly vehicleId: string
  readonly deleteTimestamp: string | null
  readonly tripStartAddress: unknown
  readonly aggregations: readonly { readonly aggregationType: string }[]
}
interface Carrier extends SyncedObject {
  readonly vehicleId?: string
  readonly tripId: string
}

const read = <T>(path: string, reader = client) => readJson<T>(reader, path)
const deviceOf = (dongle: Dongle) => read<Carrier>(`/devices/${dongle.id}`)

it.each(IS_DEEP ? [1, 3] : [1])(
  'a client that asks after every transaction has missed nothing, whatever order things happen in (%i)',
  async seed => {
    const dice = diceOf(seed)
    const dongles = [new Dongle(startMs), new Dongle(startMs)] as const
    const packets = dongles.flatMap((dongle, i) => [
      dongle.underWay(0, 8, { vin: i === 0 ? A : B }),
      [dongle.off(8)],
      dongle.underWay(12, 20),
      [dongle.off(20.5)],
      dongle.underWay(24, 32, { vin: i === 0 ? B : A }),
      dongle.underWay(32, 36, { vin: A }),
      [dongle.off(36)],
      dongle.underWay(40, 50, { vin: B }),
      dongle.underWay(50, 60, { vin: A }),
      [dongle.at(7, { OBD_DTC_PERMANENT: 'P0301,P0420', FUEL_TYPE: '1', FIRMWARE_VERSION: '1.0' })],
      [dongle.at(26, { OBD_DTC_PERMANENT: 'P0301', FIRMWARE_VERSION: '1.1', BATTERY_VOLTAGE: 12.1 })],
      [dongle.at(45, { OBD_DTC_PERMANENT: '', FUEL_TYPE: '4', IS_DONGLE_PLUGGED_IN: true })],
    ])
    const expectAllUpToDate = syncedLists(
      client,
      ...dongles.map(({ id }) => `/trips?deviceId=${id}`),
      `/trips?vehicleId=VIN${A}`,
      `/dtcs?vehicleId=VIN${B}`,
    )
    let step = 0
    /** It asks for changes each time; what it then knows of a list, the suite compares every third time and at the end. */
    const expectUpToDate = (after: string) => {
      step++
      return expectAllUpToDate(after, place => IS_DEEP || (place + step) % 3 === 0)
    }
    const label = { code: 'P0301', language: 'en', label: 'Misfire', make: dice.happens(0.5) ? 'BMW' : '' } as const
    const others = [
      ['silence', () => fallSilent(dongles[dice.whole(0, 1)] ?? dongles[0])],
      ['addresses', fillWaitingAddresses],
      ['a label', () => writeTransaction(api.database, transaction => importLabels(transaction, [label]))],
      ['no label', () => writeTransaction(api.database, transaction => removeLabel(transaction, label))],
    ] as const
    for (const [i, packet] of shuffled(packets, seed).entries()) {
      await receive(...packet)
      await expectUpToDate(`packet ${i}`)
      if (dice.happens(0.5)) {
        await settle()
        await expectUpToDate(`settling after packet ${i}`)
      }
      const [name, act] = others[dice.whole(0, others.length - 1)] ?? others[0]
      await act()
      await expectUpToDate(`${name} after packet ${i}`)
    }
    await settle()
    await expectAllUpToDate('the end')
    // Otherwise nothing was tested.
    const trips = [...(await everythingOf<Trip>(client, '/trips')).values()]
    expect(trips.some(trip => trip.deleteTimestamp !== null)).toBe(true)
    expect((await everythingOf(client, '/dtcs')).size).toBeGreaterThan(0)
    expect((await deviceOf(dongles[0])).tripId).not.toBe('')
  },
)

it('a client that syncs one vehicle learns that a trip left it that now begins before the dongle came', async () => {
  const dongle = new Dongle(startMs)
  // Every four minutes only, so that a pause between them can come to light.
  const sparse = [0, 4, 8].map(minute => dongle.driving(minute, minute < 8 ? { VIN: A } : {}))
  await send(...sparse, dongle.off(10))
  await send(...dongle.underWay(20, 30, { vin: B }), dongle.off(30), dongle.at(40, {}))
  const expectUpToDate = syncedLists(client, `/trips?vehicleId=VIN${A}`, `/trips?vehicleId=VIN${B}`)
  await expectUpToDate('the move')
  const inB = [...(await everythingOf<Trip>(client, '/trips')).values()].find(trip => trip.vehicleId === `VIN${B}`)
  // The first drive ended earlier, and what seemed to be its end belongs to the second.
  await send(dongle.off(4.5), ...dongle.underWay(10, 20))
  await expectUpToDate('the out-of-order samples')
  expect((await read<Trip>(`/trips/${inB?.id}`)).deleteTimestamp).not.toBeNull()
})

describe('a trip in progress', () => {
  it('changes with every sample, and with it whoever shows its id when it begins, pauses, goes on and ends', async () => {
    const dongle = new Dongle(startMs)
    const expectUpToDate = syncedLists(client, `/trips?vehicleId=IMEI_${dongle.id}`, `/trips?deviceId=${dongle.id}`)
    const tripIds = new Set<string>()
    for (const sample of [...dongle.underWay(50, 54), dongle.off(54), ...dongle.underWay(55, 57)]) {
      await receive(sample)
      await expectUpToDate(`a sample at ${(sample.timeMs - startMs) / MINUTE_MS}`)
      tripIds.add((await deviceOf(dongle)).tripId)
    }
    expect([...tripIds]).toEqual(['', expect.stringMatching(/^[0-9]+$/)])
    const late = dongle.at(52.25, { GPS_SPEED: 36 })
    for (const [name, act] of [
      ['addresses', fillWaitingAddresses],
      ['a out-of-order sample', () => send(late)],
      ['another sample', () => receive(dongle.driving(57.25))],
      ['another VIN', () => client.send('PUT', `/vehicles/IMEI_${dongle.id}/settings`, { vin: A })],
      ['settling', settle],
      ['a last sample', () => receive(dongle.off(57.5))],
      ['some other sample', () => receive(dongle.at(60, { GPS_SPEED: 0 }))],
    ] as const) {
      await act()
      await expectUpToDate(name)
    }
    expect((await deviceOf(dongle)).tripId).toBe('')
  })

  it('without the permission `positions`, has neither addresses nor a route, nor have its explanation', async () => {
    const dongle = new Dongle(startMs)
    await send(...dongle.underWay(55, 59.5))
    await fillWaitingAddresses()
    const { tripId } = await deviceOf(dongle)
    const without = ALL_PERMISSIONS.filter(permission => permission !== 'positions')
    const blind = await api.client(`Fleet ${accounts}`, without)
    const routesOf = (trip: Trip) => trip.aggregations.filter(item => item.aggregationType === 'POLYLINE').length
    const seen = await read<Trip>(`/trips/${tripId}`)
    expect([seen.tripStartAddress, routesOf(seen)]).toEqual([expect.objectContaining({ road: 'Main Street' }), 1])
    const unseen = await read<Trip>(`/trips/${tripId}`, blind)
    expect([unseen.tripStartAddress, routesOf(unseen)]).toEqual([null, 0])
    for (const path of [`/trips/${tripId}`, `/trips?filterTimestamp=1970-01-01`, `/trips/${tripId}/explain`]) {
      expect(JSON.stringify(await read(path))).toMatch(/"lat":|"value":"/)
      expect(JSON.stringify(await read(path, blind))).not.toMatch(/"lat":|"POSITION"|"POLYLINE"/)
    }
  })

  it('is missed by nobody who reads one object at a time while it pauses and goes on', async () => {
    const dongles = Array.from({ length: 4 }, () => new Dongle(startMs))
    let isDone = false
    const drives = dongles.map(async (dongle, i) => {
      for (let minute = 40; minute < 58; minute += 1) {
        const from = minute + i / 60
        await receive(...dongle.underWay(from, from + 1).slice(0, 2))
        if ((minute + i) % 3 === 0) await receive(dongle.off(from + 0.75))
      }
    })
    const syncing = ['/trips', '/devices', '/vehicles'].map(path => syncOneByOne(client, path, () => isDone))
    try {
      await Promise.all(drives)
    } finally {
      isDone = true
    }
    for (const [i, path] of ['/trips', '/devices', '/vehicles'].entries())
      expect(await syncing[i]).toEqual(await everythingOf(client, path))
  })
})
