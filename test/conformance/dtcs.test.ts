import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import type { VehicleRows } from '../fleet-rows.ts'
import type { Dtc, DtcList } from './shapes.ts'
import { type Client, REVISION, startWorld, type World } from './world.ts'

const DEVICE = 356307042441013

let world: World
let fleet: Client
let car: VehicleRows
/** By recordedTimestamp: misfire, hidden (deleted), brakes, other. */
let ids: { misfire: string; gone: string; brakes: string; other: string }
let dtc: Dtc

beforeAll(async () => {
  world = await startWorld()
  fleet = await world.client('Fleet')
  const { rows } = world
  car = await rows.vehicle(fleet.accountId, { deviceId: DEVICE, vin: 'WVWZZZ1JZ3W386752' })
  const second = await rows.vehicle(fleet.accountId, { deviceId: 17 })
  ids = {
    other: await rows.dtc(second, { recorded: '2020-02-25T08:00:00Z', type: 'FREEZEFRAME' }),
    brakes: await rows.dtc(car, { recorded: '2020-02-24T08:00:00Z', code: 'C0035', ecuTypeId: 3, type: 'SPORADIC' }),
    gone: await rows.dtc(car, { recorded: '2020-02-23T08:00:00Z', deleted: '2020-02-23T18:00:00Z' }),
    misfire: await rows.dtc(car, { recorded: '2020-02-22T14:37:07.797Z', code: 'P0301', ecuTypeId: 1 }),
  }
  dtc = (await list('')).dtcs[0] as Dtc
})
afterAll(() => world.stop())

const list = (query: string, as = fleet) => as.read<DtcList>(`/dtcs${query}`)
const idsOf = async (query: string) => (await list(query)).dtcs.map(({ id }) => id)

describe('DTC', () => {
  test.each<[title: string, field: keyof Dtc, expected: () => unknown]>([
    ['[C-DTC-01] id is a text', 'id', () => ids.misfire],
    ['[C-DTC-02] vehicleId', 'vehicleId', () => 'VINWVWZZZ1JZ3W386752'],
    ['[C-DTC-03] deviceId', 'deviceId', () => DEVICE],
    ['[C-DTC-04] ecuTypeId', 'ecuTypeId', () => 1],
    ['[C-DTC-05] ecuType', 'ecuType', () => 'Engine'],
    ['[C-DTC-06] code', 'code', () => 'P0301'],
    ['[C-DTC-07] encoded', 'encoded', () => '0301'],
    ['[C-DTC-08] encoding', 'encoding', () => 'PCODE'],
    ['[C-DTC-09] label', 'label', () => 'Misfire cylinder 1 detected'],
    ['[C-DTC-10] dtcType', 'dtcType', () => 'PERMANENT'],
    ['[C-DTC-11] recordedTimestamp', 'recordedTimestamp', () => '2020-02-22T14:37:07.797Z'],
    ['[C-DTC-12] deleteTimestamp is null while it is current', 'deleteTimestamp', () => null],
    ['[C-DTC-13] modifyTimestamp has microseconds', 'modifyTimestamp', () => expect.stringMatching(REVISION)],
  ])('%s', (_title, field, expected) => {
    expect(dtc[field]).toEqual(expected())
  })

  test('[C-DTC-08, C-DTC-10, D-REPLY-11] dtcType and encoding have the words of the document, in upper case', async () => {
    for (const encoding of ['HEX', 'DECIMAL', 'PCODE'])
      for (const type of ['PERMANENT', 'SPORADIC', 'FREEZEFRAME']) {
        await world.rows.change(
          revision => sql`
            update dtcs set encoding = ${encoding}, dtc_type = ${type}, modified = ${revision} where id = ${ids.other}::bigint`,
        )
        expect((await list('?deviceId=17')).dtcs).toMatchObject([{ encoding, dtcType: type }])
      }
  })

  test('[C-CONVENTION-08] label and ecuType are translated as Accept-Language says', async () => {
    const { dtcs } = await fleet.read<DtcList>('/dtcs', { 'accept-language': 'de' })
    expect(dtcs[0]).toEqual({ ...dtc, ecuType: 'Motor', label: 'Verbrennungsaussetzer Zylinder 1 erkannt' })
    expect(dtcs[1]).toMatchObject({ ecuType: 'Bremsen', label: 'Raddrehzahlsensor vorn links: Fehlfunktion' })
  })

  test('[D-REPLY-04] what is not known of a code is empty', async () => {
    const unknown = await world.rows.vehicle((await world.client('Unknown')).accountId, { deviceId: 18 })
    await world.rows.dtc(unknown, { recorded: '2020-02-22T14:37:07Z', code: '12345' })
    const client = await world.client('Unknown')
    expect((await list('', client)).dtcs).toMatchObject([{ label: '', ecuTypeId: 0, ecuType: '' }])
  })
})

