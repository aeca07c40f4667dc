import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { startApi, type TestClient } from '../../../test/api.ts'
import { untilLockIsAwaited } from '../../../test/awaited-lock.ts'
import { fleetRows, type VehicleRows } from '../../../test/fleet-rows.ts'
import { expectDocumented } from '../../../test/openapi-conformity.ts'
import { lockDevices } from '../../db/shards.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'

const VINS = ['WVWZZZ1KZAW000001', 'WVWZZZ1KZAW000002', 'WVWZZZ1KZAW000003'] as const

let client: TestClient
let nextDeviceId = 100
/** A new one for every test, without a VIN. */
let vehicle: VehicleRows

const api = await startApi()
const rows = fleetRows(api.database)
const stranger = await api.client('Other')

afterAll(() => api.stop())

beforeEach(async () => {
  client = await api.client(`Fleet ${nextDeviceId}`)
  vehicle = await rows.vehicle(client.accountId, { deviceId: nextDeviceId++ })
})

async function change(id: string, settings: unknown, method: 'PUT' | 'POST' = 'PUT', as = client) {
  const response = await as.send(method, `/vehicles/${id}/settings`, settings)
  await expectDocumented(response, method, `/vehicles/${id}/settings`)
  return { status: response.statusCode, body: response.json<{ errorMessage?: string }>() }
}

const DONE = { status: 200, body: {} }

interface Vehicle {
  readonly id: string
  readonly vin: string
  readonly licensePlate: string
  readonly modifyTimestamp: string
  readonly deleteTimestamp: string | null
  readonly lastEvents: readonly { readonly eventType: string; readonly value: unknown }[]
}

const read = async (id: string) => (await client.get(`/vehicles/${id}`)).json<Vehicle>()

