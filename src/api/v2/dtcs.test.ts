import { afterAll, describe, expect, it } from 'vitest'
import { startApi } from '../../../test/api.ts'
import { fleetRows } from '../../../test/fleet-rows.ts'
import { walkPages } from '../../../test/list-walk.ts'
import { expectDocumented } from '../../../test/openapi-conformity.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { type DtcLabel, importLabels, removeLabel } from '../../derive/dtcs/labels.ts'
import type { Dtc } from './dtcs.ts'

/** By time; the second is deleted. */

const api = await startApi()
const rows = fleetRows(api.database)
const client = await api.client('Fleet')
const stranger = await api.client('Other')
const golf = await rows.vehicle(client.accountId, { deviceId: 11, vin: 'WVWZZZ1KZAW000001' })
const polo = await rows.vehicle(client.accountId, { deviceId: 12 })
const last = await rows.dtc(polo, { recorded: '2020-01-04T08:00:00Z', code: 'U1000', type: 'SPORADIC' })
const first = await rows.dtc(golf, { recorded: '2020-01-01T08:00:00.5Z', ecuTypeId: 1 })
const third = await rows.dtc(polo, { recorded: '2020-01-03T08:00:00Z', code: '4F21' })
const gone = await rows.dtc(golf, { recorded: '2020-01-02T08:00:00Z', deleted: '2020-01-05T00:00:00Z' })
const ids = [first, gone, third, last]

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
      label: 'Verbrennungsaussetzer Zylinder 1 erkannt',
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

  it("shows the operator's own text: for the make of the car, else for all makes, else the built-in one", async () => {
    const own = await api.client('Own texts')
    const [ford, other] = [
      await rows.vehicle(own.accountId, { deviceId: 21 }),
      await rows.vehicle(own.accountId, { deviceId: 22 }),
    ]
    await rows.change(
      revision => sql`update vehicles set make = 'Ford', modified = ${revision} where id = ${ford.vehicleId}`,
    )
    for (const car of [ford, other])
      for (const code of ['P0301', 'P1780']) await rows.dtc(car, { recorded: '2020-01-01T08:00:00Z', code })
    const labels = async (language: string) =>
      (await list('', own, language)).dtcs.map(dtc => `${dtc.deviceId} ${dtc.code} ${dtc.label}`)
    const put = (...texts: DtcLabel[]) =>
      writeTransaction(api.database, transaction => importLabels(transaction, texts))

    await put({ code: 'P0301', language: 'en', make: '', label: 'Ours' })
    await put(
      { code: 'P0301', language: 'en', make: 'FORD', label: 'Of Ford' },
      { code: 'P1780', language: 'de', make: 'ford', label: 'Bei Ford' },
    )
    expect(await labels('en')).toEqual([
      '21 P0301 Of Ford',
      '21 P1780 Powertrain: transmission (manufacturer-specific code)',
      '22 P0301 Ours',
      '22 P1780 Powertrain: transmission (manufacturer-specific code)',
    ])
    expect(await labels('de')).toEqual([
      '21 P0301 Verbrennungsaussetzer Zylinder 1 erkannt',
      '21 P1780 Bei Ford',
      '22 P0301 Verbrennungsaussetzer Zylinder 1 erkannt',
      '22 P1780 Antriebsstrang: Getriebe (herstellerspezifischer Code)',
    ])

    // A client that syncs is sent exactly the codes whose text changed, each with a revision of its own.
    const changedBy = async (change: () => Promise<unknown>) => {
      const { modifyTimestamp } = await list('', own)
      await change()
      const { dtcs } = await list(`?filterTimestamp=${modifyTimestamp}`, own)
      expect(new Set(dtcs.map(dtc => dtc.modifyTimestamp)).size).toBe(dtcs.length)
      return dtcs.map(dtc => `${dtc.deviceId} ${dtc.code} ${dtc.label}`).sort()
    }
    expect(await changedBy(() => put({ code: 'P0301', language: 'en', make: 'Ford', label: 'New' }))).toEqual([
      '21 P0301 New',
    ])
    expect(await changedBy(() => put({ code: 'P0301', language: 'en', make: '', label: 'Anew' }))).toEqual([
      '22 P0301 Anew',
    ])
    expect(await changedBy(() => put({ code: 'P0301', language: 'en', make: '', label: 'Anew' }))).toEqual([])
    const remove = () =>
      writeTransaction(api.database, transaction =>
        removeLabel(transaction, { code: 'P0301', language: 'en', make: 'Ford' }),
      )
    expect(await changedBy(remove)).toEqual(['21 P0301 Anew'])
  })

  it('shows a stranger nothing and needs the permission', async () => {
    for (const query of ['', '?includeDeleted=true', '?filterTimestamp=1970-01-01', '?deviceId=11'])
      expect((await list(query, stranger)).dtcs).toEqual([])
    const response = await (await api.client('Fleet', ['trips'])).get('/dtcs')
    expect(response.statusCode).toBe(403)
    await expectDocumented(response, 'GET', '/dtcs')
  })
})
