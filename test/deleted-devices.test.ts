import { afterAll, describe, expect, test } from 'vitest'
import { imeiOf } from '../lab/simulation/imei.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { sweepTombstones } from '../src/fleet/erase-device.ts'
import { query } from './embedded-folder.ts'
import { startService } from './service.ts'
import { settled } from './settled.ts'

let key = ''
let serial = 0

const service = await startService()
key = await service.key('Fleet')
afterAll(() => service.stop())

const newImei = () => imeiOf('35630709', ++serial)
const newVin = () => `WVWZZZ1KZAW${String(++serial).padStart(6, '0')}`
const select = (statement: string) => query(service.config.databaseUrl, statement)

async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: Answer }> {
  const reply = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  return { status: reply.status, body: (text === '' ? {} : JSON.parse(text)) as Answer }
}

type Answer = Readonly<Record<string, unknown>> & {
  readonly modifyTimestamp?: string
  readonly trips?: readonly Readonly<Record<string, unknown>>[]
  readonly vehicles?: readonly Readonly<Record<string, unknown>>[]
  readonly dtcs?: readonly Readonly<Record<string, unknown>>[]
}

/** Drives for some minutes, from that hour of the day on. */
async function drive(deviceId: number, hour: number, more: readonly [string, unknown][] = []): Promise<void> {
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 15, hour, minute)).toISOString()
  const event = (minute: number, eventType: string, value: unknown) => ({
    deviceId,
    recordedTimestamp: at(minute),
    eventType,
    value,
  })
  const events = [
    ...more.map(([type, value]) => event(0, type, value)),
    ...more.map(([type, value]) => event(1, type, value)),
    event(2, 'IS_IGNITION_ON', true),
    ...[2, 4, 6, 8].flatMap(minute => [
      event(minute, 'MILEAGE', 1000 + hour * 20 + minute),
      event(minute, 'POSITION', { lat: 52.5 + minute / 100, lon: 13.4 }),
    ]),
    event(8, 'IS_IGNITION_ON', false),
    event(20, 'IS_IGNITION_ON', false),
  ]
  expect(await ask('POST', '/ingest/events', events)).toMatchObject({ status: 200 })
  await settled(service.database)
}

/** Tables in which something still refers to a device, with how often. */
async function leftOf(deviceId: number): Promise<Readonly<Record<string, number>>> {
  const tables = await select(`select table_name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where table_schema = 'public' and column_name = 'device_id' and t.table_type = 'BASE TABLE'
      and table_name not like 'samples\\_%' order by 1`)
  const left: Record<string, number> = {}
  for (const { table_name: name } of tables) {
    const [row] = await select(`select count(*)::integer as count from ${String(name)} where device_id = ${deviceId}`)
    if (Number(row?.count) > 0) left[String(name)] = Number(row?.count)
  }
  return left
}

