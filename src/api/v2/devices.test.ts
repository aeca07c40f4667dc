import { afterAll, describe, expect, it } from 'vitest'
import { startApi } from '../../../test/api.ts'
import { fleetRows } from '../../../test/fleet-rows.ts'
import { walkPages } from '../../../test/list-walk.ts'
import { expectDocumented } from '../../../test/openapi-conformity.ts'
import { everythingOf, syncOneByOne } from '../../../test/sync-client.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import type { Device } from './devices.ts'

const IMEIS = [356307042441013, 356307042441021, 356307042441039, 356307042441047]

const api = await startApi()
const rows = fleetRows(api.database)
const client = await api.client('Fleet')
const stranger = await api.client('Other')
const vehicles = []
for (const [index, deviceId] of IMEIS.entries())
  vehicles.push(
    await rows.vehicle(client.accountId, { deviceId, ...(index === 0 ? { vin: 'WVWZZZ1KZAW000001' } : {}) }),
  )
await rows.change(
  revision => sql`
    update devices set manufacturer = 'Teltonika', hardware_type = 'FMB003', hardware_version = '2',
      firmware_version = '03.28', is_online = true, modified = ${revision} where id = ${IMEIS[0]}`,
)
await rows.change(
  revision => sql`
    update devices set is_online = true, is_plugged_in = false, modified = ${revision} where id = ${IMEIS[1]}`,
)
await rows.change(
  revision => sql`update devices set is_plugged_in = true, modified = ${revision} where id = ${IMEIS[2]}`,
)

afterAll(() => api.stop())

interface List {
  readonly devices: readonly Device[]
  readonly modifyTimestamp: string
}

async function list(query = '', as = client): Promise<List> {
  const response = await as.get(`/devices${query}`)
  expect(response.statusCode === 200 ? 200 : response.body).toBe(200)
  await expectDocumented(response, 'GET', '/devices')
  return response.json<List>()
}

const idsOf = async (query: string) => (await list(query)).devices.map(device => device.id)

