import { afterAll, describe, expect, test } from 'vitest'
import { type EventTypeName, requiredEventType } from '../../src/catalogue/event-types.ts'
import { CASTLE_TEXTS } from './address-texts.ts'
import type { Address, Aggregation, Device, EventItem, Trip, TripList, Vehicle } from './shapes.ts'
import { INSTANT, nextOf, REVISION, startWorld } from './world.ts'

const DEVICE = 356307042441013
const VIN = 'WVWZZZ1JZ3W386752'
const POLYLINE = '_p~iF~ps|U_ulLnnqC_mqNvxq`@'
const meters = (entries: Partial<Record<EventTypeName, { start?: number; end?: number }>>) =>
  Object.fromEntries((Object.keys(entries) as EventTypeName[]).map(name => [requiredEventType(name).id, entries[name]]))

/** In the order of their start: complete, plain (of the other car), deleted, running. */

const world = await startWorld()
const fleet = await world.client('Fleet')
const { rows } = world
const car = await rows.vehicle(fleet.accountId, { deviceId: DEVICE, vin: VIN })
const other = await rows.vehicle(fleet.accountId, { deviceId: 17 })
const startAddressId = await rows.address({
  lat: 49.0069,
  lon: 8.4037,
  texts: CASTLE_TEXTS,
})
const endAddressId = await rows.address({ lat: 48.1275, lon: 11.6055 })
const ids = {
  running: await rows.trip(car, { start: '2020-02-25T08:00:00Z', isOpen: true, metres: 500, seconds: 60 }),
  whole: await rows.trip(car, {
    start: '2020-02-22T14:37:07.797Z',
    end: '2020-02-22T15:37:07.123Z',
    metres: 12_345,
    seconds: 3599,
    startAddressId,
    endAddressId,
    meters: meters({
      MILEAGE: { start: 48_211.4, end: 48_223.7 },
      HV_BATTERY_SOC: { start: 80, end: 75.5 },
      FUEL_LEVEL: { start: 40.5 },
      FUEL_LEVEL_PERCENT: { start: 80, end: 70 },
    }),
    polyline: POLYLINE,
  }),
  deleted: await rows.trip(car, {
    start: '2020-02-24T08:00:00Z',
    metres: 7000,
    seconds: 700,
    meters: meters({ MILEAGE: { start: 1, end: 8 } }),
    polyline: POLYLINE,
    deleted: '2020-02-26T09:00:00Z',
  }),
  plain: await rows.trip(other, { start: '2020-02-23T08:00:00Z' }),
}
const trip = await fleet.read<Trip>(`/trip/${ids.whole}`)
afterAll(() => world.stop())

const list = (query: string, as = fleet) => as.read<TripList>(`/trips${query}`)
const idsOf = async (query: string) => (await list(query)).trips.map(({ id }) => id)

