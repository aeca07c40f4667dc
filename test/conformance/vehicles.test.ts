import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { settled } from '../settled.ts'
import type { Device, Vehicle, VehicleList } from './shapes.ts'
import { nextOf, REVISION, startWorld } from './world.ts'

const KNOWN = 356307042441013
const UNKNOWN = 356307042441021
const VIN = 'WVWZZZ1JZ3W386752'

const world = await startWorld()
const fleet = await world.client('Fleet')
await fleet.measured(KNOWN, '2020-02-22T14:37:07.797Z', {
  MILEAGE: 48211.4,
  POSITION: 'POINT(8.4037 49.0069)',
  IS_IGNITION_ON: true,
  FUEL_TYPE: 'Diesel',
})
await fleet.measured(KNOWN, '2020-02-22T14:38:00Z', { MILEAGE: 48212.1 })
await fleet.measured(UNKNOWN, '2020-02-22T14:37:07Z', { GPS_SPEED: 1 })
await world.rows.change(
  revision => sql`
    update vehicles set tecdoc_make_id = 121, tecdoc_model_id = 4711, tecdoc_vehicle_id = 17,
      model = 'Golf IV', vehicle = '1.9 TDI 74 kW', kba = '0603/419', modified = ${revision}
    where first_device_id = ${KNOWN}`,
)
await fleet.send('PUT', `/vehicles/IMEI_${KNOWN}/settings`, {
  vin: VIN,
  numberPlate: 'KA-TC 42',
  deleteTimestamp: '2020-03-01T12:00:00Z',
})
// The samples also begin a trip, which soon ends because its dongle is silent.
await settled(world.service.database)
const tripId = await world.rows.trip(await world.vehicleOf(KNOWN), { start: '2020-02-22T14:37:00Z', isOpen: true })
let vehicle = await fleet.read<Vehicle>(`/vehicles/VIN${VIN}`)
afterAll(() => world.stop())

const list = (query: string, as = fleet) => as.read<VehicleList>(`/vehicles${query}`)
const idsOf = async (query: string) => (await list(query)).vehicles.map(({ id }) => id)