describe('GET /devices', () => {
  it('lists the devices of the account by id, with every field', async () => {
    const { devices, modifyTimestamp } = await list()
    expect(devices.map(device => device.id)).toEqual(IMEIS)
    expect(devices[0]).toEqual({
      id: IMEIS[0],
      manufacturer: 'Teltonika',
      hardwareType: 'FMB003',
      hardwareVersion: '2',
      firmwareVersion: '03.28',
      isOnline: true,
      isPluggedIn: true,
      vehicleId: 'VINWVWZZZ1KZAW000001',
      tripId: '',
      modifyTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    })
    expect(devices[3]?.vehicleId).toBe(`IMEI_${IMEIS[3]}`)
    expect(devices.every(device => device.modifyTimestamp <= modifyTimestamp)).toBe(true)
  })

  it('isPluggedIn: latest IS_DONGLE_PLUGGED_IN, else true while online', async () => {
    expect((await list()).devices.map(device => device.isPluggedIn)).toEqual([true, false, true, false])
  })

  it('shows the trip in progress', async () => {
    const vehicle = await rows.vehicle(client.accountId, { deviceId: 77 })
    await rows.trip(vehicle, { start: '2020-01-01T00:00:00Z' })
    await rows.trip(vehicle, { start: '2020-01-03T00:00:00Z', isOpen: true, deleted: '2020-01-03T00:00:00Z' })
    const open = await rows.trip(vehicle, { start: '2020-01-02T00:00:00Z', isOpen: true })
    expect((await list('?deviceIds=77')).devices[0]?.tripId).toBe(open)
    await rows.change(() => sql`update assignments set to_time = now() where device_id = 77`)
    expect(await idsOf('?deviceIds=77')).toEqual([])
  })

  it.each([
    ['?isOnline=true', [0, 1]],
    ['?isOnline=FALSE', [2, 3]],
    ['?isPluggedIn=True', [0, 2]],
    ['?isPluggedIn=false', [1, 3]],
    ['?isOnline=true&isPluggedIn=false', [1]],
    [`?deviceIds=${IMEIS[2]}, ${IMEIS[0]} ,1`, [0, 2]],
    [`?deviceIds=${IMEIS[2]}&deviceIds=${IMEIS[3]}`, [2, 3]],
    ['?deviceIds=1', []],
    ['?isOnline=', [0, 1, 2, 3]],
    ['?fromTimestamp=2100-01-01', []],
    ['?toTimestamp=2000-01-01', []],
    ['?fromTimestamp=2100-01-01&toTimestamp=2000-01-01', []],
    ['?maxResults=1000000&unknown=1', [0, 1, 2, 3]],
  ])('%s lists devices %j', async (query, expected) => {
    expect(await idsOf(query)).toEqual(expected.map(index => IMEIS[index]))
  })

  it('a range of modifyTimestamp includes both ends', async () => {
    const revisions = (await list()).devices.map(device => device.modifyTimestamp).sort()
    const inside = (await list(`?fromTimestamp=${revisions[1]}&toTimestamp=${revisions[2]}`)).devices
    expect(inside.map(device => device.modifyTimestamp).sort()).toEqual(revisions.slice(1, 3))
  })

  it('with filterTimestamp, lists what is newer by modifyTimestamp', async () => {
    const everything = (await list('?filterTimestamp=1970-01-01')).devices
    const revisions = everything.map(device => device.modifyTimestamp)
    expect(revisions).toEqual([...revisions].sort())
    expect(everything).toHaveLength(IMEIS.length)
    expect((await list(`?filterTimestamp=${revisions[1]}`)).devices).toEqual(everything.slice(2))
  })

  it('the top-level modifyTimestamp is a string also of an empty list, and never below the filter', async () => {
    const { modifyTimestamp } = await list('', stranger)
    expect(Math.abs(Date.parse(modifyTimestamp) - Date.now())).toBeLessThan(60_000)
    expect((await list('?filterTimestamp=2100-01-01')).modifyTimestamp).toBe('2100-01-01T00:00:00.000000Z')
  })

  it.each([1, 2, 3, 4, 5])('pages of %i lead to every device exactly once, in order', async size => {
    for (const filter of ['', '&filterTimestamp=1970-01-01']) {
      const pages = await walkPages<Device>(client, `/devices?maxResults=${size}${filter}`, 'devices')
      const walked = pages.flat().map(device => device.id)
      expect(pages.slice(0, -1).every(page => page.length === size)).toBe(true)
      expect(walked).toEqual((await list(`?${filter}`)).devices.map(device => device.id))
    }
  })

  it.each([
    ['?maxResults=0', 'maxResults'],
    ['?maxResults=1.5', 'maxResults'],
    ['?maxResults=many', 'maxResults'],
    ['?deviceIds=abc', 'deviceIds'],
    ['?deviceIds=9007199254740992', 'deviceIds'],
    ['?deviceIds=0', 'deviceIds'],
    ['?isOnline=yes', 'isOnline'],
    ['?isPluggedIn=1', 'isPluggedIn'],
    ['?fromTimestamp=2020-02-30', 'fromTimestamp'],
    ['?toTimestamp=tomorrow', 'toTimestamp'],
    ['?filterTimestamp=1', 'filterTimestamp'],
    ['?cursor=abc', 'cursor'],
    [`?cursor=${Buffer.from('["devices first","x",1]').toString('base64url')}`, 'cursor'],
    [`?cursor=${Buffer.from('["devices first","2020-01-01T00:00:00.000000Z",1e300]').toString('base64url')}`, 'cursor'],
    [`?cursor=${Buffer.from('["trips first","2020-01-01T00:00:00.000000Z",1]').toString('base64url')}`, 'cursor'],
  ])('%s is refused with a message that names %s', async (query, parameter) => {
    const response = await client.get(`/devices${query}`)
    expect(response.statusCode).toBe(400)
    expect(response.json<{ errorMessage: string }>().errorMessage).toMatch(new RegExp(`^${parameter} `))
    await expectDocumented(response, 'GET', '/devices')
  })

  it('shows a stranger nothing and needs the permission', async () => {
    expect((await list('', stranger)).devices).toEqual([])
    expect((await list(`?deviceIds=${IMEIS[0]}`, stranger)).devices).toEqual([])
    const response = await (await api.client('Fleet', ['vehicles'])).get('/devices')
    expect(response.statusCode).toBe(403)
    await expectDocumented(response, 'GET', '/devices')
    const unknown = await api.inject({ url: '/cc/v2.0/devices?maxResults=x' })
    expect(unknown.statusCode).toBe(401)
    expect(unknown.json()).toEqual({ errorMessage: 'Unauthorized.' })
    await expectDocumented(unknown, 'GET', '/devices')
  })
})

