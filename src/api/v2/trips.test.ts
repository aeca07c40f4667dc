import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi, type TestApi, type TestClient } from '../../../test/api.ts'
import { type FleetRows, fleetRows, type VehicleRows } from '../../../test/fleet-rows.ts'
import { expectDocumented } from '../../../test/openapi-conformity.ts'
import { everythingOf, syncOneByOne } from '../../../test/sync-client.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import type { Trip } from './trips.ts'

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
  // Stored in another order than they were driven, as after a late upload.
  const last = await rows.trip(polo, { start: '2020-01-05T08:00:00Z', isOpen: true })
  const first = await rows.trip(golf, { start: '2020-01-01T08:00:00Z' })
  const merged = await rows.trip(golf, { start: '2020-01-03T08:00:00Z', deleted: '2020-01-04T00:00:00Z' })
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

describe('GET /trips', () => {
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
})

describe('GET /trip/{tripId} and /trips/{tripId}', () => {
  it.each(['0', 'x', '-1', '1e3', '99999999', '9007199254740993', '99999999999999999999999', '1.5', '%20'])(
    'there is no trip %s',
    async id => {
      for (const path of ['/trip', '/trips']) expect((await client.get(`${path}/${id}`)).statusCode).toBe(404)
    },
  )
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
