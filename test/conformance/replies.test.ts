import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Device, DeviceList, DtcList, EventItem, Trip, TripList, Vehicle, VehicleList } from './shapes.ts'
import { type Client, INSTANT, nextOf, REVISION, startWorld, type World } from './world.ts'

const DEVICES = [356307042441013, 17, 4711] as const
const DEVICE = DEVICES[0]

let world: World
let fleet: Client
let trip: string

beforeAll(async () => {
  world = await startWorld()
  fleet = await world.client('Fleet')
  for (const deviceId of DEVICES)
    await fleet.measured(deviceId, '2020-02-22T14:37:07.1Z', { GPS_SPEED: 1, IS_MOVING: true })
  const vehicle = await world.vehicleOf(DEVICE)
  const startAddressId = await world.rows.address({ lat: 49, lon: 8.4 })
  trip = await world.rows.trip(vehicle, { start: '2020-02-22T14:37:07Z', startAddressId })
  await world.rows.dtc(vehicle, { recorded: '2020-02-22T14:37:07Z' })
  await fleet.send('PUT', `/vehicles/IMEI_${DEVICE}/settings`, { deleteTimestamp: '2020-03-01' })
})
afterAll(() => world.stop())

/** All timestamps of a reply, with the names of their fields. */
function timestampsIn(value: unknown, field = ''): [field: string, text: string][] {
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT/.test(value) ? [[field, value]] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => timestampsIn(item, Array.isArray(value) ? field : name))
}

describe('timestamps out', () => {
  test('[D-REPLY-01, C-CONVENTION-04] UTC with Z: modifyTimestamp six fraction digits, all others three', async () => {
    const paths = [
      '/devices',
      '/vehicles',
      '/trips',
      '/dtcs',
      '/events',
      '/aggregations',
      `/devices/${DEVICE}`,
      `/vehicles/IMEI_${DEVICE}`,
      `/trip/${trip}`,
    ]
    const fields = new Set<string>()
    for (const path of paths)
      for (const [field, text] of timestampsIn(await fleet.read(path))) {
        fields.add(field)
        expect([path, field, text]).toEqual([
          path,
          field,
          expect.stringMatching(field === 'modifyTimestamp' ? REVISION : INSTANT),
        ])
      }
    expect([...fields].sort()).toEqual([
      'bin',
      'deleteTimestamp',
      'modifyTimestamp',
      'recordedTimestamp',
      'recorded_timestamp',
      'tripEndTimestamp',
      'tripStartTimestamp',
    ])
  })
})

describe('absent values', () => {
  test('[D-REPLY-03] every field that the document lists for an object is present', async () => {
    const [device] = (await fleet.read<DeviceList>('/devices')).devices
    const [vehicle] = (await fleet.read<VehicleList>('/vehicles')).vehicles
    const [first] = (await fleet.read<TripList>('/trips')).trips
    const [dtc] = (await fleet.read<DtcList>('/dtcs')).dtcs
    const [row] = await fleet.read<object[]>('/aggregations')
    const [event] = await fleet.read<object[]>('/events')
    const keys = (object: object | null | undefined) =>
      Object.keys(object ?? {})
        .sort()
        .join(' ')
    expect(keys(device)).toBe(
      'firmwareVersion hardwareType hardwareVersion id isOnline isPluggedIn manufacturer modifyTimestamp tripId vehicleId',
    )
    expect(keys(vehicle)).toBe(
      'deleteTimestamp deviceId fuelType id kba lastEvents licensePlate make model modifyTimestamp tecDocMakeId tecDocModelId tecDocVehicleId tripId vehicle vin',
    )
    expect(keys(first)).toBe(
      'aggregations deleteTimestamp deviceId distance duration id modifyTimestamp tripEndAddress tripEndTimestamp tripStartAddress tripStartTimestamp vehicleId',
    )
    expect(keys(first?.tripStartAddress)).toBe('country houseNumber id lat locality lon postcode road state suburb')
    expect(keys(dtc)).toBe(
      'code deleteTimestamp deviceId dtcType ecuType ecuTypeId encoded encoding id label modifyTimestamp recordedTimestamp vehicleId',
    )
    expect(keys(row)).toBe('aggregationType bin dataType eventType unit unitId value vehicleId')
    expect(keys(event)).toBe('data_type device_id event_type recorded_timestamp unit unit_id value')
    expect(vehicle?.lastEvents.map(keys)).toEqual([
      'dataType deviceId eventType recordedTimestamp unit unitId value',
      'dataType deviceId eventType recordedTimestamp value',
    ])
  })

  test('[D-REPLY-04] unknown text is empty, tripId too', async () => {
    expect(await fleet.read<Device>('/devices/17')).toMatchObject({
      manufacturer: '',
      hardwareType: '',
      hardwareVersion: '',
      firmwareVersion: '',
      tripId: '',
    })
    expect(await fleet.read<Vehicle>('/vehicles/IMEI_17')).toMatchObject({
      vin: '',
      make: '',
      model: '',
      vehicle: '',
      fuelType: '',
      kba: '',
      licensePlate: '',
      tripId: '',
    })
  })

  test('[D-REPLY-05] tecDocMakeId, tecDocModelId and tecDocVehicleId are 0', async () => {
    const none = { tecDocMakeId: 0, tecDocModelId: 0, tecDocVehicleId: 0 }
    expect(await fleet.read<Vehicle>('/vehicles/IMEI_17')).toMatchObject(none)
  })
})