describe('Vehicle', () => {
  test.each<[title: string, field: keyof Vehicle, expected: unknown]>([
    ['[C-VEHICLE-01] id is VIN and the VIN, 20 characters', 'id', 'VINWVWZZZ1JZ3W386752'],
    ['[C-VEHICLE-02] vin', 'vin', VIN],
    ['[C-VEHICLE-03] tecDocMakeId', 'tecDocMakeId', 121],
    ['[C-VEHICLE-04] tecDocModelId', 'tecDocModelId', 4711],
    ['[C-VEHICLE-05] tecDocVehicleId', 'tecDocVehicleId', 17],
    ['[C-VEHICLE-06] make', 'make', 'Volkswagen'],
    ['[C-VEHICLE-07] model', 'model', 'Golf IV'],
    ['[C-VEHICLE-08] vehicle', 'vehicle', '1.9 TDI 74 kW'],
    ['[C-VEHICLE-09] fuelType', 'fuelType', 'Diesel'],
    ['[C-VEHICLE-10] kba', 'kba', '0603/419'],
    ['[C-VEHICLE-11] licensePlate', 'licensePlate', 'KA-TC 42'],
    ['[C-VEHICLE-12] deviceId of the dongle in it', 'deviceId', KNOWN],
    ['[C-VEHICLE-16] modifyTimestamp', 'modifyTimestamp', expect.stringMatching(REVISION)],
    ['[C-VEHICLE-17] deleteTimestamp of a vehicle marked as deleted', 'deleteTimestamp', '2020-03-01T12:00:00.000Z'],
  ])('%s', (_title, field, expected) => {
    expect(vehicle[field]).toEqual(expected)
  })

  test('[C-VEHICLE-13] tripId of the current trip', () => {
    expect(vehicle.tripId).toBe(tripId)
  })

  test('[C-VEHICLE-01, D-FLEET-01] id is IMEI_ and the IMEI while the VIN is not known', async () => {
    const other = await fleet.read<Vehicle>(`/vehicles/IMEI_${UNKNOWN}`)
    expect(other).toMatchObject({ id: `IMEI_${UNKNOWN}`, vin: '', deleteTimestamp: null, tripId: '' })
  })

  test('[C-VEHICLE-14] lastEvents has the latest event of each event type, whatever order they came in', async () => {
    await fleet.measured(KNOWN, '2020-02-22T14:37:30Z', { MILEAGE: 48211.7, GPS_SPEED: 30 })
    const { lastEvents } = await fleet.read<Vehicle>(`/vehicles/VIN${VIN}`)
    expect(lastEvents.map(({ eventType, recordedTimestamp }) => [eventType, recordedTimestamp])).toEqual([
      ['FUEL_TYPE', '2020-02-22T14:37:07.797Z'],
      ['GPS_SPEED', '2020-02-22T14:37:30.000Z'],
      ['IS_IGNITION_ON', '2020-02-22T14:37:07.797Z'],
      ['MILEAGE', '2020-02-22T14:38:00.000Z'],
      ['POSITION', '2020-02-22T14:37:07.797Z'],
    ])
  })

  test('[C-VEHICLE-15, D-REPLY-16] lastEvents are events in camelCase, by event type; unit and unitId for NUMBER only', () => {
    const common = { deviceId: KNOWN, recordedTimestamp: '2020-02-22T14:37:07.797Z' }
    expect(vehicle.lastEvents).toEqual([
      { ...common, eventType: 'FUEL_TYPE', dataType: 'STRING', value: 'Diesel' },
      { ...common, eventType: 'IS_IGNITION_ON', dataType: 'BOOLEAN', value: true },
      {
        ...common,
        recordedTimestamp: '2020-02-22T14:38:00.000Z',
        eventType: 'MILEAGE',
        dataType: 'NUMBER',
        value: 48212.1,
        unit: 'km',
        unitId: 111,
      },
      { ...common, eventType: 'POSITION', dataType: 'GEO', value: 'POINT(8.4037 49.0069)' },
    ])
  })

  test('[C-VEHICLE-16, D-SYNC-08] modifyTimestamp moves with a new latest value, not with an old one', async () => {
    const before = await fleet.read<Vehicle>(`/vehicles/IMEI_${UNKNOWN}`)
    await fleet.measured(UNKNOWN, '2020-02-22T14:00:00Z', { GPS_SPEED: 50 })
    expect(await fleet.read(`/vehicles/IMEI_${UNKNOWN}`)).toEqual(before)
    await fleet.measured(UNKNOWN, '2020-02-22T14:40:00Z', { GPS_SPEED: 2 })
    const after = await fleet.read<Vehicle>(`/vehicles/IMEI_${UNKNOWN}`)
    expect(after.lastEvents).toMatchObject([{ value: 2 }])
    expect(after.modifyTimestamp > before.modifyTimestamp).toBe(true)
  })
})

describe('GET /vehicles', () => {
  test('[C-VEHICLES-05] is an object with vehicles, lastEvents included, and modifyTimestamp', async () => {
    const body = await list('')
    expect(Object.keys(body).sort()).toEqual(['modifyTimestamp', 'vehicles'])
    expect(body.modifyTimestamp).toMatch(REVISION)
    expect(body.vehicles.map(({ id }) => id)).toEqual([`IMEI_${UNKNOWN}`, `VIN${VIN}`])
    for (const item of body.vehicles) expect(await fleet.read(`/vehicles/${item.id}`)).toEqual(item)
    expect(body.vehicles.every(({ lastEvents }) => lastEvents.length > 0)).toBe(true)
  })

  test('[C-VEHICLES-01] deviceId leaves the vehicles of that device', async () => {
    expect(await idsOf(`?deviceId=${KNOWN}`)).toEqual([`VIN${VIN}`])
  })

  test('[C-VEHICLES-02] maxResults caps the list', async () => {
    const answer = await fleet.get<VehicleList>('/vehicles?maxResults=1')
    expect(answer.body.vehicles.map(({ id }) => id)).toEqual([`IMEI_${UNKNOWN}`])
    const rest = await fleet.read<VehicleList>(nextOf(answer) ?? '')
    expect(rest.vehicles.map(({ id }) => id)).toEqual([`VIN${VIN}`])
  })

  test('[C-VEHICLES-03, D-REPLY-21] fromTimestamp and toTimestamp are of modifyTimestamp, ends included', async () => {
    const [first, second] = (await list('')).vehicles.toSorted((a, b) =>
      a.modifyTimestamp < b.modifyTimestamp ? -1 : 1,
    )
    expect(await idsOf(`?fromTimestamp=${second?.modifyTimestamp}`)).toEqual([second?.id])
    expect(await idsOf(`?toTimestamp=${first?.modifyTimestamp}`)).toEqual([first?.id])
  })

  test('[C-VEHICLES-04] filterTimestamp leaves only what was modified later', async () => {
    const [first, ...others] = (await list('?filterTimestamp=1970-01-01')).vehicles
    expect((await list(`?filterTimestamp=${first?.modifyTimestamp}`)).vehicles).toEqual(others)
  })

  test('[D-REPLY-27] vehicles marked as deleted are still listed, with their deleteTimestamp', async () => {
    const { vehicles } = await list('')
    expect(vehicles.find(({ id }) => id === `VIN${VIN}`)?.deleteTimestamp).toBe('2020-03-01T12:00:00.000Z')
  })
})