describe('PUT and POST /vehicles/{vehicleId}/settings', () => {
  it.each(['PUT', 'POST'] as const)('%s takes the settings with their wrapper and bare', async method => {
    expect(await change(vehicle.publicId, { settings: { numberPlate: 'M-TC 1' } }, method)).toEqual(DONE)
    expect((await read(vehicle.publicId)).licensePlate).toBe('M-TC 1')
    expect(await change(vehicle.publicId, { numberPlate: ' M-TC 2 ' }, method)).toEqual(DONE)
    expect((await read(vehicle.publicId)).licensePlate).toBe('M-TC 2')
  })

  it('changes everything that is given at once, and nothing else', async () => {
    await change(vehicle.publicId, { numberPlate: 'M-TC 1' })
    const deleteTimestamp = '2020-02-22T14:37:07 02:00'
    expect(await change(vehicle.publicId, { vin: VINS[0].toLowerCase(), alarmSystem: false, deleteTimestamp })).toEqual(
      DONE,
    )
    expect(await read(`VIN${VINS[0]}`)).toMatchObject({
      id: `VIN${VINS[0]}`,
      vin: VINS[0],
      licensePlate: 'M-TC 1',
      deleteTimestamp: '2020-02-22T12:37:07.000Z',
      lastEvents: [expect.objectContaining({ eventType: 'ALARM_SYSTEM', value: false })],
    })
  })

  it('takes colour and group, which a vehicle shows only where they are set', async () => {
    const path = vehicle.publicId
    expect(await change(path, { color: ' white ', group: 'Munich depot' })).toEqual(DONE)
    expect((await client.get(`/vehicles/${path}`)).json()).toMatchObject({ color: 'white', group: 'Munich depot' })
    await change(path, { color: '', group: '' })
    const plain = (await client.get(`/vehicles/${path}`)).json<Record<string, string>>()
    expect(plain).not.toHaveProperty('color')
    expect(plain).not.toHaveProperty('group')
  })

  it('takes make, model and fuel type, and gives them back to VIN and dongle when they are empty', async () => {
    const told = async () => {
      const { make, model, fuelType } = (await client.get(`/vehicles/${path}`)).json<Record<string, string>>()
      return { make, model, fuelType }
    }
    let path = vehicle.publicId
    expect(await change(path, { make: ' Škoda ', model: 'Octavia', fuelType: 'Diesel' })).toEqual(DONE)
    expect(await told()).toEqual({ make: 'Škoda', model: 'Octavia', fuelType: 'Diesel' })
    await change(path, { vin: VINS[0] })
    path = `VIN${VINS[0]}`
    expect(await told()).toMatchObject({ make: 'Škoda', fuelType: 'Diesel' })
    await change(path, { make: '', fuelType: '' })
    expect(await told()).toEqual({ make: 'Volkswagen', model: 'Octavia', fuelType: '' })
  })

  it('null leaves an attribute as it is, but resets deleteTimestamp', async () => {
    await change(vehicle.publicId, { numberPlate: 'M-TC 1', alarmSystem: true, deleteTimestamp: '2020-01-01' })
    expect(await change(vehicle.publicId, { vin: null, numberPlate: null, alarmSystem: null })).toEqual(DONE)
    expect(await read(vehicle.publicId)).toMatchObject({
      licensePlate: 'M-TC 1',
      deleteTimestamp: '2020-01-01T00:00:00.000Z',
      lastEvents: [expect.objectContaining({ value: true })],
    })
    expect(await change(vehicle.publicId, { settings: { deleteTimestamp: null } })).toEqual(DONE)
    expect((await read(vehicle.publicId)).deleteTimestamp).toBeNull()
  })

  it('a change gets a new modifyTimestamp, a repetition does not', async () => {
    const settings = { numberPlate: 'M-TC 1', alarmSystem: true, deleteTimestamp: '2020-01-01', vin: VINS[0] }
    const before = await read(vehicle.publicId)
    await change(vehicle.publicId, settings)
    const after = await read(vehicle.publicId)
    expect(after.modifyTimestamp > before.modifyTimestamp).toBe(true)
    await change(vehicle.publicId, settings)
    expect(await read(vehicle.publicId)).toEqual(after)
  })

  it.each([
    [{}, 'settings'],
    [{ settings: {} }, 'settings'],
    [{ settings: 'vin' }, 'settings'],
    [{ settings: null }, 'settings'],
    [[], 'The body'],
    ['null', 'The body'],
    ['"text"', 'The body'],
    [{ colour: 'red' }, 'colour'],
    [{ settings: { numberPlate: 'X', colour: 'red' } }, 'colour'],
    [{ settings: { numberPlate: 'X' }, alarmSystem: true }, 'alarmSystem'],
    [{ numberPlate: 'X', constructor: 1 }, 'constructor'],
    [{ numberPlate: 'X', make: 7 }, 'make'],
    [{ numberPlate: 'X', model: 'x'.repeat(101) }, 'model'],
    [{ numberPlate: 'X', fuelType: '\u0007' }, 'fuelType'],
    [{ numberPlate: 'X', color: 7 }, 'color'],
    [{ numberPlate: 'X', group: 'x'.repeat(101) }, 'group'],
    [{ numberPlate: 'X', vin: 'WVWZZZ1KZAW00000' }, 'vin'],
    [{ numberPlate: 'X', vin: 'WVWZZZ1KZAW0000012' }, 'vin'],
    [{ numberPlate: 'X', vin: 'IVWZZZ1KZAW000001' }, 'vin'],
    [{ numberPlate: 'X', vin: '' }, 'vin'],
    [{ numberPlate: 'X', vin: 1 }, 'vin'],
    [{ numberPlate: 1 }, 'numberPlate'],
    [{ numberPlate: 'M\u0000' }, 'numberPlate'],
    [{ numberPlate: 'M\ud83d' }, 'numberPlate'],
    [{ numberPlate: 'M'.repeat(101) }, 'numberPlate'],
    [{ numberPlate: 'X', alarmSystem: 'true' }, 'alarmSystem'],
    [{ numberPlate: 'X', deleteTimestamp: '2020-02-30' }, 'deleteTimestamp'],
    [{ numberPlate: 'X', deleteTimestamp: '' }, 'deleteTimestamp'],
    [{ numberPlate: 'X', deleteTimestamp: 0 }, 'deleteTimestamp'],
    [{ numberPlate: 'X', deleteTimestamp: false }, 'deleteTimestamp'],
  ])('%j is refused with a message that names %s, and changes nothing', async (body, name) => {
    const before = await read(vehicle.publicId)
    const { status, body: answer } = await change(vehicle.publicId, body)
    expect(status).toBe(400)
    expect(answer).toEqual({ errorMessage: expect.stringMatching(new RegExp(`^${name} `)) })
    expect(await read(vehicle.publicId)).toEqual(before)
  })

  it('malformed JSON, wrong content type and too large are 400, 415 and 413', async () => {
    const path = `/vehicles/${vehicle.publicId}/settings`
    const send = async (body: string, type = 'application/json') => {
      const response = await client.send('PUT', path, body, { 'content-type': type })
      await expectDocumented(response, 'PUT', path)
      return [response.statusCode, response.headers['x-rate-limit'] !== undefined]
    }
    expect(await send('{"vin"')).toEqual([400, true])
    expect(await send('')).toEqual([400, true])
    expect(await send('{"__proto__": {"vin": 1}}')).toEqual([400, true])
    expect(await send('numberPlate=X', 'application/x-www-form-urlencoded')).toEqual([415, true])
    expect(await send('{"numberPlate": "X"}', 'text/plain')).toEqual([415, true])
    expect(await send(JSON.stringify({ numberPlate: 'X'.repeat(70_000) }))).toEqual([413, true])
  })

  it('is refused for a vehicle that is not there, of another account, or without the permission', async () => {
    expect((await change('VINWVWZZZ1KZAW999999', { numberPlate: 'X' })).status).toBe(404)
    expect((await change(vehicle.publicId, { numberPlate: 'X' }, 'PUT', stranger)).status).toBe(404)
    const reader = await api.client('Other', ['vehicles'])
    expect((await change(vehicle.publicId, { numberPlate: 'X' }, 'PUT', reader)).status).toBe(403)
    expect((await read(vehicle.publicId)).licensePlate).toBe('')
  })
})