describe('GET /devices/{deviceId}', () => {
  it('answers what the list has; filterTimestamp has no effect', async () => {
    const response = await client.get(`/devices/${IMEIS[0]}?filterTimestamp=2100-01-01`)
    await expectDocumented(response, 'GET', '/devices/1')
    expect(response.json()).toEqual((await list()).devices[0])
  })

  it('is not sent again to who has it already', async () => {
    const { headers } = await client.get(`/devices/${IMEIS[0]}`)
    const response = await client.get(`/devices/${IMEIS[0]}`, { 'if-none-match': String(headers.etag) })
    expect([response.statusCode, response.body]).toEqual([304, ''])
    await expectDocumented(response, 'GET', '/devices/1')
  })

  it('answers alike for a device that does not exist and for one of another account', async () => {
    const unknown = await client.get('/devices/1')
    const foreign = await stranger.get(`/devices/${IMEIS[0]}`)
    expect([unknown.statusCode, foreign.statusCode]).toEqual([404, 404])
    expect(foreign.body).toBe(unknown.body.replace('1', String(IMEIS[0])))
    await expectDocumented(foreign, 'GET', '/devices/1')
  })

  it.each([
    ['/devices/abc', 'deviceId'],
    ['/devices/-1', 'deviceId'],
    ['/devices/9007199254740992', 'deviceId'],
    [`/devices/${IMEIS[0]}?filterTimestamp=x`, 'filterTimestamp'],
  ])('%s is refused naming %s', async (path, parameter) => {
    const response = await client.get(path)
    expect(response.statusCode).toBe(400)
    expect(response.json<{ errorMessage: string }>().errorMessage).toMatch(new RegExp(`^${parameter} `))
  })
})

it('sync of devices misses nothing with eight writers, a slow transaction and maxResults=1', async () => {
  const fleet = await api.client('Synced')
  const ids = Array.from({ length: 6 }, (_, index) => 1000 + index)
  for (const deviceId of ids) await rows.vehicle(fleet.accountId, { deviceId })

  const change = (round: string, deviceId: number | undefined, pauseMs: number) =>
    writeTransaction(api.database, async transaction => {
      const revision = await transaction.takeRevisions(1)
      await transaction.rows(sql`select pg_sleep(${pauseMs / 1000})`)
      await transaction.rows(sql`
        update devices set firmware_version = ${round}, modified = ${revision} where id = ${deviceId}`)
    })
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let round = 0; round < 12; round++)
      await change(`${writer}.${round}`, ids[(writer * 5 + round) % (ids.length - 1)], (writer * 7 + round * 3) % 20)
  })
  const slow = change('slow', ids.at(-1), 2500)
  let isDone = false
  const finish = async () => {
    await Promise.all([...writers, slow])
    isDone = true
  }
  const [known] = await Promise.all([syncOneByOne<Device>(fleet, '/devices', () => isDone), finish()])
  expect(known).toEqual(await everythingOf<Device>(fleet, '/devices'))
  expect(known.get(1005)?.firmwareVersion).toBe('slow')
})
