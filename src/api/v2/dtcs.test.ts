import { afterAll, describe, expect, it } from 'vitest'
import { startApi, type TestClient } from '../../../test/api.ts'
import { fleetRows } from '../../../test/fleet-rows.ts'
import { expectDocumented } from '../../../test/openapi-conformity.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { type DtcLabel, importLabels, removeLabel } from '../../derive/dtcs/labels.ts'
import type { Dtc } from './dtcs.ts'

const api = await startApi()
const rows = fleetRows(api.database)
afterAll(() => api.stop())

interface List {
  readonly dtcs: readonly Dtc[]
  readonly modifyTimestamp: string
}

async function list(query: string, as: TestClient, language = 'en'): Promise<List> {
  const response = await as.get(`/dtcs${query}`, { 'accept-language': language })
  expect(response.statusCode === 200 ? 200 : response.body).toBe(200)
  await expectDocumented(response, 'GET', '/dtcs')
  return response.json<List>()
}

describe('GET /dtcs', () => {
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
})
