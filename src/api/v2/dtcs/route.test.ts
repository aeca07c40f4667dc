import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi, type TestApi, type TestClient } from '../../../../test/api.ts'
import { type FleetRows, fleetRows, type VehicleRows } from '../../../../test/fleet-rows.ts'
import { walkPages } from '../../../../test/list-walk.ts'
import { expectDocumented } from '../../../../test/openapi-conformity.ts'
import type { Dtc } from './schema.ts'

let api: TestApi
let rows: FleetRows
let client: TestClient
let stranger: TestClient
let golf: VehicleRows
let polo: VehicleRows
/** By time; the second is deleted. */
let ids: string[]

beforeAll(async () => {
  api = await startApi()
  rows = fleetRows(api.database)
  client = await api.client('Fleet')
  stranger = await api.client('Other')
  golf = await rows.vehicle(client.accountId, { deviceId: 11, vin: 'WVWZZZ1KZAW000001' })
  polo = await rows.vehicle(client.accountId, { deviceId: 12 })
  const last = await rows.dtc(polo, { recorded: '2020-01-04T08:00:00Z', code: 'U1000', type: 'SPORADIC' })
  const first = await rows.dtc(golf, { recorded: '2020-01-01T08:00:00.5Z', ecuTypeId: 1 })
  const third = await rows.dtc(polo, { recorded: '2020-01-03T08:00:00Z', code: '4F21' })
  const gone = await rows.dtc(golf, { recorded: '2020-01-02T08:00:00Z', deleted: '2020-01-05T00:00:00Z' })
  ids = [first, gone, third, last]
})

afterAll(() => api.stop())

interface List {
  readonly dtcs: readonly Dtc[]
  readonly modifyTimestamp: string
}

async function list(query = '', as = client, language = 'en'): Promise<List> {
  const response = await as.get(`/dtcs${query}`, { 'accept-language': language })
  expect(response.statusCode === 200 ? 200 : response.body).toBe(200)
  await expectDocumented(response, 'GET', '/dtcs')
  return response.json<List>()
}

const indexesOf = async (query: string) => (await list(query)).dtcs.map(dtc => ids.indexOf(dtc.id))

describe('GET /dtcs', () => {
  it('lists codes by time, with every field, in the language that is asked for', async () => {
    const { dtcs } = await list()
    expect(dtcs.map(dtc => dtc.id)).toEqual([ids[0], ids[2], ids[3]])
    expect(dtcs[0]).toEqual({
      id: ids[0],
      vehicleId: 'VINWVWZZZ1KZAW000001',
      deviceId: 11,
      ecuTypeId: 1,
      ecuType: 'Engine',
      code: 'P0301',
      encoded: '0301',
      encoding: 'PCODE',
      label: 'Misfire cylinder 1 detected',
      dtcType: 'PERMANENT',
      recordedTimestamp: '2020-01-01T08:00:00.500Z',
      deleteTimestamp: null,
      modifyTimestamp: expect.stringMatching(/\.\d{6}Z$/),
    })
    expect(dtcs[1]).toMatchObject({ code: '4F21', label: '', ecuTypeId: 0, ecuType: '' })
    expect(dtcs[2]).toMatchObject({ dtcType: 'SPORADIC', label: 'Network (manufacturer-specific code)' })
    expect((await list('', client, 'de')).dtcs[0]).toMatchObject({
      ecuType: 'Motor',
      label: 'Zündaussetzer Zylinder 1 erkannt',
    })
  })

  it.each([
    ['?deviceId=11', [0]],
    ['?vehicleId=IMEI_12', [2, 3]],
    ['?vehicleId=IMEI_12&deviceId=11', []],
    ['?vehicleId=unknown', []],
    ['?fromTimestamp=2020-01-03T08:00:00Z&toTimestamp=2020-01-04T08:00:00Z', [2, 3]],
    ['?fromTimestamp=2020-01-04&toTimestamp=2020-01-01', []],
    ['?includeDeleted=true', [0, 1, 2, 3]],
    ['?includeDeleted=true&vehicleId=VINWVWZZZ1KZAW000001', [0, 1]],
    ['?filterTimestamp=1970-01-01', [3, 0, 2, 1]],
    ['?maxResults=2', [2, 3]],
    ['?maxResults=2&fromTimestamp=2020-01-01', [0, 2]],
    ['?maxResults=2&filterTimestamp=1970-01-01', [3, 0]],
  ])('%s lists codes %j', async (query, expected) => {
    expect(await indexesOf(query)).toEqual(expected)
  })

  it('deleteTimestamp says when a code was no longer reported', async () => {
    expect((await list('?includeDeleted=true')).dtcs[1]?.deleteTimestamp).toBe('2020-01-05T00:00:00.000Z')
  })

  it.each([1, 2, 3, 4])('pages of %i lead to every code exactly once, in both directions', async size => {
    const walk = async (query: string) => {
      const pages = await walkPages<Dtc>(client, `/dtcs?maxResults=${size}${query}`, 'dtcs')
      return pages.map(page => page.map(dtc => ids.indexOf(dtc.id)))
    }
    expect((await walk('&fromTimestamp=2020-01-01&includeDeleted=true')).flat()).toEqual([0, 1, 2, 3])
    expect((await walk('&filterTimestamp=1970-01-01')).flat()).toEqual([3, 0, 2, 1])
    expect((await walk('')).toReversed().flat()).toEqual([0, 2, 3])
  })

  it.each([
    ['?deviceId=abc', 'deviceId'],
    ['?fromTimestamp=2021-02-29', 'fromTimestamp'],
    ['?toTimestamp=12:00', 'toTimestamp'],
    ['?filterTimestamp=now', 'filterTimestamp'],
    ['?includeDeleted=2', 'includeDeleted'],
    ['?maxResults=x', 'maxResults'],
    ['?cursor=abc', 'cursor'],
  ])('%s is refused with a message that names %s', async (query, parameter) => {
    const response = await client.get(`/dtcs${query}`)
    expect(response.statusCode).toBe(400)
    expect(response.json<{ errorMessage: string }>().errorMessage).toMatch(new RegExp(`^${parameter} `))
    await expectDocumented(response, 'GET', '/dtcs')
  })

  it('shows a stranger nothing and needs the permission', async () => {
    for (const query of ['', '?includeDeleted=true', '?filterTimestamp=1970-01-01', '?deviceId=11'])
      expect((await list(query, stranger)).dtcs).toEqual([])
    const response = await (await api.client('Fleet', ['trips'])).get('/dtcs')
    expect(response.statusCode).toBe(403)
    await expectDocumented(response, 'GET', '/dtcs')
  })
})
