import { afterAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import type { Device, DeviceList, LastEvent, Vehicle } from './shapes.ts'
import { REVISION, startWorld } from './world.ts'

const ONLINE = 356307042441013
const UNPLUGGED = 356307042441021
const SILENT = 356307042441039
const FIRMWARE = 'Ver:03.28.07_04 GPS:AXN_5.10 Hw:FMB003 Mod:13'

const world = await startWorld()
const fleet = await world.client('Fleet')
await fleet.measured(ONLINE, '2020-02-22T14:37:07.797Z', { GPS_SPEED: 48.5, FIRMWARE_VERSION: FIRMWARE })
await fleet.measured(UNPLUGGED, '2020-02-22T14:37:07Z', { IS_DONGLE_PLUGGED_IN: false })
await world.rows.vehicle(fleet.accountId, { deviceId: SILENT, vin: 'WVWZZZ1KZAW000001' })
await world.rows.trip(await world.vehicleOf(ONLINE), { start: '2020-02-22T14:37:00Z', isOpen: true })
const device = await fleet.read<Device>(`/devices/${ONLINE}`)
afterAll(() => world.stop())

const list = (query: string, as = fleet) => as.read<DeviceList>(`/devices${query}`)
const idsOf = async (query: string) => (await list(query)).devices.map(({ id }) => id)

describe('Device', () => {
  test.each<[title: string, field: keyof Device, expected: unknown]>([
    ['[C-DEVICE-01, C-OBJECT-02] id is the IMEI, a whole number beyond 32 bits', 'id', ONLINE],
    ['[C-DEVICE-02] manufacturer', 'manufacturer', 'Teltonika'],
    ['[C-DEVICE-03] hardwareType', 'hardwareType', 'FMB003'],
    ['[C-DEVICE-04] hardwareVersion', 'hardwareVersion', '13'],
    ['[C-DEVICE-05] firmwareVersion', 'firmwareVersion', FIRMWARE],
    ['[C-DEVICE-06] isOnline of a device that just sent', 'isOnline', true],
    ['[C-DEVICE-07] isPluggedIn of a device that sends', 'isPluggedIn', true],
    ['[C-DEVICE-08] vehicleId of the car it is in', 'vehicleId', `IMEI_${ONLINE}`],
    ['[C-DEVICE-09] tripId of the trip in progress', 'tripId', '1'],
    ['[C-DEVICE-10] modifyTimestamp', 'modifyTimestamp', expect.stringMatching(REVISION)],
  ])('%s', (_title, field, expected) => {
    expect(device[field]).toEqual(expected)
  })

  test('[C-DEVICE-10] modifyTimestamp moves when the status changes, and only then', async () => {
    const before = (await list(`?deviceIds=${SILENT}`)).devices[0]
    await fleet.measured(SILENT, '2020-02-22T15:00:00Z', { GPS_SPEED: 1 })
    const online = (await list(`?deviceIds=${SILENT}`)).devices[0]
    await fleet.measured(SILENT, '2020-02-22T15:00:01Z', { GPS_SPEED: 2 })
    const same = (await list(`?deviceIds=${SILENT}`)).devices[0]
    expect(before?.isOnline).toBe(false)
    expect(online?.isOnline).toBe(true)
    expect(String(online?.modifyTimestamp) > String(before?.modifyTimestamp)).toBe(true)
    expect(same).toEqual(online)
    await world.rows.change(
      revision => sql`update devices set is_online = false, modified = ${revision} where id = ${SILENT}`,
    )
  })

  test('[C-STATE-03] isOnline and isPluggedIn are booleans, whatever is known', async () => {
    for (const item of (await list('')).devices) {
      expect(item.isOnline).toBeTypeOf('boolean')
      expect(item.isPluggedIn).toBeTypeOf('boolean')
    }
  })

  test('[C-STATE-04] tripId is empty when no trip is in progress', async () => {
    expect((await fleet.read<Device>(`/devices/${SILENT}`)).tripId).toBe('')
    expect((await fleet.read<Vehicle>('/vehicles/VINWVWZZZ1KZAW000001')).tripId).toBe('')
  })
})

describe('GET /devices', () => {
  test('[C-DEVICES-01] lists the devices visible to the caller, and to nobody else', async () => {
    expect(await idsOf('')).toEqual([ONLINE, UNPLUGGED, SILENT])
    const stranger = await world.client('Strangers')
    expect((await list('', stranger)).devices).toEqual([])
  })

  test('[C-DEVICES-09] is an object with devices and modifyTimestamp', async () => {
    const body = await list('')
    expect(Object.keys(body).sort()).toEqual(['devices', 'modifyTimestamp'])
    expect(body.devices[0]).toEqual(device)
    expect(body.modifyTimestamp).toMatch(REVISION)
  })

  test.each<[title: string, query: string, expected: readonly number[]]>([
    ['[C-DEVICES-02] deviceIds is a list of IMEIs', `?deviceIds=${SILENT},${ONLINE}`, [ONLINE, SILENT]],
    ['[C-DEVICES-03] isOnline=true', '?isOnline=true', [ONLINE, UNPLUGGED]],
    ['[C-DEVICES-03] isOnline=false', '?isOnline=false', [SILENT]],
    ['[C-DEVICES-04] isPluggedIn=true', '?isPluggedIn=true', [ONLINE]],
    ['[C-DEVICES-04] isPluggedIn=false', '?isPluggedIn=false', [UNPLUGGED, SILENT]],
    ['[C-DEVICES-08] maxResults caps the list', '?maxResults=2', [ONLINE, UNPLUGGED]],
  ])('%s', async (_title, query, expected) => {
    expect(await idsOf(query)).toEqual(expected)
  })

  test('[C-DEVICES-05, C-DEVICES-06, D-REPLY-21] fromTimestamp and toTimestamp are of modifyTimestamp, ends included', async () => {
    const revisions = (await list('')).devices.map(({ modifyTimestamp }) => modifyTimestamp).sort()
    const within = async (query: string) =>
      (await list(query)).devices.map(({ modifyTimestamp }) => modifyTimestamp).sort()
    expect(await within(`?fromTimestamp=${revisions[1]}`)).toEqual(revisions.slice(1))
    expect(await within(`?toTimestamp=${revisions[1]}`)).toEqual(revisions.slice(0, 2))
    expect(await within(`?fromTimestamp=${revisions[1]}&toTimestamp=${revisions[1]}`)).toEqual([revisions[1]])
  })

  test('[C-DEVICES-07] filterTimestamp leaves only what was modified later', async () => {
    const sorted = (await list('?filterTimestamp=1970-01-01')).devices
    expect(sorted).toHaveLength(3)
    expect((await list(`?filterTimestamp=${sorted[0]?.modifyTimestamp}`)).devices).toEqual(sorted.slice(1))
  })
})

describe('GET /devices/{deviceId}', () => {
  test('[C-ONEDEVICE-01] is the device as in the list', async () => {
    for (const item of (await list('')).devices) expect(await fleet.read(`/devices/${item.id}`)).toEqual(item)
  })

  test('[C-ONEDEVICE-02] accepts filterTimestamp', async () => {
    expect(await fleet.read(`/devices/${ONLINE}?filterTimestamp=2100-01-01T00:00:00Z`)).toEqual(device)
  })
})

describe('status of a device', () => {
  test('[D-FLEET-08] isOnline: something arrived within the last 5 minutes, by the clock of the database', async () => {
    const isOnline = async () => (await fleet.read<Device>(`/devices/${ONLINE}`)).isOnline
    await sweepAfter(ONLINE, 4)
    expect(await isOnline()).toBe(true)
    await sweepAfter(ONLINE, 6)
    await expect.poll(isOnline).toBe(false)
    await fleet.measured(ONLINE, '2020-02-22T14:37:08Z', { GPS_SPEED: 0 })
    expect(await isOnline()).toBe(true)
  })

  test('[D-FLEET-09] isOnline turns false by itself, which a syncing client is told', async () => {
    const { modifyTimestamp } = await list('')
    await sweepAfter(UNPLUGGED, 6)
    await expect
      .poll(async () => (await list(`?filterTimestamp=${modifyTimestamp}`)).devices)
      .toEqual([expect.objectContaining({ id: UNPLUGGED, isOnline: false })])
  })

  test('[D-FLEET-10] isPluggedIn: the latest IS_DONGLE_PLUGGED_IN, else true while online', async () => {
    const isPluggedIn = async () => (await fleet.read<Device>(`/devices/${SILENT}`)).isPluggedIn
    await fleet.measured(SILENT, '2020-02-22T16:00:00Z', { GPS_SPEED: 0 })
    expect(await isPluggedIn()).toBe(true)
    await sweepAfter(SILENT, 6)
    await expect.poll(isPluggedIn).toBe(false)
    await fleet.measured(SILENT, '2020-02-22T17:00:00Z', { IS_DONGLE_PLUGGED_IN: false })
    expect(await isPluggedIn()).toBe(false)
    // It is a late upload, so not the latest value.
    await fleet.measured(SILENT, '2020-02-22T16:30:00Z', { IS_DONGLE_PLUGGED_IN: true })
    expect(await isPluggedIn()).toBe(false)
    await fleet.measured(SILENT, '2020-02-22T18:00:00Z', { IS_DONGLE_PLUGGED_IN: true })
    expect(await isPluggedIn()).toBe(true)
  })

  /** Makes the last data of a device some minutes old, and starts an intake, which then checks who is online. */
  async function sweepAfter(deviceId: number, minutes: number): Promise<void> {
    await world.rows.change(() => sql`update sweeps set steady_since = clock_timestamp() - interval '1 hour'`)
    await world.rows.change(
      () => sql`
        update device_states set last_received = clock_timestamp() - ${minutes} * interval '1 minute'
        where device_id = ${deviceId}`,
    )
    const [before] = await world.service.database.rows<{ last_run: string }>(sql`select last_run from sweeps`)
    await world.service.secondIntake()
    await expect
      .poll(async () => (await world.service.database.rows<{ last_run: string }>(sql`select last_run from sweeps`))[0])
      .not.toEqual(before)
  }
})

describe('what the service does', () => {
  test('[C-OBJECT-01, C-OBJECT-03, C-OBJECT-05] a dongle that reports brings a device, the car it is in, and its events', async () => {
    const client = await world.client('New')
    await client.measured(356307042441047, '2020-02-22T14:37:07Z', { MILEAGE: 48211.4 })
    expect((await list('', client)).devices.map(({ id, vehicleId }) => [id, vehicleId])).toEqual([
      [356307042441047, 'IMEI_356307042441047'],
    ])
    const vehicle = await client.read<Vehicle>('/vehicles/IMEI_356307042441047')
    expect(vehicle.deviceId).toBe(356307042441047)
    expect(vehicle.lastEvents).toEqual<LastEvent[]>([
      {
        deviceId: 356307042441047,
        recordedTimestamp: '2020-02-22T14:37:07.000Z',
        eventType: 'MILEAGE',
        dataType: 'NUMBER',
        value: 48211.4,
        unit: 'km',
        unitId: 111,
      },
    ])
    expect(await client.read('/events?deviceId=356307042441047')).toHaveLength(1)
  })
})