describe('Trip', () => {
  test.each<[title: string, field: keyof Trip, expected: () => unknown]>([
    ['[C-TRIP-01] id is a text', 'id', () => ids.whole],
    ['[C-TRIP-02] deviceId', 'deviceId', () => DEVICE],
    ['[C-TRIP-03] vehicleId', 'vehicleId', () => `VIN${VIN}`],
    ['[C-TRIP-04] tripStartAddress', 'tripStartAddress', () => expect.objectContaining({ road: 'Castle Square' })],
    ['[C-TRIP-05] tripEndAddress', 'tripEndAddress', () => expect.objectContaining({ lat: 48.1275, lon: 11.6055 })],
    ['[C-TRIP-06] distance in km', 'distance', () => 12.345],
    ['[C-TRIP-07] duration in seconds', 'duration', () => 3599],
    ['[C-TRIP-08] tripStartTimestamp', 'tripStartTimestamp', () => '2020-02-22T14:37:07.797Z'],
    ['[C-TRIP-09] tripEndTimestamp', 'tripEndTimestamp', () => '2020-02-22T15:37:07.123Z'],
    ['[C-TRIP-10] aggregations', 'aggregations', () => expect.objectContaining({ length: 8 })],
    ['[C-TRIP-11] deleteTimestamp of a trip that counts is null', 'deleteTimestamp', () => null],
    ['[C-TRIP-12] modifyTimestamp', 'modifyTimestamp', () => expect.stringMatching(REVISION)],
  ])('%s', (_title, field, expected) => {
    expect(trip[field]).toEqual(expected())
  })

  test('[C-OBJECT-04] a trip is an interval: its events are those of its vehicle between start and end', async () => {
    for (const time of ['14:37:07.796', '14:37:07.797', '15:37:07.123', '15:37:07.124'])
      await fleet.measured(DEVICE, `2020-02-22T${time}Z`, { GPS_SPEED: 1 })
    expect(trip.tripStartTimestamp < trip.tripEndTimestamp).toBe(true)
    const events = await fleet.read<EventItem[]>(`/events?tripId=${ids.whole}`)
    expect(events.map(({ recorded_timestamp: time }) => time)).toEqual([trip.tripStartTimestamp, trip.tripEndTimestamp])
  })

  test('[C-TRIP-13, D-TRIP-03, D-REPLY-16] START and END of the meters where present, by event type, with snake_case unit_id', () => {
    const number = (eventType: string, aggregationType: string, value: number, unitId: number, unit: string) => ({
      eventType,
      dataType: 'NUMBER',
      aggregationType,
      value,
      unit_id: unitId,
      unit,
    })
    expect(trip.aggregations.filter(({ aggregationType }) => aggregationType !== 'POLYLINE')).toEqual([
      number('FUEL_LEVEL', 'START', 40.5, 90, 'l'),
      number('FUEL_LEVEL_PERCENT', 'END', 70, 20, '%'),
      number('FUEL_LEVEL_PERCENT', 'START', 80, 20, '%'),
      number('HV_BATTERY_SOC', 'END', 75.5, 20, '%'),
      number('HV_BATTERY_SOC', 'START', 80, 20, '%'),
      number('MILEAGE', 'END', 48_223.7, 111, 'km'),
      number('MILEAGE', 'START', 48_211.4, 111, 'km'),
    ])
  })

  test('[C-TRIP-14, D-TRIP-03] POLYLINE of POSITION: an encoded polyline, without unit_id and unit', () => {
    expect(trip.aggregations.filter(({ aggregationType }) => aggregationType === 'POLYLINE')).toEqual([
      { eventType: 'POSITION', dataType: 'GEO', aggregationType: 'POLYLINE', value: POLYLINE },
    ])
  })

  test('[D-REPLY-07] an address without any position is null', async () => {
    const plain = await fleet.read<Trip>(`/trip/${ids.plain}`)
    expect([plain.tripStartAddress, plain.tripEndAddress]).toEqual([null, null])
  })

  test('[D-REPLY-37] without positions, polylines and addresses are left out and the rest is answered', async () => {
    const blind = await world.client('Fleet', ['trips'])
    const seen = await blind.read<Trip>(`/trip/${ids.whole}`)
    expect(seen).toEqual({
      ...trip,
      tripStartAddress: null,
      tripEndAddress: null,
      aggregations: trip.aggregations.filter(({ eventType }) => eventType !== 'POSITION'),
    })
    const [listed] = (await list(`?vehicleId=VIN${VIN}`, blind)).trips
    expect(listed).toEqual(seen)
    expect((await list(`?vehicleId=VIN${VIN}&positions=false`)).trips[0]).toEqual(seen)
  })
})

describe('Address', () => {
  const address = () => trip.tripStartAddress as Address

  test.each<[title: string, field: keyof Address, expected: unknown]>([
    ['[C-ADDRESS-01] id is a text', 'id', expect.stringMatching(/./)],
    ['[C-ADDRESS-02] road', 'road', 'Castle Square'],
    ['[C-ADDRESS-03] houseNumber', 'houseNumber', '1'],
    ['[C-ADDRESS-04] suburb', 'suburb', 'City West'],
    ['[C-ADDRESS-05] locality', 'locality', 'Karlsruhe'],
    ['[C-ADDRESS-06] state', 'state', 'Baden-Wuerttemberg'],
    ['[C-ADDRESS-07] country is text', 'country', 'Germany'],
    ['[C-ADDRESS-08] postcode', 'postcode', '76131'],
    ['[C-ADDRESS-09] lat', 'lat', 49.0069],
    ['[C-ADDRESS-10] lon', 'lon', 8.4037],
  ])('%s', (_title, field, expected) => {
    expect(address()[field]).toEqual(expected)
  })

  test('[C-CONVENTION-07] is translated as Accept-Language says', async () => {
    const headers = { 'accept-language': 'de-DE' }
    const german = await fleet.read<Trip>(`/trip/${ids.whole}`, headers)
    expect(german.tripStartAddress).toEqual({
      id: address().id,
      ...CASTLE_TEXTS.de,
      lat: 49.0069,
      lon: 8.4037,
    })
    const { trips } = await fleet.read<TripList>('/trips', headers)
    expect(trips.find(({ id }) => id === ids.whole)).toEqual(german)
  })

  test('[D-REPLY-04] what is not known of an address is empty', () => {
    const parts = { road: '', houseNumber: '', suburb: '', locality: '', state: '', country: '', postcode: '' }
    expect(trip.tripEndAddress).toMatchObject(parts)
  })
})

