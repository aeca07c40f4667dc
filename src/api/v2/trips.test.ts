import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi, type TestApi, type TestClient } from '../../../test/api.ts'
import { type FleetRows, fleetRows, type VehicleRows } from '../../../test/fleet-rows.ts'
import { walkPages } from '../../../test/list-walk.ts'
import { expectDocumented } from '../../../test/openapi-conformity.ts'
import { everythingOf, syncOneByOne } from '../../../test/sync-client.ts'
import { type EventTypeName, requiredEventType } from '../../catalogue/event-types.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import type { Trip } from './trips.ts'

const idOf = (eventType: EventTypeName) => String(requiredEventType(eventType).id)

let api: TestApi
let rows: FleetRows
let client: TestClient
let stranger: TestClient
let golf: VehicleRows
let polo: VehicleRows
/** By start; the third is deleted, the last one runs. */
let ids: string[]

beforeAll(async () => {
  api = await startApi()
  rows = fleetRows(api.database)
  client = await api.client('Fleet')
  stranger = await api.client('Other')
  golf = await rows.vehicle(client.accountId, { deviceId: 11, vin: 'WVWZZZ1KZAW000001' })
  polo = await rows.vehicle(client.accountId, { deviceId: 12 })
  const home = await rows.address({
    lat: 48.1275,
    lon: 11.6055,
    texts: {
      en: { road: 'Rosenheimer Straße', locality: 'Munich', state: 'Bavaria', country: 'Germany' },
      de: { locality: 'München', state: 'Bayern', country: 'Deutschland', postcode: '81671' },
    },
  })
  const elsewhere = await rows.address({ lat: 48.2, lon: 11.7 })
  const full = {
    start: '2020-01-01T08:00:00.125Z',
    end: '2020-01-01T08:30:00Z',
    metres: 12_345,
    seconds: 1800,
    startAddressId: home,
    endAddressId: elsewhere,
    polyline: '_p~iF~ps|U_ulLnnqC',
    meters: {
      [idOf('MILEAGE')]: { start: 50_000.4, end: 50_012.7 },
      [idOf('FUEL_LEVEL')]: { end: 31.5 },
    },
  }
  // Stored in another order than they were driven, as after a late upload.
  const last = await rows.trip(polo, { start: '2020-01-05T08:00:00Z', isOpen: true })
  const first = await rows.trip(golf, full)
  const merged = await rows.trip(golf, {
    ...full,
    start: '2020-01-03T08:00:00Z',
    end: '2020-01-03T09:00:00Z',
    deleted: '2020-01-04T00:00:00Z',
  })
  const second = await rows.trip(golf, { start: '2020-01-02T08:00:00Z' })
  const fourth = await rows.trip(polo, { start: '2020-01-04T08:00:00Z' })
  ids = [first, second, merged, fourth, last]
})

afterAll(() => api.stop())

interface List {
  readonly trips: readonly Trip[]
  readonly modifyTimestamp: string
}

async function list(query = '', as = client): Promise<List> {
  const response = await as.get(`/trips${query}`)
  expect(response.statusCode === 200 ? 200 : response.body).toBe(200)
  await expectDocumented(response, 'GET', '/trips')
  return response.json<List>()
}

const indexesOf = async (query: string) => (await list(query)).trips.map(trip => ids.indexOf(trip.id))