describe('GET /dtcs', () => {
  test('[C-DTCS-01, D-REPLY-13] lists the current codes of the account by recordedTimestamp', async () => {
    expect(await idsOf('')).toEqual([ids.misfire, ids.brakes, ids.other])
    expect((await list('', await world.client('Strangers'))).dtcs).toEqual([])
  })

  test('[D-REPLY-13] codes recorded at the same time are listed by id', async () => {
    const client = await world.client('Ties')
    const vehicle = await world.rows.vehicle(client.accountId, { deviceId: 19 })
    const expected = []
    for (const code of ['P0303', 'P0302', 'P0301'])
      expected.push(await world.rows.dtc(vehicle, { recorded: '2020-02-22T14:37:07Z', code }))
    expect((await list('', client)).dtcs.map(({ id }) => id)).toEqual(expected)
  })

  test('[C-DTCS-07] is an object with dtcs and modifyTimestamp', async () => {
    const body = await list('')
    expect(Object.keys(body).sort()).toEqual(['dtcs', 'modifyTimestamp'])
    expect(body.modifyTimestamp).toMatch(REVISION)
  })

  test.each<[title: string, query: string, expected: readonly (keyof typeof ids)[]]>([
    ['[C-DTCS-02] deviceId', '?deviceId=17', ['other']],
    ['[C-DTCS-03] vehicleId', '?vehicleId=VINWVWZZZ1JZ3W386752', ['misfire', 'brakes']],
    [
      '[C-DTCS-04, D-REPLY-23] fromTimestamp is of recordedTimestamp, included',
      '?fromTimestamp=2020-02-24T08:00:00Z',
      ['brakes', 'other'],
    ],
    [
      '[C-DTCS-04, D-REPLY-23] toTimestamp is of recordedTimestamp, included',
      '?toTimestamp=2020-02-24T08:00:00Z',
      ['misfire', 'brakes'],
    ],
    [
      '[C-DTCS-05, D-REPLY-19] maxResults alone keeps the newest, still ascending',
      '?maxResults=2',
      ['brakes', 'other'],
    ],
    [
      '[C-DTCS-05, D-REPLY-18] maxResults and fromTimestamp keep the first',
      '?maxResults=2&fromTimestamp=2020-01-01',
      ['misfire', 'brakes'],
    ],
    [
      '[D-REPLY-28, D-REPLY-29] includeDeleted=true lists codes no longer reported',
      '?includeDeleted=true',
      ['misfire', 'gone', 'brakes', 'other'],
    ],
  ])('%s', async (_title, query, expected) => {
    expect(await idsOf(query)).toEqual(expected.map(name => ids[name]))
  })

  test('[C-DTCS-06, D-REPLY-15, D-REPLY-29] filterTimestamp: what was modified later, by modifyTimestamp, deleted ones too', async () => {
    const { dtcs } = await list('?filterTimestamp=1970-01-01')
    const revisions = dtcs.map(({ modifyTimestamp }) => modifyTimestamp)
    expect(revisions).toEqual([...revisions].sort())
    expect(dtcs.find(({ id }) => id === ids.gone)?.deleteTimestamp).toBe('2020-02-23T18:00:00.000Z')
    expect(dtcs).toHaveLength(4)
    expect((await list(`?filterTimestamp=${revisions[1]}`)).dtcs).toEqual(dtcs.slice(2))
  })
})