describe('GET /trips', () => {
  test('[C-TRIPS-01, D-REPLY-13] lists the trips of the account by tripStartTimestamp, and of nobody else', async () => {
    expect(await idsOf('')).toEqual([ids.whole, ids.plain, ids.running])
    expect((await list('', await world.client('Strangers'))).trips).toEqual([])
  })

  test('[D-REPLY-13] trips that start at the same time are listed by id', async () => {
    const client = await world.client('Ties')
    const first = await world.rows.vehicle(client.accountId, { deviceId: 21 })
    const second = await world.rows.vehicle(client.accountId, { deviceId: 20 })
    const expected = []
    for (const vehicle of [first, second, first])
      expected.push(await world.rows.trip(vehicle, { start: '2020-02-23T08:00:00Z' }))
    expect((await list('', client)).trips.map(({ id }) => id)).toEqual(expected)
  })

  test('[C-TRIPS-07] is an object with trips and modifyTimestamp', async () => {
    const body = await list('')
    expect(Object.keys(body).sort()).toEqual(['modifyTimestamp', 'trips'])
    expect(body.trips[0]).toEqual(trip)
    expect(body.modifyTimestamp).toMatch(REVISION)
  })

  test.each<[title: string, query: string, expected: readonly (keyof typeof ids)[]]>([
    ['[C-TRIPS-02] deviceId', '?deviceId=17', ['plain']],
    ['[C-TRIPS-03] vehicleId', `?vehicleId=VIN${VIN}`, ['whole', 'running']],
    [
      '[C-TRIPS-04, D-REPLY-22] fromTimestamp is of the start, included',
      '?fromTimestamp=2020-02-23T08:00:00Z',
      ['plain', 'running'],
    ],
    [
      '[C-TRIPS-04, D-REPLY-22] toTimestamp is of the start, included',
      '?toTimestamp=2020-02-23T08:00:00Z',
      ['whole', 'plain'],
    ],
    [
      '[C-TRIPS-05, D-REPLY-19] maxResults alone keeps the newest, still ascending',
      '?maxResults=2',
      ['plain', 'running'],
    ],
    [
      '[C-TRIPS-05, D-REPLY-18] maxResults and fromTimestamp keep the first',
      '?maxResults=2&fromTimestamp=2020-01-01',
      ['whole', 'plain'],
    ],
    [
      '[D-REPLY-29] includeDeleted=true lists deleted ones',
      '?includeDeleted=true',
      ['whole', 'plain', 'deleted', 'running'],
    ],
    [
      '[C-TRIPS-06, D-REPLY-15, D-REPLY-29] filterTimestamp: by modifyTimestamp, with deleted ones',
      '?filterTimestamp=1970-01-01',
      ['running', 'whole', 'deleted', 'plain'],
    ],
    ['[D-REPLY-30] a running trip is listed', '?fromTimestamp=2020-02-25', ['running']],
  ])('%s', async (_title, query, expected) => {
    expect(await idsOf(query)).toEqual(expected.map(name => ids[name]))
  })

  test('[C-TRIPS-06] filterTimestamp leaves only what was modified later', async () => {
    const { trips } = await list('?filterTimestamp=1970-01-01')
    expect((await list(`?filterTimestamp=${trips[1]?.modifyTimestamp}`)).trips).toEqual(trips.slice(2))
  })

  test('[C-TRIPS-05, D-REPLY-20] a Link leads to the rest of a cut list', async () => {
    const first = await fleet.get<TripList>('/trips?maxResults=2')
    expect((await fleet.read<TripList>(nextOf(first) ?? '')).trips.map(({ id }) => id)).toEqual([ids.whole])
  })
})

describe('GET /trip/{tripId}', () => {
  test('[C-ONETRIP-01, C-ONETRIP-02, D-ADDRESS-05] /trip/{tripId} and /trips/{tripId} are one trip as in the list', async () => {
    for (const item of (await list('?includeDeleted=true')).trips)
      for (const path of ['/trip', '/trips']) expect(await fleet.read(`${path}/${item.id}`)).toEqual(item)
  })

  test('[C-ONETRIP-03] accepts filterTimestamp', async () => {
    expect(await fleet.read(`/trip/${ids.whole}?filterTimestamp=2100-01-01`)).toEqual(trip)
  })
})

describe('trips that count for nothing, and the one that goes on', () => {
  test('[D-REPLY-28, D-REPLY-29, C-TRIP-11] a deleted trip is found by id: deleted, distance and duration 0, no aggregations', async () => {
    const deleted = await fleet.read<Trip>(`/trip/${ids.deleted}`)
    expect(deleted).toMatchObject({ distance: 0, duration: 0, aggregations: [] })
    expect(deleted.deleteTimestamp).toBe('2020-02-26T09:00:00.000Z')
    expect(deleted.deleteTimestamp).toMatch(INSTANT)
  })

  test('[D-REPLY-28, D-REPLY-32] statistics count the running trip and not the deleted one', async () => {
    const sums = await fleet.read<Aggregation[]>(
      `/aggregations?vehicleId=VIN${VIN}&aggregation=DRIVEN_DISTANCE&aggregationType=SUM&binSize=YEAR`,
    )
    expect(sums).toMatchObject([{ value: 12.845 }])
  })

  test('[C-STATE-04, C-DEVICE-09, C-VEHICLE-13] tripId of vehicle and device is that of the running trip, else empty', async () => {
    expect((await fleet.read<Vehicle>(`/vehicles/VIN${VIN}`)).tripId).toBe(ids.running)
    expect((await fleet.read<Device>(`/devices/${DEVICE}`)).tripId).toBe(ids.running)
    expect((await fleet.read<Vehicle>('/vehicles/IMEI_17')).tripId).toBe('')
    expect((await fleet.read<Device>('/devices/17')).tripId).toBe('')
  })
})
