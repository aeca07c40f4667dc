import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeTcpFrame } from '../../lab/teltonika-dongle/write-frame.ts'
import { requiredEventType } from '../../src/catalogue/event-types.ts'
import { sql } from '../../src/db/sql.ts'
import { type DeviceId, type EventValue, sampleOf } from '../../src/model/sample.ts'
import { logInTeltonika } from '../teltonika-client.ts'
import type { ErrorBody, EventItem, TripList, Vehicle, VehicleList } from './shapes.ts'
import { startWorld } from './world.ts'

const world = await startWorld()
const fleet = await world.client('Fleet')
afterAll(() => world.stop())

const eventsOf = (query: string) => fleet.read<EventItem[]>(`/events?${query}`)

describe('BATTERY_STATE', () => {
  const DEVICE = 356307042441013

  test.each<[title: string, voltageV: number, state: string | undefined]>([
    ['[C-STATE-05, D-FLEET-13] 15.2 V is Overvoltage', 15.2, 'Overvoltage'],
    ['[C-STATE-05, D-FLEET-13] below 15.2 V is Loading', 15.19, 'Loading'],
    ['[C-STATE-05, D-FLEET-13] 13 V is Loading', 13, 'Loading'],
    ['[C-STATE-05, D-FLEET-13] below 13 V has no word', 12.99, undefined],
    ['[C-STATE-05, D-FLEET-13] above 11.3 V has no word', 11.31, undefined],
    ['[C-STATE-05, D-FLEET-13] 11.3 V is Warning', 11.3, 'Warning'],
    ['[C-STATE-05, D-FLEET-13] above 10 V is Warning', 10.01, 'Warning'],
    ['[C-STATE-05, D-FLEET-13] 10 V is Very Low', 10, 'Very Low'],
    ['[C-STATE-05, D-FLEET-13] above 6 V is Very Low', 6.01, 'Very Low'],
    ['[C-STATE-05, D-FLEET-13] 6 V is Empty', 6, 'Empty'],
  ])('%s', async (_title, voltageV, state) => {
    const time = new Date(Date.UTC(2020, 1, 22) + voltageV * 1000).toISOString()
    await fleet.measured(DEVICE, time, { BATTERY_VOLTAGE: voltageV })
    const events = await eventsOf(
      `deviceId=${DEVICE}&eventType=BATTERY_STATE&fromTimestamp=${time}&toTimestamp=${time}`,
    )
    expect(events.map(({ value }) => value)).toEqual(state === undefined ? [] : [state])
  })

  test('[D-FLEET-13] a state that the dongle sent stays', async () => {
    const other = 356307042441021
    await fleet.measured(other, '2020-02-22T14:37:07Z', { BATTERY_VOLTAGE: 14, BATTERY_STATE: 'Odd' })
    expect(await eventsOf(`deviceId=${other}&eventType=BATTERY_STATE`)).toMatchObject([{ value: 'Odd' }])
    const { lastEvents } = await fleet.read<Vehicle>(`/vehicles/IMEI_${other}`)
    expect(lastEvents).toMatchObject([
      { eventType: 'BATTERY_STATE', value: 'Odd' },
      { eventType: 'BATTERY_VOLTAGE', value: 14 },
    ])
  })
})