describe('a dongle that is deleted', () => {
  test('leaves nothing of what it measured, and clients that sync are told', async () => {
    const [deviceId, vin] = [newImei(), newVin()]
    await ask('POST', '/admin/devices', { deviceId, vin, licensePlate: 'B-TA 1' })
    await drive(deviceId, 8, [['OBD_DTC_PERMANENT', 'P0301']])
    const before = (await ask('GET', '/cc/v2.0/trips')).body
    const [trip] = before.trips ?? []
    const codes = (await ask('GET', '/cc/v2.0/dtcs')).body
    const cars = (await ask('GET', '/cc/v2.0/vehicles')).body
    expect([before.trips?.length, codes.dtcs?.length, cars.vehicles?.length]).toEqual([1, 1, 1])

    expect(await ask('DELETE', `/admin/devices/${deviceId}`)).toEqual({ status: 204, body: {} })

    expect(await leftOf(deviceId)).toEqual({ dtcs: 1, trips: 1 })
    const [shown] = await select(`select * from trips where device_id = ${deviceId}`)
    expect(shown).toMatchObject({
      polyline: '',
      meters: {},
      distance_m: 0,
      start_address_id: null,
      end_address_id: null,
    })
    expect(String(shown?.start_time)).not.toContain('2026-01-15')
    expect(await select('select * from vehicle_days')).toEqual([])
    expect(await select('select * from addresses')).toEqual([])
    const since = (list: string, answer: Answer) =>
      ask('GET', `/cc/v2.0/${list}?filterTimestamp=${answer.modifyTimestamp}`)
    expect((await since('trips', before)).body.trips).toMatchObject([
      { id: trip?.id, distance: 0, duration: 0, deleteTimestamp: expect.any(String) },
    ])
    expect((await since('dtcs', codes)).body.dtcs).toMatchObject([{ deleteTimestamp: expect.any(String) }])
    const gone = (await since('vehicles', cars)).body.vehicles ?? []
    expect(gone.find(({ id }) => id === `VIN${vin}`)).toMatchObject({ deleteTimestamp: expect.any(String) })
    expect(JSON.stringify(gone)).not.toContain('B-TA 1')
    expect((await ask('GET', `/cc/v2.0/devices/${deviceId}`)).status).toBe(404)
    for (const list of ['trips', 'dtcs', 'devices', 'events?maxResults=10'])
      expect(JSON.stringify((await ask('GET', `/cc/v2.0/${list}`)).body)).not.toContain(String(deviceId))
    const { body } = await ask('GET', '/cc/v2.0/aggregations?binSize=YEAR&bin=FLEET&aggregationType=SUM')
    expect(JSON.stringify(body)).not.toContain('"value":8')
    expect((await ask('DELETE', `/admin/devices/${deviceId}`)).status).toBe(404)
  })

  test('may come again, with nothing of before, into the same car as a new one', async () => {
    const [deviceId, vin] = [newImei(), newVin()]
    await ask('POST', '/admin/devices', { deviceId, vin })
    await drive(deviceId, 8)
    await ask('DELETE', `/admin/devices/${deviceId}`)
    await drive(deviceId, 12)
    const { body } = await ask('GET', `/cc/v2.0/trips?deviceId=${deviceId}`)
    expect(body.trips).toMatchObject([
      { tripStartTimestamp: '2026-01-15T12:02:00.000Z', vehicleId: `IMEI_${deviceId}` },
    ])
    expect((await ask('GET', `/cc/v2.0/vehicles/IMEI_${deviceId}`)).body).toMatchObject({
      deleteTimestamp: null,
      deviceId,
    })
    await ask('DELETE', `/admin/devices/${deviceId}`)
    expect((await ask('POST', '/admin/devices', { deviceId, vin, licensePlate: 'B-TA 3' })).status).toBe(201)
    expect((await ask('GET', `/cc/v2.0/vehicles/VIN${vin}`)).body).toMatchObject({
      deleteTimestamp: null,
      deviceId,
      licensePlate: 'B-TA 3',
    })
  })

  test('takes all cars with it in which it was alone, and leaves those of others', async () => {
    const [deviceId, other] = [newImei(), newImei()]
    const [first, second, shared] = [newVin(), newVin(), newVin()]
    await ask('POST', '/admin/devices', { deviceId, vin: first })
    await ask('POST', '/admin/devices', { deviceId: other, vin: shared })
    await drive(deviceId, 8)
    await ask('POST', `/admin/devices/${deviceId}/move`, { vin: second, fromTimestamp: '2026-01-15T09:00:00Z' })
    await drive(deviceId, 10)
    await ask('POST', `/admin/devices/${deviceId}/move`, { vin: shared, fromTimestamp: '2026-01-15T11:00:00Z' })
    await drive(deviceId, 12)
    await drive(other, 12)
    await drive(other, 14)
    const { body: before } = await ask('GET', '/cc/v2.0/vehicles')
    const trips = async (vin: string) => (await ask('GET', `/cc/v2.0/trips?vehicleId=VIN${vin}`)).body.trips ?? []
    // Of the drive that both tell of, one counts.
    expect((await trips(shared)).length).toBe(2)
    expect((await ask('DELETE', `/admin/devices/${deviceId}`)).status).toBe(204)
    const { body } = await ask('GET', `/cc/v2.0/vehicles?filterTimestamp=${before.modifyTimestamp}`)
    const deleted = (body.vehicles ?? []).filter(({ deleteTimestamp }) => deleteTimestamp !== null).map(({ id }) => id)
    expect(new Set(deleted)).toEqual(new Set([`IMEI_${deviceId}`, `VIN${first}`, `VIN${second}`]))
    expect(await trips(shared)).toMatchObject([{ deviceId: other }, { deviceId: other }])
    expect((await ask('GET', `/cc/v2.0/vehicles/VIN${shared}`)).body).toMatchObject({
      deleteTimestamp: null,
      deviceId: other,
    })
    expect(await leftOf(deviceId)).toEqual({ trips: 3 })
  })

  test('leaves nothing at all when clients had long enough to learn of it, and may come again nevertheless', async () => {
    const [deviceId, other, vin] = [newImei(), newImei(), newVin()]
    await ask('POST', '/admin/devices', { deviceId, vin })
    await drive(deviceId, 8, [['OBD_DTC_PERMANENT', 'P0301']])
    await drive(other, 8, [['OBD_DTC_PERMANENT', 'P0302']])
    await ask('DELETE', `/admin/devices/${deviceId}`)
    const sweep = async (beforeMs: number) => {
      let [rows, swept] = [0, 0]
      do {
        swept = await writeTransaction(service.database, transaction => sweepTombstones(transaction, beforeMs))
        rows += swept
      } while (swept > 0)
      return rows
    }
    expect(await sweep(Date.now() - 3_600_000)).toBe(0)
    expect(await leftOf(deviceId)).toEqual({ dtcs: 1, trips: 1 })
    expect(await sweep(Date.now() + 1000)).toBeGreaterThanOrEqual(5)
    expect(await leftOf(deviceId)).toEqual({})
    expect(await select(`select 1 from devices where id = ${deviceId}`)).toEqual([])
    expect(await select(`select 1 from vehicles where public_id in ('VIN${vin}', 'IMEI_${deviceId}')`)).toEqual([])
    expect(await select(`select 1 from former_vehicle_ids where public_id = 'VIN${vin}'`)).toEqual([])
    const lists = ['trips', 'dtcs'].map(list => ask('GET', `/cc/v2.0/${list}?deviceId=${other}`))
    expect(await Promise.all(lists)).toMatchObject([{ body: { trips: [{}] } }, { body: { dtcs: [{}] } }])
    await drive(deviceId, 12)
    expect((await ask('GET', `/cc/v2.0/trips?deviceId=${deviceId}`)).body.trips).toHaveLength(1)
  })

  test('that had another account before is for the operator to delete', async () => {
    const deviceId = newImei()
    await ask('POST', '/admin/devices', { deviceId })
    await service.key('Other')
    const [{ id } = { id: 0 }] = (await select(`select id from accounts where name = 'Other'`)) as { id: number }[]
    const { moveDevice } = await import('../src/fleet/with-consequences.ts')
    const to = { kind: 'new', vin: undefined } as const
    await moveDevice(service.database, { deviceId, to, accountId: id, atMs: undefined })
    expect((await ask('DELETE', `/admin/devices/${deviceId}`)).status).toBe(404)
    const other = await service.key('Other')
    const reply = await fetch(`${service.url}/admin/devices/${deviceId}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${other}` },
    })
    expect([reply.status, await reply.json()]).toEqual([
      400,
      {
        errorMessage: `The device ${deviceId} was not always in this account: the operator of the service deletes it.`,
      },
    ])
  })
})