describe('GET /trips', () => {
  it('lists trips by start, with every field, in the language that is asked for', async () => {
    const { trips } = await list()
    expect(trips.map(trip => trip.id)).toEqual([ids[0], ids[1], ids[3], ids[4]])
    expect(trips[0]).toEqual({
      id: ids[0],
      deviceId: 11,
      vehicleId: 'VINWVWZZZ1KZAW000001',
      tripStartAddress: {
        id: expect.any(String),
        road: 'Rosenheimer Straße',
        houseNumber: '',
        suburb: '',
        locality: 'Munich',
        state: 'Bavaria',
        country: 'Germany',
        postcode: '81671',
        lat: 48.1275,
        lon: 11.6055,
      },
      tripEndAddress: expect.objectContaining({ road: '', country: '', lat: 48.2, lon: 11.7 }),
      distance: 12.345,
      duration: 1800,
      tripStartTimestamp: '2020-01-01T08:00:00.125Z',
      tripEndTimestamp: '2020-01-01T08:30:00.000Z',
      aggregations: [
        { eventType: 'FUEL_LEVEL', dataType: 'NUMBER', aggregationType: 'END', value: 31.5, unit_id: 90, unit: 'l' },
        { eventType: 'MILEAGE', dataType: 'NUMBER', aggregationType: 'END', value: 50012.7, unit_id: 111, unit: 'km' },
        {
          eventType: 'MILEAGE',
          dataType: 'NUMBER',
          aggregationType: 'START',
          value: 50000.4,
          unit_id: 111,
          unit: 'km',
        },
        { eventType: 'POSITION', dataType: 'GEO', aggregationType: 'POLYLINE', value: '_p~iF~ps|U_ulLnnqC' },
      ],
      deleteTimestamp: null,
      modifyTimestamp: expect.stringMatching(/\.\d{6}Z$/),
    })
    expect(trips[1]).toMatchObject({ tripStartAddress: null, tripEndAddress: null, aggregations: [] })
    const german = await client.get(`/trips/${ids[0]}`, { 'accept-language': 'de-DE' })
    expect(german.headers['content-language']).toBe('de-DE')
    expect(german.json<Trip>().tripStartAddress).toMatchObject({ locality: 'München', road: 'Rosenheimer Straße' })
  })

  it('says how many match, however many are listed, to who asks', async () => {
    const total = async (query: string) => (await client.get(`/trips${query}`)).headers['x-total-count']
    expect(await total('')).toBeUndefined()
    expect(await total('?count=true&maxResults=1')).toBe('4')
    expect(await total('?count=true&maxResults=1&vehicleId=IMEI_12')).toBe('2')
    expect(await total('?count=true&maxResults=1&includeDeleted=true')).toBe('5')
    const first = await client.get('/trips?count=true&maxResults=1')
    const next = /<\/cc\/v2\.0\/(trips[^>]+)>/.exec(String(first.headers.link))?.[1]
    expect(next && (await client.get(`/${next}`)).headers['x-total-count']).toBe('4')
    await expectDocumented(first, 'GET', '/trips')
    expect((await stranger.get('/trips?count=true')).headers['x-total-count']).toBe('0')
  })

  it('without the permission `positions`, has neither polylines nor addresses', async () => {
    const blind = await api.client('Fleet', ['trips'])
    const trip = (await list('', blind)).trips[0]
    expect(trip).toMatchObject({ id: ids[0], tripStartAddress: null, tripEndAddress: null, distance: 12.345 })
    expect(trip?.aggregations.map(item => item.eventType)).toEqual(['FUEL_LEVEL', 'MILEAGE', 'MILEAGE'])
    expect((await blind.get(`/trip/${ids[0]}`)).json()).toEqual(trip)
    expect((await list('?positions=false')).trips[0]).toEqual(trip)
  })

  it.each([
    ['?deviceId=11', [0, 1]],
    ['?vehicleId=VINWVWZZZ1KZAW000001', [0, 1]],
    ['?vehicleId=IMEI_12', [3, 4]],
    ['?vehicleId=IMEI_12&deviceId=11', []],
    ['?vehicleId=VINWVWZZZ1KZAW000009', []],
    ['?deviceId=99', []],
    ['?fromTimestamp=2020-01-02T08:00:00Z&toTimestamp=2020-01-04T08:00:00Z', [1, 3]],
    ['?fromTimestamp=2020-01-02T08:00:00.001&toTimestamp=2020-01-04T07:59:59.999', []],
    ['?fromTimestamp=2020-01-04&toTimestamp=2020-01-01', []],
    ['?includeDeleted=true', [0, 1, 2, 3, 4]],
    ['?includeDeleted=false', [0, 1, 3, 4]],
    ['?filterTimestamp=1970-01-01', [4, 0, 2, 1, 3]],
    ['?filterTimestamp=1970-01-01&fromTimestamp=2020-01-03', [4, 2, 3]],
    ['?maxResults=2', [3, 4]],
    ['?maxResults=2&toTimestamp=2020-01-04', [0, 1]],
    ['?maxResults=2&fromTimestamp=2020-01-01', [0, 1]],
    ['?maxResults=2&filterTimestamp=1970-01-01', [4, 0]],
  ])('%s lists trips %j', async (query, expected) => {
    expect(await indexesOf(query)).toEqual(expected)
  })

  it.each([1, 2, 3, 4, 5])('pages of %i lead to every trip exactly once, in both directions', async size => {
    const walk = async (query: string) => {
      const pages = await walkPages<Trip>(client, `/trips?maxResults=${size}${query}`, 'trips')
      return pages.map(page => page.map(trip => ids.indexOf(trip.id)))
    }
    expect((await walk('&fromTimestamp=2020-01-01')).flat()).toEqual([0, 1, 3, 4])
    expect((await walk('&filterTimestamp=1970-01-01')).flat()).toEqual([4, 0, 2, 1, 3])
    // Newest pages first, each of them ascending.
    expect((await walk('&includeDeleted=true')).toReversed().flat()).toEqual([0, 1, 2, 3, 4])
  })

  it('what a cut list left out is never behind its modifyTimestamp', async () => {
    const revisionOf = new Map((await list('?includeDeleted=true')).trips.map(trip => [trip.id, trip.modifyTimestamp]))
    for (const query of ['', '&fromTimestamp=2020-01-01', '&filterTimestamp=1970-01-01']) {
      for (const size of [1, 2, 3]) {
        const shown = await list(`?maxResults=${size}${query}`)
        const left = (await list(`?x=1${query}`)).trips.filter(({ id }) => !shown.trips.some(trip => trip.id === id))
        expect(left.every(({ id }) => (revisionOf.get(id) ?? '') > shown.modifyTimestamp)).toBe(true)
      }
    }
  })

  it('a page of a walk promises no more than its first page', async () => {
    const first = await client.get('/trips?fromTimestamp=2020-01-01&maxResults=3')
    await rows.change(revision => sql`update trips set distance_m = 5, modified = ${revision} where id = ${ids[1]}`)
    const link = String(first.headers.link)
    const rest = await client.get(link.slice('</cc/v2.0'.length, link.indexOf('>')))
    const since = await list(`?filterTimestamp=${rest.json<List>().modifyTimestamp}`)
    expect(since.trips.map(trip => trip.id)).toContain(ids[1])
  })

  it.each([
    ['?deviceId=abc', 'deviceId'],
    ['?vehicleId=%00', 'vehicleId'],
    ['?fromTimestamp=2021-02-29', 'fromTimestamp'],
    ['?toTimestamp=12:00', 'toTimestamp'],
    ['?filterTimestamp=now', 'filterTimestamp'],
    ['?includeDeleted=maybe', 'includeDeleted'],
    ['?maxResults=-1', 'maxResults'],
    ['?cursor=!', 'cursor'],
  ])('%s is refused with a message that names %s', async (query, parameter) => {
    const response = await client.get(`/trips${query}`)
    expect(response.statusCode).toBe(400)
    expect(response.json<{ errorMessage: string }>().errorMessage).toMatch(new RegExp(`^${parameter} `))
    await expectDocumented(response, 'GET', '/trips')
  })

  it('shows a stranger nothing and needs the permission', async () => {
    for (const query of [
      '',
      '?includeDeleted=true',
      '?filterTimestamp=1970-01-01',
      '?deviceId=11',
      '?vehicleId=IMEI_12',
    ])
      expect((await list(query, stranger)).trips).toEqual([])
    const response = await (await api.client('Fleet', ['positions'])).get('/trips')
    expect(response.statusCode).toBe(403)
  })
})