describe('GET /vehicles/{vehicleId}', () => {
  test('[C-ONEVEHICLE-01] finds a vehicle by VIN and its VIN', () => {
    expect(vehicle.vin).toBe(VIN)
  })

  test('[C-ONEVEHICLE-02] finds a vehicle by IMEI_ and the IMEI when the VIN is unknown', async () => {
    expect((await fleet.read<Vehicle>(`/vehicles/IMEI_${UNKNOWN}`)).deviceId).toBe(UNKNOWN)
  })

  test('[C-ONEVEHICLE-03] accepts deviceId and filterTimestamp', async () => {
    const { id } = await fleet.read<Vehicle>(`/vehicles/VIN${VIN}?deviceId=${KNOWN}&filterTimestamp=2100-01-01`)
    expect(id).toBe(`VIN${VIN}`)
  })

  test('[C-ONEVEHICLE-04] tells the last position and mileage without a call to /events', () => {
    const valueOf = (type: string) => vehicle.lastEvents.find(({ eventType }) => eventType === type)?.value
    expect([valueOf('POSITION'), valueOf('MILEAGE')]).toEqual(['POINT(8.4037 49.0069)', 48212.1])
  })

  describe('with deviceId, of a vehicle that had two dongles', () => {
    const FIRST = 356307042441039
    const SECOND = 356307042441047

    beforeAll(async () => {
      await fleet.measured(FIRST, '2020-01-01T00:00:00Z', { GPS_SPEED: 10, MILEAGE: 1000 })
      await fleet.measured(SECOND, '2020-01-01T00:00:00Z', { GPS_SPEED: 99 })
      const { vehicleId } = await world.vehicleOf(FIRST)
      await world.rows.change(() => sql`update assignments set to_time = '2020-02-01' where device_id = ${FIRST}`)
      await world.rows.change(() => sql`update assignments set to_time = '2020-02-01' where device_id = ${SECOND}`)
      await world.rows.change(
        () => sql`
          insert into assignments (device_id, account_id, vehicle_id, from_time)
          values (${SECOND}, ${fleet.accountId}, ${vehicleId}, '2020-02-01')`,
      )
      await fleet.measured(SECOND, '2020-02-02T00:00:00Z', { GPS_SPEED: 20 })
    })

    const speedsWith = async (query: string) =>
      (await fleet.read<Vehicle>(`/vehicles/IMEI_${FIRST}${query}`)).lastEvents.map(({ eventType, value }) => [
        eventType,
        value,
      ])

    test('[D-READ-28] lastEvents are of that device in this vehicle only', async () => {
      expect(await speedsWith('')).toEqual([
        ['GPS_SPEED', 20],
        ['MILEAGE', 1000],
      ])
      expect(await speedsWith(`?deviceId=${FIRST}`)).toEqual([
        ['GPS_SPEED', 10],
        ['MILEAGE', 1000],
      ])
      expect(await speedsWith(`?deviceId=${SECOND}`)).toEqual([['GPS_SPEED', 20]])
    })

    test('[D-READ-29] a device that never was in it: 404', async () => {
      expect((await fleet.get(`/vehicles/IMEI_${FIRST}?deviceId=${KNOWN}`)).status).toBe(404)
      expect((await fleet.get(`/vehicles/IMEI_${FIRST}?deviceId=17`)).status).toBe(404)
    })

    test('[D-REPLY-06] deviceId of a vehicle without a dongle is null', async () => {
      expect((await fleet.read<Vehicle>(`/vehicles/IMEI_${SECOND}`)).deviceId).toBeNull()
    })
  })
})

