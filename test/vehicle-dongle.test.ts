import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { writeTransaction } from '../src/db/transaction.ts'
import type { DeviceEntry } from '../src/fleet/device-entry.ts'
import { admitDevices, moveDevice } from '../src/fleet/with-consequences.ts'
import type { DeviceId, Sample } from '../src/model/sample.ts'
import { startApi, type TestClient } from './api.ts'
import { deep } from './deep.ts'
import { intakeOf } from './intake.ts'
import { sampleWith, type Values } from './sample-with.ts'
import { settleDevices } from './settled.ts'

// Which dongle a vehicle shows: the one in it whose data is newest (decisions.md, Vehicles and devices).

const VIN = 'WVWZZZ1KZAW000001'
const START_MS = Date.UTC(2026, 0, 12, 8)
const MINUTE_MS = 60_000

let client: TestClient
let accounts = 0
let lastDevice = 356307042460000

const api = await startApi()
const intake = intakeOf(api)
afterAll(async () => {
  await intake.stop()
  await api.stop()
})
beforeEach(newAccount)

async function newAccount(): Promise<void> {
  client = await api.client(`Fleet ${++accounts}`)
}

const newDeviceId = () => ++lastDevice as DeviceId

/** `minute` after the start. */
function at(deviceId: DeviceId, minute: number, values: Values): Sample {
  return sampleWith(deviceId, START_MS + minute * MINUTE_MS, values)
}

/** The VIN read twice, so that it is believed once a third sample has come. */
const readsVin = (deviceId: DeviceId, minute: number) => [0, 1].map(more => at(deviceId, minute + more, { VIN }))
const speaks = (deviceId: DeviceId, minute: number) => at(deviceId, minute, { BATTERY_VOLTAGE: 12 + minute / 1000 })

async function send(...samples: readonly Sample[]): Promise<void> {
  expect(await intake.submit({ accountId: client.accountId, samples })).toMatchObject({ kind: 'stored' })
  await settle()
}

const settle = () => settleDevices(api.database)

async function enter(entry: Partial<DeviceEntry> & { readonly deviceId: DeviceId }): Promise<void> {
  const { accountId } = client
  const outcome = await writeTransaction(api.database, transaction =>
    admitDevices(transaction, [{ accountId, ...entry }], { firstAccountId: accountId }),
  )
  expect(outcome).toMatchObject({ kind: 'entered' })
  await settle()
}

async function move(deviceId: DeviceId, name: string, minute: number): Promise<void> {
  const to = { kind: 'named', name } as const
  const atMs = START_MS + minute * MINUTE_MS
  expect(await moveDevice(api.database, { deviceId, to, accountId: undefined, atMs })).toMatchObject({ kind: 'moved' })
  await settle()
}

interface Vehicle {
  readonly id: string
  readonly deviceId: number | null
}

async function read<T>(path: string): Promise<T> {
  const response = await client.get(path)
  expect([path, response.statusCode]).toEqual([path, 200])
  return response.json<T>()
}

const shownIn = async (vehicleId: string) => (await read<Vehicle>(`/vehicles/${vehicleId}`)).deviceId

/** A client that asks for what changed, and believes nothing else. */
class SyncedVehicles {
  readonly #known = new Map<string, Vehicle>()
  #filter = '1970-01-01'

  async deviceOf(vehicleId: string): Promise<number | null | undefined> {
    const reply = await read<{ vehicles: Vehicle[]; modifyTimestamp: string }>(
      `/vehicles?filterTimestamp=${this.#filter}`,
    )
    for (const vehicle of reply.vehicles) this.#known.set(vehicle.id, vehicle)
    this.#filter = reply.modifyTimestamp
    return this.#known.get(vehicleId)?.deviceId
  }
}