describe('the same device, time and event type twice', () => {
  test('[D-FLEET-14] with different values: the greater wins, whatever came first, and it is counted as a conflict', async () => {
    const conflicts = async () => {
      const { text } = await world.ask<string>('/metrics')
      return Number(/^tacho_ingest_events_total\{.*outcome="conflict".*\} (\d+)$/m.exec(text)?.[1] ?? 0)
    }
    const before = await conflicts()
    const rising = { time: '2020-02-22T10:00:00.000Z', values: [10, 12] }
    const falling = { time: '2020-02-22T11:00:00.000Z', values: [12, 10] }
    for (const { time, values } of [rising, falling])
      for (const value of values) await fleet.measured(356307042441039, time, { GPS_SPEED: value })
    expect(await eventsOf('deviceId=356307042441039')).toMatchObject([{ value: 12 }, { value: 12 }])
    expect((await conflicts()) - before).toBe(2)
  })

  test.each<[title: string, type: string, lesser: unknown, greater: unknown]>([
    ['[D-FLEET-14] true is greater than false', 'IS_MOVING', false, true],
    ['[D-FLEET-14] texts have a fixed order', 'FUEL_TYPE', 'Diesel', 'Petrol'],
    ['[D-FLEET-14] positions have a fixed order', 'POSITION', 'POINT(8 49)', 'POINT(8 50)'],
  ])('%s', async (_title, type, lesser, greater) => {
    const time = '2020-02-22T12:00:00.000Z'
    for (const value of [lesser, greater, lesser]) await fleet.measured(356307042441047, time, { [type]: value })
    const events = await eventsOf(`deviceId=356307042441047&eventType=${type}`)
    expect(events.map(({ value }) => value)).toEqual([greater])
  })

  test('[D-FLEET-14] in one request too, the rest of it is taken', async () => {
    const event = { deviceId: 51, recordedTimestamp: '2020-02-22T12:00:00Z', eventType: 'GPS_SPEED' }
    const answer = await fleet.ingest([
      { ...event, value: 7 },
      { ...event, value: 5 },
      { ...event, value: 6, eventType: 'MILEAGE' },
    ])
    expect(answer.body).toEqual({ accepted: 2, duplicates: 1 })
    expect(await eventsOf('deviceId=51')).toMatchObject([{ value: 7 }, { value: 6 }])
  })
})

describe('times that cannot be', () => {
  const send = (recordedTimestamp: string) =>
    fleet.ingest([
      { deviceId: 52, recordedTimestamp: '2020-02-22T12:00:00Z', eventType: 'GPS_SPEED', value: 1 },
      { deviceId: 52, recordedTimestamp, eventType: 'GPS_SPEED', value: 2 },
    ])

  test('[D-FLEET-15] more than 5 minutes after it was received, or before 2000: 400, and nothing of it is kept', async () => {
    for (const time of [new Date(Date.now() + 310_000).toISOString(), '1999-12-31T23:59:59.999Z']) {
      const { status, text } = await send(time)
      expect(status).toBe(400)
      expect((JSON.parse(text) as ErrorBody).errorMessage).toContain('events[1].recordedTimestamp')
    }
    expect(await eventsOf('deviceId=52')).toEqual([])
  })

  test('[D-FLEET-15] less than 5 minutes after, and the first instant of 2000, are taken', async () => {
    for (const time of [new Date(Date.now() + 290_000).toISOString(), '2000-01-01T00:00:00Z'])
      expect((await send(time)).status).toBe(200)
  })
})

test('[D-FLEET-17] what a dongle with a wrong clock measured is kept apart, acknowledged and counted', async () => {
  const device = 356307042442029 as DeviceId
  const misdated = async () => {
    const { text } = await world.ask<string>('/metrics')
    return Number(/^tacho_misdated_samples_total(?:\{.*\})? (\d+)$/m.exec(text)?.[1] ?? 0)
  }
  const before = await misdated()
  const [ignition, minuteMs, nowMs] = [requiredEventType('IS_IGNITION_ON').id, 60_000, Date.now()]
  const measured = (timeMs: number, isOn: EventValue) => sampleOf(device, timeMs, new Map([[ignition, isOn]]))
  const dongle = await logInTeltonika(world.service.teltonikaPort, String(device))
  dongle.write(
    writeTcpFrame([
      measured(nowMs + 6 * minuteMs, true),
      measured(nowMs - minuteMs, true),
      measured(nowMs + 4 * minuteMs, false),
      measured(Date.UTC(1999, 11, 31), false),
    ]),
  )
  expect(await dongle.acknowledgement()).toBe(4)
  await dongle.close()
  expect((await misdated()) - before).toBe(2)
  // One wrong clock does not affect the rest.
  expect((await eventsOf(`deviceId=${device}&eventType=IS_IGNITION_ON`)).map(({ value }) => value)).toEqual([
    true,
    false,
  ])
  const [kept] = await world.service.database.rows<{ count: number }>(
    sql`select count(*)::integer as count from misdated_samples where device_id = ${device}`,
  )
  expect(kept?.count).toBe(2)
})