describe('lists of codes that a dongle reports', () => {
  const OTHER = 356307042441021
  let reporting: Client
  beforeAll(async () => {
    reporting = await world.client('Reporting')
  })

  const reported = (minute: number, values: Readonly<Record<string, string>>, deviceId = OTHER) =>
    reporting.measured(deviceId, `2020-02-22T14:${String(minute).padStart(2, '0')}:00Z`, values)
  const at = (minute: number) => `2020-02-22T14:${String(minute).padStart(2, '0')}:00.000Z`
  const said = async (query = '', language = 'en') =>
    (await reporting.read<DtcList>(`/dtcs${query}`, { 'accept-language': language })).dtcs.map(
      ({ code, dtcType, ecuType, label, recordedTimestamp, deleteTimestamp }) =>
        [code, dtcType, ecuType, label, recordedTimestamp, deleteTimestamp ?? 'current'].join(' | '),
    )

  test('[D-FLEET-16] a code is current from the first list with it until the first later list of that kind without it', async () => {
    await reported(20, { OBD_DTC_PERMANENT: 'P0301', OBD_DTC_SPORADIC: '' })
    await reported(22, { OBD_DTC_PERMANENT: 'P0301 P0420' })
    await reported(24, { OBD_DTC_SPORADIC: '' })
    const misfire = 'P0301 | PERMANENT | Engine | Misfire cylinder 1 detected'
    const catalyst = 'P0420 | PERMANENT | Engine | Catalyst system bank 1 efficiency below threshold'
    expect(await said()).toEqual([`${misfire} | ${at(20)} | current`, `${catalyst} | ${at(22)} | current`])
    expect(await said('', 'de')).toEqual([
      `P0301 | PERMANENT | Motor | Verbrennungsaussetzer Zylinder 1 erkannt | ${at(20)} | current`,
      `P0420 | PERMANENT | Motor | Katalysator Bank 1: Wirkung unter dem Grenzwert | ${at(22)} | current`,
    ])

    const { modifyTimestamp } = await reporting.read<DtcList>('/dtcs')
    await reported(30, { OBD_DTC_PERMANENT: 'P0420' })
    expect(await said()).toEqual([`${catalyst} | ${at(22)} | current`])
    expect(await said('?includeDeleted=true')).toEqual([
      `${misfire} | ${at(20)} | ${at(30)}`,
      `${catalyst} | ${at(22)} | current`,
    ])
    expect(await said(`?filterTimestamp=${modifyTimestamp}`)).toEqual([`${misfire} | ${at(20)} | ${at(30)}`])

    // A late upload: the code had disappeared in between, and was there before.
    await reported(23, { OBD_DTC_PERMANENT: 'P0420' })
    await reported(18, { OBD_DTC_PERMANENT: 'P0301' })
    expect(await said('?includeDeleted=true')).toEqual([
      `${misfire} | ${at(18)} | ${at(23)}`,
      `${catalyst} | ${at(22)} | current`,
    ])
  })

  test('[D-FLEET-18] codes are separated by commas, semicolons or blanks; what is no code is passed over, as a number beside letters', async () => {
    await reported(20, { OBD_DTC_SPORADIC: 'u0100,0x4035; 769 nonsense  7E9:0703' }, 356307042441039)
    const { dtcs } = await reporting.read<DtcList>('/dtcs?deviceId=356307042441039')
    expect(dtcs.map(({ code, encoded, encoding, ecuType }) => [code, encoded, encoding, ecuType])).toEqual([
      ['U0100', 'U0100', 'PCODE', ''],
      ['C0035', '4035', 'HEX', 'Brakes'],
      ['P0703', '0703', 'HEX', 'Transmission'],
    ])
  })

  test('[C-DTC-10] a freeze frame is a row beside its code', async () => {
    await reported(20, { OBD_DTC_PERMANENT: 'P0301 FF:P0301' }, 356307042441047)
    const { dtcs } = await reporting.read<DtcList>('/dtcs?deviceId=356307042441047')
    expect(dtcs.map(({ code, dtcType }) => `${code} ${dtcType}`)).toEqual(['P0301 PERMANENT', 'P0301 FREEZEFRAME'])
  })
})