describe('of two dongles in a car, it shows the one whose data is newest', () => {
  test.each([
    ['greater', false],
    ['lesser', true],
  ])('after a replacement by one with the %s IMEI', async (_which, isLesser) => {
    const [lesser, greater] = [newDeviceId(), newDeviceId()]
    const [old, replacement] = isLesser ? [greater, lesser] : [lesser, greater]
    await send(...readsVin(old, 0), speaks(old, 5))
    const synced = new SyncedVehicles()
    expect(await synced.deviceOf(`VIN${VIN}`)).toBe(old)
    await send(...readsVin(replacement, 60), speaks(replacement, 65))
    expect([await shownIn(`VIN${VIN}`), await synced.deviceOf(`VIN${VIN}`)]).toEqual([replacement, replacement])
    // What the old one had kept comes late, and says nothing about now.
    await send(speaks(old, 30))
    expect([await shownIn(`VIN${VIN}`), await synced.deviceOf(`VIN${VIN}`)]).toEqual([replacement, replacement])
    // It is put back: it still stands for the car.
    await send(speaks(old, 90))
    expect([await shownIn(`VIN${VIN}`), await synced.deviceOf(`VIN${VIN}`)]).toEqual([old, old])
  })

  test('whatever order their uploads come in, also for a client that syncs', async () => {
    const upload = fc.record({ dongle: fc.constantFrom(0, 1), minute: fc.integer({ min: 10, max: 200 }) })
    const uploads = fc.uniqueArray(upload, { minLength: 2, maxLength: 8, selector: ({ minute }) => minute })
    await fc.assert(
      fc.asyncProperty(uploads, async sent => {
        await newAccount()
        const dongles = [newDeviceId(), newDeviceId()]
        for (const [index, deviceId] of dongles.entries())
          await send(...readsVin(deviceId, 3 * index), speaks(deviceId, 3 * index + 2))
        const synced = new SyncedVehicles()
        await synced.deviceOf(`VIN${VIN}`)
        let newest: { readonly dongle: number; readonly minute: number } = { dongle: 1, minute: 5 }
        for (const next of sent) {
          const deviceId = dongles[next.dongle]
          if (deviceId !== undefined) await send(speaks(deviceId, next.minute))
          if (next.minute > newest.minute) newest = next
          const expected = dongles[newest.dongle]
          expect([await shownIn(`VIN${VIN}`), await synced.deviceOf(`VIN${VIN}`)]).toEqual([expected, expected])
        }
      }),
      { numRuns: deep(5) },
    )
  })

  test('of those in it now, and what they told in other cars does not count', async () => {
    const [stays, comes] = [newDeviceId(), newDeviceId()]
    await send(speaks(stays, 10))
    await send(speaks(comes, 20))
    await move(comes, `IMEI_${stays}`, 60)
    const synced = new SyncedVehicles()
    expect(await synced.deviceOf(`IMEI_${stays}`)).toBe(stays)
    // Measured before the move, received after it: news of its first car only.
    await send(speaks(comes, 50))
    expect([await shownIn(`IMEI_${stays}`), await synced.deviceOf(`IMEI_${stays}`)]).toEqual([stays, stays])
    await send(speaks(comes, 70))
    expect([await shownIn(`IMEI_${stays}`), await synced.deviceOf(`IMEI_${stays}`)]).toEqual([comes, comes])
    await move(comes, `IMEI_${comes}`, 80)
    expect([await shownIn(`IMEI_${stays}`), await synced.deviceOf(`IMEI_${stays}`)]).toEqual([stays, stays])
  })
})

test('a client that syncs learns of a new dongle that was entered for a car without one', async () => {
  const [old, added] = [newDeviceId(), newDeviceId()]
  await enter({ deviceId: old, vin: VIN })
  await enter({ deviceId: newDeviceId(), vin: 'WBA3A5C58DF000002' })
  await move(old, 'VINWBA3A5C58DF000002', 10)
  const synced = new SyncedVehicles()
  expect(await synced.deviceOf(`VIN${VIN}`)).toBe(null)
  await enter({ deviceId: added, vin: VIN })
  expect([await shownIn(`VIN${VIN}`), await synced.deviceOf(`VIN${VIN}`)]).toEqual([added, added])
})