describe('order', () => {
  test('[D-REPLY-12] devices by id, as numbers; vehicles by id, as texts', async () => {
    const { devices } = await fleet.read<DeviceList>('/devices')
    expect(devices.map(({ id }) => id)).toEqual([17, 4711, 356307042441013])
    const { vehicles } = await fleet.read<VehicleList>('/vehicles')
    expect(vehicles.map(({ id }) => id)).toEqual(['IMEI_17', 'IMEI_356307042441013', 'IMEI_4711'])
  })

  test.each<[title: string, list: 'devices' | 'vehicles' | 'trips' | 'dtcs']>([
    ['[D-REPLY-15] devices', 'devices'],
    ['[D-REPLY-15] vehicles', 'vehicles'],
    ['[D-REPLY-15] trips', 'trips'],
    ['[D-REPLY-15] dtcs', 'dtcs'],
  ])('%s with filterTimestamp are ordered by modifyTimestamp', async (_title, list) => {
    for (const deviceId of [4711, 17]) {
      const vehicle = await world.vehicleOf(deviceId)
      // Objects with earlier times that were changed later.
      await world.rows.trip(vehicle, { start: `2020-01-0${deviceId === 17 ? 1 : 2}T00:00:00Z` })
      await world.rows.dtc(vehicle, { recorded: `2020-01-0${deviceId === 17 ? 1 : 2}T00:00:00Z` })
    }
    const body = await fleet.read<Record<string, { modifyTimestamp: string }[]>>(`/${list}?filterTimestamp=1970-01-01`)
    const revisions = (body[list] ?? []).map(({ modifyTimestamp }) => modifyTimestamp)
    expect(revisions.length).toBeGreaterThan(2)
    expect(revisions).toEqual([...revisions].sort())
  })
})