describe('a dongle moved to another car', () => {
  const DEVICE = 356307042442003
  const OTHER = 356307042442011
  const moved = '2020-02-23T00:00:00Z'

  beforeAll(async () => {
    await fleet.measured(DEVICE, '2020-02-22T23:59:59.999Z', { GPS_SPEED: 1 })
    await fleet.measured(DEVICE, moved, { GPS_SPEED: 2 })
    await fleet.measured(OTHER, '2020-02-22T12:00:00Z', { GPS_SPEED: 9 })
    const old = await world.vehicleOf(DEVICE)
    const other = await world.vehicleOf(OTHER)
    await world.rows.trip(old, { start: '2020-02-22T23:00:00Z', end: '2020-02-22T23:59:59Z' })
    await world.rows.change(
      () => sql`update assignments set to_time = ${moved} where device_id in (${DEVICE}, ${OTHER})`,
    )
    await world.rows.change(
      () => sql`
        insert into assignments (device_id, account_id, vehicle_id, from_time)
        values (${DEVICE}, ${fleet.accountId}, ${other.vehicleId}, ${moved})`,
    )
  })

  test('[D-FLEET-11] the old vehicle keeps its trips and events', async () => {
    expect(await eventsOf(`vehicleId=IMEI_${DEVICE}`)).toMatchObject([{ value: 1 }])
    expect((await fleet.read<TripList>(`/trips?vehicleId=IMEI_${DEVICE}`)).trips).toHaveLength(1)
    expect((await fleet.read<TripList>(`/trips?vehicleId=IMEI_${OTHER}`)).trips).toEqual([])
  })

  test('[D-FLEET-12] queries by vehicle cover exactly the time the dongle was in it', async () => {
    expect(await eventsOf(`vehicleId=IMEI_${OTHER}`)).toMatchObject([{ value: 9 }, { value: 2 }])
    await fleet.measured(DEVICE, '2020-02-22T22:00:00Z', { GPS_SPEED: 0 })
    await fleet.measured(DEVICE, '2020-02-24T00:00:00Z', { GPS_SPEED: 3 })
    expect((await eventsOf(`vehicleId=IMEI_${DEVICE}`)).map(({ value }) => value)).toEqual([0, 1])
    expect((await eventsOf(`vehicleId=IMEI_${OTHER}`)).map(({ value }) => value)).toEqual([9, 2, 3])
    expect((await eventsOf(`deviceId=${DEVICE}`)).map(({ value }) => value)).toEqual([0, 1, 2, 3])
    const vehicles = (await fleet.read<VehicleList>(`/vehicles?deviceId=${DEVICE}`)).vehicles
    expect(vehicles.map(({ id, deviceId }) => [id, deviceId])).toEqual([
      [`IMEI_${DEVICE}`, null],
      [`IMEI_${OTHER}`, DEVICE],
    ])
  })

  test('[D-FLEET-12] a new owner sees nothing of the time before', async () => {
    const buyer = await world.client('Buyer')
    const car = await world.rows.vehicle(buyer.accountId, { deviceId: 61 })
    await world.rows.change(
      () => sql`update assignments set to_time = '2020-02-24' where device_id = ${DEVICE} and to_time = 'infinity'`,
    )
    await world.rows.change(
      () => sql`
        insert into assignments (device_id, account_id, vehicle_id, from_time)
        values (${DEVICE}, ${buyer.accountId}, ${car.vehicleId}, '2020-02-24')`,
    )
    expect((await buyer.read<EventItem[]>(`/events?deviceId=${DEVICE}`)).map(({ value }) => value)).toEqual([3])
    expect((await eventsOf(`deviceId=${DEVICE}`)).map(({ value }) => value)).toEqual([0, 1, 2])
    expect((await fleet.get(`/devices/${DEVICE}`)).status).toBe(404)
  })
})