describe('a new VIN', () => {
  it('gives the vehicle a new id; the old one keeps answering by path and filter', async () => {
    const former = vehicle.publicId
    const trip = await rows.trip(vehicle, { start: '2020-01-01T00:00:00Z' })
    const dtc = await rows.dtc(vehicle, { recorded: '2020-01-01T00:00:00Z' })
    await change(former, { vin: VINS[0] })
    for (const id of [former, `VIN${VINS[0]}`]) {
      expect((await read(id)).id).toBe(`VIN${VINS[0]}`)
      expect((await client.get(`/trips?vehicleId=${id}`)).json()).toMatchObject({
        trips: [{ id: trip, vehicleId: `VIN${VINS[0]}` }],
      })
      expect((await client.get(`/dtcs?vehicleId=${id}`)).json()).toMatchObject({
        dtcs: [{ id: dtc, vehicleId: `VIN${VINS[0]}` }],
      })
    }
    expect(await change(former, { numberPlate: 'by the old id' })).toEqual(DONE)
    expect((await read(`VIN${VINS[0]}`)).licensePlate).toBe('by the old id')
  })

  it('is a change of everything that shows the id, each with a revision of its own', async () => {
    const other = await rows.vehicle(client.accountId, { deviceId: nextDeviceId++ })
    for (const day of ['01', '02', '03']) {
      await rows.trip(vehicle, { start: `2020-01-${day}T00:00:00Z` })
      await rows.dtc(vehicle, { recorded: `2020-01-${day}T00:00:00Z` })
      await rows.trip(other, { start: `2020-01-${day}T00:00:00Z` })
    }
    const { modifyTimestamp: filter } = (await client.get('/vehicles')).json<Vehicle>()
    await change(vehicle.publicId, { vin: VINS[0] })
    const changed = async (name: string) => {
      const response = await client.get(`/${name}?filterTimestamp=${filter}`)
      return response.json<Record<string, { id: unknown; modifyTimestamp: string }[]>>()[name] ?? []
    }
    const lists = await Promise.all(['devices', 'trips', 'dtcs', 'vehicles'].map(changed))
    expect(lists.map(list => list.length)).toEqual([1, 3, 3, 2])
    expect(new Set(lists.flat().map(item => item.modifyTimestamp)).size).toBe(9)
    expect(lists[3]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: vehicle.publicId, deleteTimestamp: expect.any(String) }),
        expect.objectContaining({ id: `VIN${VINS[0]}`, deleteTimestamp: null }),
      ]),
    )
  })

  it('may be taken back and given to another vehicle, as after a wrong entry', async () => {
    const other = await rows.vehicle(client.accountId, { deviceId: nextDeviceId++ })
    await change(vehicle.publicId, { vin: VINS[0] })
    await change(`VIN${VINS[0]}`, { vin: VINS[1] })
    expect(await change(other.publicId, { vin: VINS[0] })).toEqual(DONE)
    expect((await read(`VIN${VINS[0]}`)).id).toBe(`VIN${VINS[0]}`)
    expect((await read(vehicle.publicId)).id).toBe(`VIN${VINS[1]}`)
    expect((await read(other.publicId)).id).toBe(`VIN${VINS[0]}`)
    await change(`VIN${VINS[1]}`, { vin: VINS[2] })
    await change(`VIN${VINS[2]}`, { vin: VINS[1] })
    const { vehicles } = (await client.get('/vehicles?filterTimestamp=1970-01-01')).json<{ vehicles: Vehicle[] }>()
    const alive = vehicles.filter(({ deleteTimestamp }) => deleteTimestamp === null).map(({ id }) => id)
    expect(alive.toSorted()).toEqual([`VIN${VINS[0]}`, `VIN${VINS[1]}`])
    expect(new Set(vehicles.map(({ id }) => id)).size).toBe(vehicles.length)
  })

  it('is refused when another vehicle of the account has it; another account may', async () => {
    const other = await rows.vehicle(client.accountId, { deviceId: nextDeviceId++, vin: VINS[0] })
    const { status, body } = await change(vehicle.publicId, { vin: VINS[0], numberPlate: 'X' })
    expect([status, body.errorMessage]).toEqual([400, expect.stringMatching(/^vin /)])
    expect(await read(vehicle.publicId)).toMatchObject({ id: vehicle.publicId, licensePlate: '' })
    const foreign = await rows.vehicle(stranger.accountId, { deviceId: nextDeviceId++ })
    expect(await change(foreign.publicId, { vin: VINS[0] }, 'PUT', stranger)).toEqual(DONE)
    expect((await read(other.publicId)).vin).toBe(VINS[0])
  })

  it('given to several vehicles at once is one vehicle’s afterwards', async () => {
    const others = await Promise.all([0, 1, 2].map(() => rows.vehicle(client.accountId, { deviceId: nextDeviceId++ })))
    const outcomes = await Promise.all([vehicle, ...others].map(({ publicId }) => change(publicId, { vin: VINS[0] })))
    expect(outcomes.map(({ status }) => String(status)).toSorted()).toEqual(['200', '400', '400', '400'])
  })

  it('waits for trips that are being derived, so that none keeps the old id unnoticed', async () => {
    let changing: Promise<unknown> | undefined
    const revision = await writeTransaction(api.database, async transaction => {
      await lockDevices(transaction, [vehicle.deviceId as DeviceId])
      const taken = await transaction.takeRevisions(1)
      changing = change(vehicle.publicId, { vin: VINS[0] })
      await untilLockIsAwaited(api.database)
      await transaction.rows(sql`
        insert into trips (device_id, account_id, vehicle_id, start_time, end_time, distance_m, duration_s, modified)
        values (${vehicle.deviceId}, ${client.accountId}, ${vehicle.vehicleId}, now(), now(), 1, 1, ${taken})`)
      return taken
    })
    await changing
    const { trips } = (await client.get('/trips')).json<{ trips: { vehicleId: string; modifyTimestamp: string }[] }>()
    expect(trips.map(trip => [trip.vehicleId, trip.modifyTimestamp > revision])).toEqual([[`VIN${VINS[0]}`, true]])
  })
})

it('settings changed at the same time all hold, also when one of them changes the id', async () => {
  for (let round = 0; round < 5; round++) {
    const { publicId } = await rows.vehicle(client.accountId, { deviceId: nextDeviceId++ })
    const vin = `WVWZZZ1KZAW00010${round}`
    const outcomes = await Promise.all([
      change(publicId, { numberPlate: `M-TC ${round}` }),
      change(publicId, { vin }),
      change(publicId, { alarmSystem: true }, 'POST'),
      change(publicId, { settings: { deleteTimestamp: '2020-01-01' } }),
    ])
    expect(outcomes).toEqual([DONE, DONE, DONE, DONE])
    expect(await read(publicId)).toMatchObject({
      id: `VIN${vin}`,
      licensePlate: `M-TC ${round}`,
      deleteTimestamp: '2020-01-01T00:00:00.000Z',
      lastEvents: [expect.objectContaining({ eventType: 'ALARM_SYSTEM', value: true })],
    })
  }
})
