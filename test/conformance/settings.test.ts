import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import type { ErrorBody, EventItem, TripList, Vehicle, VehicleList } from './shapes.ts'
import { startWorld } from './world.ts'

const VINS = ['WVWZZZ1JZ3W386752', 'WVWZZZ1JZ3W386753'] as const

let device = 356307042441000
let path: string

const world = await startWorld()
const fleet = await world.client('Fleet')
afterAll(() => world.stop())

beforeEach(async () => {
  device++
  await fleet.measured(device, '2020-02-22T14:37:07Z', { GPS_SPEED: 48.5 })
  path = `/vehicles/IMEI_${device}`
})

const set = (body: unknown, method: 'PUT' | 'POST' = 'PUT') => fleet.send<ErrorBody>(method, `${path}/settings`, body)
const read = () => fleet.read<Vehicle>(path)

/** @returns the message with which the body was refused. @throws when it was accepted or changed anything. */
async function refusalOf(body: unknown): Promise<string> {
  const before = await read()
  const answer = await set(body)
  const after = await read()
  if (answer.status !== 400) throw new Error(`${answer.status} for ${JSON.stringify(body)}`)
  if (!isDeepStrictEqual(after, before))
    throw new Error(`${JSON.stringify(body)} was refused and yet changed something`)
  return answer.body.errorMessage
}