describe('lists', () => {
  test.each<[title: string, list: 'devices' | 'vehicles' | 'trips' | 'dtcs']>([
    ['[C-CONVENTION-09, C-CONVENTION-10] devices', 'devices'],
    ['[C-CONVENTION-09, C-CONVENTION-10] vehicles', 'vehicles'],
    ['[C-CONVENTION-09, C-CONVENTION-10] trips', 'trips'],
    ['[C-CONVENTION-09, C-CONVENTION-10] dtcs', 'dtcs'],
  ])('%s are wrapped with modifyTimestamp, and filterTimestamp leaves what is newer', async (_title, list) => {
    const body = await fleet.read<Record<string, unknown>>(`/${list}`)
    expect(Object.keys(body).sort()).toEqual([list, 'modifyTimestamp'].sort())
    expect(body.modifyTimestamp).toMatch(REVISION)
    expect(await fleet.read(`/${list}?filterTimestamp=${String(body.modifyTimestamp)}`)).toMatchObject({ [list]: [] })
  })

  test.each<[title: string, path: string, list: string]>([
    ['[D-REPLY-20] devices', '/devices', 'devices'],
    ['[D-REPLY-20] devices, one is missing', '/devices?deviceIds=17,4711', 'devices'],
    ['[D-REPLY-20] vehicles', '/vehicles', 'vehicles'],
    ['[D-REPLY-20] trips, newest first', '/trips', 'trips'],
    ['[D-REPLY-20] trips, from a time', '/trips?fromTimestamp=2020-01-01', 'trips'],
    ['[D-REPLY-20] trips, since a change', '/trips?filterTimestamp=1970-01-01', 'trips'],
    ['[D-REPLY-20] dtcs', '/dtcs', 'dtcs'],
  ])('%s: the Link with rel="next" leads through all of a cut list, each object once', async (_title, path, list) => {
    const read = async (target: string) => {
      const answer = await fleet.get<Record<string, { id: unknown }[]>>(target)
      expect(answer.status).toBe(200)
      return { ids: (answer.body[list] ?? []).map(({ id }) => id), next: nextOf(answer) }
    }
    const whole = await read(path)
    expect(whole.next).toBeUndefined()
    const seen: unknown[] = []
    const start: string | undefined = `${path}${path.includes('?') ? '&' : '?'}maxResults=1`
    for (let next: string | undefined = start; next !== undefined; ) {
      const page = await read(next)
      expect(page.ids).toHaveLength(1)
      seen.push(...page.ids)
      next = page.next
    }
    const isNewestFirst = !/Timestamp/.test(path) && (list === 'trips' || list === 'dtcs')
    expect(isNewestFirst ? seen.toReversed() : seen).toEqual(whole.ids)
  })

  test('[D-REPLY-20] a cursor that is not of this list is 400 naming it', async () => {
    const link = nextOf(await fleet.get('/devices?maxResults=1')) ?? ''
    const cursor = new URLSearchParams(link.split('?')[1]).get('cursor') ?? ''
    for (const path of ['/trips', '/vehicles', '/events', '/devices?filterTimestamp=2020-01-01', '/dtcs'])
      expect(await fleet.refusalOf(`${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`)).toContain('cursor')
  })
})

describe('one object', () => {
  const PATHS = () => [`/devices/${DEVICE}`, `/vehicles/IMEI_${DEVICE}`, `/trip/${trip}`, `/trips/${trip}`]

  test('[D-REPLY-25] filterTimestamp is checked, otherwise without effect', async () => {
    for (const path of PATHS()) {
      expect(await fleet.read(`${path}?filterTimestamp=2100-01-01T00:00:00Z`)).toEqual(await fleet.read(path))
      expect(await fleet.refusalOf(`${path}?filterTimestamp=soon`)).toContain('filterTimestamp')
    }
  })

  test('[D-REPLY-26] ETag and If-None-Match work', async () => {
    for (const path of PATHS()) {
      const etag = (await fleet.get(path)).headers.get('etag') ?? ''
      expect(etag).toMatch(/^"[^"]+"$/)
      for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const { status, text, headers } = await fleet.get(path, { 'if-none-match': header })
        expect([path, header, status, text]).toEqual([path, header, 304, ''])
        expect(headers.get('etag')).toBe(etag)
      }
      expect((await fleet.get(path, { 'if-none-match': '"other"' })).status).toBe(200)
    }
    const before = (await fleet.get('/vehicles/IMEI_17')).headers.get('etag') ?? ''
    await fleet.measured(17, '2020-02-22T15:00:00Z', { GPS_SPEED: 2 })
    const after = await fleet.get<Vehicle>('/vehicles/IMEI_17', { 'if-none-match': before })
    expect([after.status, after.body.lastEvents[0]?.value]).toEqual([200, 2])
  })
})

describe('numbers', () => {
  test('[D-REPLY-10, D-REPLY-09] distance is whole metres, in km', async () => {
    const vehicle = await world.vehicleOf(17)
    for (const metres of [1, 999, 1001, 12_345, 100_000_003]) {
      const id = await world.rows.trip(vehicle, { start: '2020-02-23T00:00:00Z', metres })
      expect((await fleet.read<Trip>(`/trip/${id}`)).distance).toBe(metres / 1000)
    }
  })

  test('[C-RECORDS-02, D-REPLY-09] values of events are numbers, not texts', async () => {
    const events = await fleet.read<EventItem[]>('/events?eventType=GPS_SPEED')
    for (const { value } of events) expect(value).toBeTypeOf('number')
  })
})