describe('VIN read by a dongle', () => {
  const READER = 356307042441054
  const FIRST = 'WVWZZZ1KZAW000001'
  const SECOND = 'WBA3A5C58DF000002'

  const reads = (vin: string, ...times: readonly string[]) =>
    Promise.all(times.map(time => fleet.measured(READER, `2020-03-01T${time}Z`, { VIN: vin })))
  const drives = async (hour: string) => {
    for (const [minute, isOn] of [
      ['00', true],
      ['04', true],
      ['08', false],
    ] as const)
      await fleet.measured(READER, `2020-03-01T${hour}:${minute}:00Z`, {
        IS_IGNITION_ON: isOn,
        POSITION: `POINT(8.40 49.${minute})`,
      })
  }
  const vehicleNow = async () => (await fleet.read<Device>(`/devices/${READER}`)).vehicleId
  const eventTimes = async (vin: string) => {
    const events = await fleet.read<{ recorded_timestamp: string }[]>(`/events?vehicleId=VIN${vin}`)
    return events.map(event => event.recorded_timestamp.slice(11, 16))
  }

  test('[D-FLEET-04] is believed after two equal, well-formed readings; another VIN: the dongle moved', async () => {
    await reads(FIRST, '07:00:00')
    await reads('NOT A VIN', '07:00:30', '07:00:40')
    await drives('08')
    expect(await vehicleNow()).toBe(`IMEI_${READER}`)
    await reads(FIRST, '09:00:00')
    await expect.poll(vehicleNow).toBe(`VIN${FIRST}`)
    expect(await fleet.read<Vehicle>(`/vehicles/IMEI_${READER}`)).toMatchObject({ vin: FIRST, make: 'Volkswagen' })
    await drives('10')
    await reads(SECOND, '11:00:00', '11:00:10')
    await expect.poll(vehicleNow).toBe(`VIN${SECOND}`)
    // The boundary is the end of the last trip before its first reading.
    expect((await eventTimes(FIRST)).at(-1)).toBe('10:08')
    expect(new Set(await eventTimes(SECOND))).toEqual(new Set(['11:00']))
  })

  test("[D-FLEET-04] one reading is enough together with an operator's entry", async () => {
    const other = READER + 1
    await fleet.measured(other, '2020-03-01T07:00:00Z', { VIN })
    await fleet.send('PUT', `/vehicles/VIN${VIN}/settings`, { vin: VIN })
    const vehicleOfOther = async () => (await fleet.read<Device>(`/devices/${other}`)).vehicleId
    await expect.poll(vehicleOfOther).toBe(`VIN${VIN}`)
    expect(await fleet.read<Vehicle>(`/vehicles/IMEI_${other}`)).toMatchObject({ id: `VIN${VIN}` })
  })
})

describe('deviceId of a vehicle', () => {
  test.each([
    [
      '[D-FLEET-19] is the dongle in it whose data is newest: the replacement, whose IMEI is greater',
      356307042443010,
      356307042443028,
      'WVWZZZ1JZ3W386760',
    ],
    [
      '[D-FLEET-19] is the dongle in it whose data is newest: the replacement, whose IMEI is less',
      356307042443044,
      356307042443036,
      'WVWZZZ1JZ3W386761',
    ],
  ])('%s', async (_title, old, replacement, vin) => {
    const shown = async () => (await fleet.read<Vehicle>(`/vehicles/VIN${vin}`)).deviceId
    await fleet.measured(old, '2020-04-01T08:00:00Z', { GPS_SPEED: 0 })
    await fleet.send('PUT', `/vehicles/IMEI_${old}/settings`, { vin })
    const before = await list(`?filterTimestamp=1970-01-01`)
    await fleet.measured(replacement, '2020-04-02T08:00:00Z', { VIN: vin })
    await fleet.measured(replacement, '2020-04-02T08:01:00Z', { GPS_SPEED: 0 })
    await expect.poll(shown).toBe(replacement)
    const changed = await list(`?filterTimestamp=${before.modifyTimestamp}`)
    expect(changed.vehicles.find(({ id }) => id === `VIN${vin}`)?.deviceId).toBe(replacement)
    await fleet.measured(old, '2020-04-01T09:00:00Z', { GPS_SPEED: 0 })
    expect(await shown()).toBe(replacement)
    await fleet.measured(old, '2020-04-03T08:00:00Z', { GPS_SPEED: 0 })
    expect(await shown()).toBe(old)
  })
})