describe('PUT /vehicles/{vehicleId}/settings', () => {
  test('[C-SETTINGS-01, D-READ-33, D-READ-36] an object settings with several attributes; the reply is 200 with {}', async () => {
    const answer = await set({ settings: { numberPlate: 'KA-TC 42', alarmSystem: false } })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({})
    expect(await read()).toMatchObject({ licensePlate: 'KA-TC 42' })
  })

  test('[C-SETTINGS-02, D-ADDRESS-04] POST does the same', async () => {
    expect((await set({ settings: { numberPlate: 'P 1' } }, 'POST')).status).toBe(200)
    expect((await set({ numberPlate: 'P 2' }, 'POST')).status).toBe(200)
    expect((await read()).licensePlate).toBe('P 2')
  })

  test('[C-SETTINGS-03] vin', async () => {
    await set({ settings: { vin: 'WVWZZZ1JZ3W000001' } })
    expect(await fleet.read<Vehicle>('/vehicles/VINWVWZZZ1JZ3W000001')).toMatchObject({ vin: 'WVWZZZ1JZ3W000001' })
  })

  test('[C-SETTINGS-04] numberPlate', async () => {
    await set({ settings: { numberPlate: 'Ö-ÄÜ 1' } })
    expect((await read()).licensePlate).toBe('Ö-ÄÜ 1')
  })

  test('[C-SETTINGS-05, D-FLEET-07] alarmSystem is shown as ALARM_SYSTEM in lastEvents, whatever the dongle says', async () => {
    const alarm = async () => (await read()).lastEvents.find(({ eventType }) => eventType === 'ALARM_SYSTEM')
    expect(await alarm()).toBeUndefined()
    await set({ settings: { alarmSystem: true } })
    expect(await alarm()).toMatchObject({ deviceId: device, dataType: 'BOOLEAN', value: true })
    await fleet.measured(device, '2020-02-22T15:00:00Z', { ALARM_SYSTEM: false })
    expect(await alarm()).toMatchObject({ value: true })
    await set({ settings: { alarmSystem: false } })
    expect(await alarm()).toMatchObject({ value: false })
  })

  test('[C-SETTINGS-06, C-STATE-01, C-STATE-02] deleteTimestamp marks the vehicle as deleted, null makes it active again', async () => {
    expect((await read()).deleteTimestamp).toBeNull()
    await set({ settings: { deleteTimestamp: '2020-03-01T12:00:00+01:00' } })
    expect((await read()).deleteTimestamp).toBe('2020-03-01T11:00:00.000Z')
    await set({ settings: { deleteTimestamp: null } })
    expect((await read()).deleteTimestamp).toBeNull()
  })

  test('[C-SETTINGS-07, D-READ-33] the attributes without the wrapper', async () => {
    const answer = await set({ numberPlate: 'KA-TC 43' })
    expect([answer.status, answer.body]).toEqual([200, {}])
    expect((await read()).licensePlate).toBe('KA-TC 43')
  })

  test('[D-READ-34] an attribute that is null is unchanged, except deleteTimestamp', async () => {
    await set({ numberPlate: 'KA-TC 44', alarmSystem: true, deleteTimestamp: '2020-03-01' })
    const answer = await set({ vin: null, numberPlate: null, alarmSystem: null, deleteTimestamp: null })
    expect(answer.status).toBe(200)
    const vehicle = await read()
    expect(vehicle).toMatchObject({ licensePlate: 'KA-TC 44', vin: '', deleteTimestamp: null })
    expect(vehicle.lastEvents).toContainEqual(expect.objectContaining({ eventType: 'ALARM_SYSTEM', value: true }))
  })

  test.each<[title: string, body: unknown, named: string]>([
    ['[D-READ-35] no attribute', {}, 'vin, numberPlate, alarmSystem, deleteTimestamp'],
    ['[D-READ-35] an empty wrapper', { settings: {} }, 'vin, numberPlate, alarmSystem, deleteTimestamp'],
    ['[D-READ-35] an unknown attribute beside a known one', { numberPlate: 'X', colour: 'red' }, 'colour'],
    ['[D-READ-35] an unknown attribute in the wrapper', { settings: { numberPlate: 'X', colour: 'red' } }, 'colour'],
    [
      '[D-READ-35] an attribute beside the wrapper',
      { settings: { numberPlate: 'X' }, alarmSystem: true },
      'alarmSystem',
    ],
    ['[D-READ-35] settings is no object', { settings: 5 }, 'settings'],
    ['[D-READ-35] vin is no text', { numberPlate: 'X', vin: 17 }, 'vin'],
    ['[D-READ-35] numberPlate is no text', { alarmSystem: true, numberPlate: 17 }, 'numberPlate'],
    ['[D-READ-35] alarmSystem is no boolean', { numberPlate: 'X', alarmSystem: 'true' }, 'alarmSystem'],
    ['[D-READ-35] deleteTimestamp is no timestamp', { numberPlate: 'X', deleteTimestamp: 'soon' }, 'deleteTimestamp'],
    ['[D-READ-35] deleteTimestamp is a number', { numberPlate: 'X', deleteTimestamp: 0 }, 'deleteTimestamp'],
    ['[D-READ-35] the body is a list', [{ numberPlate: 'X' }], 'body'],
    ['[D-READ-35] the body is a text', '"numberPlate"', 'body'],
    ['[D-READ-35] the body is null', 'null', 'body'],
    ['[D-FLEET-05] vin of 16 characters', { numberPlate: 'X', vin: 'WVWZZZ1JZ3W38675' }, 'vin'],
    ['[D-FLEET-05] vin of 18 characters', { numberPlate: 'X', vin: 'WVWZZZ1JZ3W3867521' }, 'vin'],
    ['[D-FLEET-05] vin with an I', { numberPlate: 'X', vin: 'WVWZZZ1JZ3W38675I' }, 'vin'],
    ['[D-FLEET-05] vin with an O', { numberPlate: 'X', vin: 'WVWZZZ1JZ3W38675O' }, 'vin'],
    ['[D-FLEET-05] vin with a Q', { numberPlate: 'X', vin: 'WVWZZZ1JZ3W38675Q' }, 'vin'],
  ])('%s: 400 naming it, and nothing is changed', async (_title, body, named) => {
    expect(await refusalOf(body)).toContain(named)
  })

  test('[D-FLEET-06] a VIN that another vehicle of the account has: 400, nothing is changed', async () => {
    expect((await set({ vin: VINS[0] })).status).toBe(200)
    device++
    await fleet.measured(device, '2020-02-22T14:37:07Z', { GPS_SPEED: 1 })
    path = `/vehicles/IMEI_${device}`
    expect(await refusalOf({ numberPlate: 'X', vin: VINS[0] })).toContain('vin')
  })

  test('[D-FLEET-06] a VIN that a vehicle of another account has is possible, and changes nothing there', async () => {
    const other = await world.client('Other')
    const vehicle = await world.rows.vehicle(other.accountId, { deviceId: 77, vin: 'WVWZZZ1JZ3W999999' })
    expect((await set({ vin: 'WVWZZZ1JZ3W999999' })).status).toBe(200)
    expect((await other.read<Vehicle>(`/vehicles/${vehicle.publicId}`)).deviceId).toBe(77)
    expect((await fleet.read<Vehicle>(`/vehicles/${vehicle.publicId}`)).deviceId).toBe(device)
  })
})