describe('GET /trip/{tripId} and /trips/{tripId}', () => {
  it('answer alike, what the list has', async () => {
    const trip = (await list()).trips[0]
    for (const path of ['/trip', '/trips']) {
      const response = await client.get(`${path}/${ids[0]}?filterTimestamp=2100-01-01`)
      await expectDocumented(response, 'GET', `${path}/1`)
      expect(response.json()).toEqual(trip)
      const again = await client.get(`${path}/${ids[0]}`, { 'if-none-match': String(response.headers.etag) })
      expect(again.statusCode).toBe(304)
    }
  })

  it('find a trip that was merged away, with nothing in it to be counted twice', async () => {
    expect((await client.get(`/trips/${ids[2]}`)).json()).toMatchObject({
      distance: 0,
      duration: 0,
      aggregations: [],
      tripStartTimestamp: '2020-01-03T08:00:00.000Z',
      deleteTimestamp: '2020-01-04T00:00:00.000Z',
    })
  })

  it.each(['0', 'x', '-1', '1e3', '99999999', '9007199254740993', '99999999999999999999999', '1.5', '%20'])(
    'there is no trip %s',
    async id => {
      for (const path of ['/trip', '/trips']) expect((await client.get(`${path}/${id}`)).statusCode).toBe(404)
    },
  )

  it('show a stranger nothing, and check filterTimestamp', async () => {
    const response = await stranger.get(`/trips/${ids[0]}`)
    expect(response.statusCode).toBe(404)
    await expectDocumented(response, 'GET', '/trips/1')
    expect((await client.get(`/trips/${ids[0]}?filterTimestamp=x`)).statusCode).toBe(400)
  })
})

it('sync of trips misses nothing with eight writers, a slow transaction and maxResults=1', async () => {
  const fleet = await api.client('Synced')
  const vehicle = await rows.vehicle(fleet.accountId, { deviceId: 1000 })
  const start = (index: number) => new Date(Date.UTC(2020, 0, 1, (index * 37) % 100)).toISOString()
  const kept: string[] = []
  for (let index = 0; index < 5; index++) kept.push(await rows.trip(vehicle, { start: start(index) }))

  const change = (metres: number, id: string | undefined, pauseMs: number) =>
    writeTransaction(api.database, async transaction => {
      const revision = await transaction.takeRevisions(1)
      await transaction.rows(sql`select pg_sleep(${pauseMs / 1000})`)
      await transaction.rows(sql`
        update trips set distance_m = ${metres}, modified = ${revision},
          deleted = case when ${metres} % 3 = 0 then clock_timestamp() end where id = ${id}`)
    })
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let round = 0; round < 10; round++) {
      await change(writer * 100 + round, kept[(writer * 3 + round) % 4], (writer * 5 + round * 7) % 20)
      if (round % 5 === 0) await rows.trip(vehicle, { start: start(10 + writer * 10 + round) })
    }
  })
  const slow = change(7777, kept[4], 2500)
  let isDone = false
  const finish = async () => {
    await Promise.all([...writers, slow])
    isDone = true
  }
  const [known] = await Promise.all([syncOneByOne<Trip>(fleet, '/trips', () => isDone), finish()])
  expect(known).toEqual(await everythingOf<Trip>(fleet, '/trips'))
  expect(known.size).toBe(21)
})