device = 356307042442000
await fleet.measured(device, '2020-02-22T14:37:07Z', { GPS_SPEED: 48.5 })
await world.rows.trip(await world.vehicleOf(device), { start: '2020-02-22T14:37:00Z' })
await world.rows.dtc(await world.vehicleOf(device), { recorded: '2020-02-22T14:37:00Z' })
let before = await fleet.read<VehicleList>('/vehicles')
await fleet.send('PUT', `/vehicles/IMEI_${device}/settings`, { vin: VINS[1] })
device = 356307042443000

describe('the id of a vehicle, once its VIN is set', () => {
  const newId = `VIN${VINS[1]}`

  const oldId = 'IMEI_356307042442000'

  test('[D-FLEET-01, D-FLEET-02] is VIN and the VIN; the old id keeps answering by path', async () => {
    const vehicle = await fleet.read<Vehicle>(`/vehicles/${newId}`)
    expect(vehicle).toMatchObject({ id: newId, vin: VINS[1], deviceId: 356307042442000 })
    expect(await fleet.read(`/vehicles/${oldId}`)).toEqual(vehicle)
    expect((await fleet.send('PUT', `/vehicles/${oldId}/settings`, { numberPlate: 'OLD 1' })).status).toBe(200)
    expect((await fleet.read<Vehicle>(`/vehicles/${newId}`)).licensePlate).toBe('OLD 1')
  })

  test('[D-FLEET-02] the old id keeps answering as a filter', async () => {
    for (const id of [oldId, newId]) {
      expect(await fleet.read<EventItem[]>(`/events?vehicleId=${id}`)).toHaveLength(1)
      expect((await fleet.read<TripList>(`/trips?vehicleId=${id}`)).trips).toMatchObject([{ vehicleId: newId }])
      expect(await fleet.read(`/dtcs?vehicleId=${id}`)).toMatchObject({ dtcs: [{ vehicleId: newId }] })
      expect(await fleet.read<unknown[]>(`/aggregations?vehicleId=${id}&aggregationType=SUM`)).toHaveLength(2)
    }
  })

  test('[D-FLEET-03] a syncing client is sent the old id with a deleteTimestamp, and the new one', async () => {
    const { vehicles } = await fleet.read<VehicleList>(`/vehicles?filterTimestamp=${before.modifyTimestamp}`)
    const old = vehicles.find(({ id }) => id === oldId)
    expect(old?.deleteTimestamp).toEqual(expect.any(String))
    expect(vehicles.find(({ id }) => id === newId)?.deleteTimestamp).toBeNull()
    const listed = await fleet.read<VehicleList>('/vehicles')
    expect(listed.vehicles.map(({ id }) => id)).not.toContain(oldId)
  })

  test('[D-SYNC-09] a syncing client is sent its trips and codes with the new id', async () => {
    for (const name of ['trips', 'dtcs'])
      expect(await fleet.read(`/${name}?filterTimestamp=${before.modifyTimestamp}`)).toMatchObject({
        [name]: [{ vehicleId: newId }],
      })
    expect(await fleet.read(`/devices?filterTimestamp=${before.modifyTimestamp}`)).toMatchObject({
      devices: expect.arrayContaining([expect.objectContaining({ vehicleId: newId })]),
    })
  })

  test('[D-FLEET-02] is changed back by another VIN without losing any of the old ids', async () => {
    await fleet.send('PUT', `/vehicles/${newId}/settings`, { vin: 'WVWZZZ1JZ3W386754' })
    for (const id of [oldId, newId, 'VINWVWZZZ1JZ3W386754'])
      expect((await fleet.read<Vehicle>(`/vehicles/${id}`)).id).toBe('VINWVWZZZ1JZ3W386754')
    const rows = await world.service.database.rows(sql`select public_id from former_vehicle_ids order by public_id`)
    expect(rows).toEqual(expect.arrayContaining([{ public_id: oldId }, { public_id: newId }]))
  })
})
