import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { diceOf } from '../lab/simulation/chance.ts'
import { startApiRole } from '../src/app.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { IS_DEEP } from './deep.ts'
import { eventually } from './eventually.ts'
import { type FleetRows, fleetRows } from './fleet-rows.ts'
import { ingestClient, type SentEvent } from './ingest-client.ts'
import { startService, type TestService } from './service.ts'
import { settled } from './settled.ts'
import { StreamClient } from './stream-client.ts'
import { FollowedFleet } from './stream-followed.ts'

const EVENT_TYPES = 'GPS_SPEED,POSITION'
const MINUTE_MS = 60_000

interface Vehicle {
  readonly id: string
  readonly licensePlate: string
  readonly lastEvents: readonly { readonly eventType: string }[]
  readonly modifyTimestamp: string
  readonly deleteTimestamp: string | null
}
interface Item {
  readonly device_id: number
  readonly recorded_timestamp: string
}

let service: TestService
let rows: FleetRows
let key: string
let accounts = 0
let lastDevice = 356307042460000
let secondApi: Awaited<ReturnType<typeof startApiRole>>
let secondUrl: string
let secondIntakeUrl: string

beforeAll(async () => {
  service = await startService({ STREAM_HEARTBEAT_S: '1' })
  rows = fleetRows(service.database)
  secondIntakeUrl = await service.secondIntake()
  const { config, intakeUrl } = service
  secondApi = await startApiRole({ config, log: pino({ level: 'silent' }), intakeUrl: () => intakeUrl })
  secondUrl = `http://127.0.0.1:${secondApi.port}`
})
afterAll(async () => {
  await secondApi.stop()
  await service.stop()
})
beforeEach(async () => {
  key = await service.key(`Fleet ${++accounts}`)
})

const open = (query = '', more: { lastEventId?: string; language?: string } = {}) =>
  StreamClient.open({ url: service.url, token: key, query, ...more })

function event(deviceId: number, timeMs: number, eventType: string, value: SentEvent['value']): SentEvent {
  return { deviceId, recordedTimestamp: new Date(timeMs).toISOString(), eventType, value }
}

const store = (events: readonly SentEvent[], url = service.intakeUrl) => ingestClient(url, key).store(events)

/** At 36 km/h, a sample every half minute. */
function drive(deviceId: number, fromMs: number, minutes: number): SentEvent[] {
  return Array.from({ length: minutes * 2 }, (_, i) => i).flatMap(i => {
    const timeMs = fromMs + (i * MINUTE_MS) / 2
    return [
      event(deviceId, timeMs, 'IS_IGNITION_ON', true),
      event(deviceId, timeMs, 'GPS_SPEED', 36),
      event(deviceId, timeMs, 'POSITION', `POINT(11.6 ${48.1 + i * 0.0027})`),
    ]
  })
}

async function setPlate(vehicleId: string, numberPlate: string): Promise<void> {
  const reply = await fetch(`${service.baseUrl}/vehicles/${vehicleId}/settings`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ numberPlate }),
  })
  expect(reply.status).toBe(200)
}

describe('a client that waits for `ready` and then loads its lists', () => {
  it.each(['en', 'de'])('is told of every kind of change as the lists show it (%s)', async language => {
    const device = ++lastDevice
    const followed = new FollowedFleet({ url: service.url, token: key, query: `eventTypes=${EVENT_TYPES}`, language })
    const { frames, response } = await followed.connect()
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('x-rate-limit-remaining')).toMatch(/^\d+$/)
    const startMs = Date.now() - 60 * MINUTE_MS
    await store(drive(device, startMs, 4))
    await store([event(device, startMs + 5 * MINUTE_MS, 'OBD_DTC_PERMANENT', 'P0301,P0420')])
    await store([event(device, startMs + 6 * MINUTE_MS, 'IS_IGNITION_ON', false)])
    await setPlate(`IMEI_${device}`, 'M-TA 2026')
    // A code that is gone, and a sample from between others.
    await store([event(device, startMs + 8 * MINUTE_MS, 'OBD_DTC_PERMANENT', 'P0420')])
    await store([event(device, startMs + 1.25 * MINUTE_MS, 'GPS_SPEED', 38.5)])
    // The VIN changes the public id; the old one is sent as deleted.
    await store([event(device, startMs + 9 * MINUTE_MS, 'VIN', 'WVWZZZ1KZAW000001')])
    await store([event(device, startMs + 10 * MINUTE_MS, 'VIN', 'WVWZZZ1KZAW000001')])
    await settled(service.database)
    const { believed, listed } = await followed.comparedWithLists(EVENT_TYPES)
    expect(believed).toEqual(listed)
    const seen = (name: string) => frames.filter(frame => frame.event === name).flatMap(frame => frame.data as object[])
    for (const name of ['vehicles', 'devices', 'trips', 'dtcs', 'events'])
      expect([name, seen(name).length]).not.toEqual([name, 0])
    expect(seen('vehicles')).toContainEqual(
      expect.objectContaining({ id: `IMEI_${device}`, deleteTimestamp: expect.any(String) }),
    )
    expect(seen('dtcs')).toContainEqual(expect.objectContaining({ code: 'P0301', deleteTimestamp: expect.any(String) }))
    expect(seen('events')).toContainEqual(expect.objectContaining({ value: 38.5 }))
    followed.cut()
  })

  it('is told of trips that are merged away', async () => {
    const [{ id: accountId } = { id: 0 }] = await service.database.rows<{ id: number }>(
      sql`select id from accounts where name = ${`Fleet ${accounts}`}`,
    )
    const trip = await rows.trip(await rows.vehicle(accountId, { deviceId: ++lastDevice }), {
      start: '2024-01-01T08:00:00Z',
    })
    const client = await open('resources=trips')
    await client.ready()
    await rows.change(
      revision => sql`update trips set deleted = now(), modified = ${revision} where id = ${trip} returning id`,
    )
    await client.until(({ frames }) => frames.length > 1)
    expect(client.objects('trips')).toEqual([
      expect.objectContaining({ id: trip, distance: 0, deleteTimestamp: expect.any(String) }),
    ])
    client.cut()
  })

  it('is sent only the latest values that it asks for, whatever changes', async () => {
    const device = ++lastDevice
    const followers = await Promise.all([
      open('resources=vehicles&lastEventTypes=GPS_SPEED'),
      open('resources=vehicles&lastEventTypes=IS_MOVING,GPS_SPEED'),
      open('resources=vehicles'),
    ])
    await Promise.all(followers.map(client => client.ready()))
    const newest = (client: StreamClient) => client.objects<Vehicle>('vehicles').at(-1)
    const allAreTold = async () => {
      const headers = { authorization: `Bearer ${key}` }
      const reply = await fetch(`${service.baseUrl}/vehicles/IMEI_${device}`, { headers })
      const { modifyTimestamp } = (await reply.json()) as Vehicle
      await Promise.all(
        followers.map(client => client.until(() => newest(client)?.modifyTimestamp === modifyTimestamp)),
      )
    }
    await store([event(device, Date.now(), 'GPS_SPEED', 36)])
    await allAreTold()
    await store([event(device, Date.now(), 'MILEAGE', 48211), event(device, Date.now(), 'IS_MOVING', true)])
    await allAreTold()
    const shown = followers.map(client => newest(client)?.lastEvents.map(({ eventType }) => eventType))
    expect(shown).toEqual([['GPS_SPEED'], ['GPS_SPEED', 'IS_MOVING'], ['GPS_SPEED', 'IS_MOVING', 'MILEAGE']])
    for (const client of followers) client.cut()
  })

  it('is told what concerns one device or one vehicle, if it asks for that', async () => {
    const [own, other] = [++lastDevice, ++lastDevice]
    await store([event(own, Date.now(), 'GPS_SPEED', 1), event(other, Date.now(), 'GPS_SPEED', 1)])
    const narrowed = [`deviceId=${own}`, `vehicleId=IMEI_${own}`]
    const clients = await Promise.all(narrowed.map(query => open(`${query}&eventTypes=GPS_SPEED`)))
    for (const client of clients) await client.ready()
    const timeMs = Date.now() + 1000
    await store([event(other, timeMs, 'GPS_SPEED', 2)])
    await store([event(own, timeMs, 'GPS_SPEED', 2)])
    for (const client of clients) {
      await client.until(({ frames }) =>
        ['vehicles', 'events'].every(name => frames.some(frame => frame.event === name)),
      )
      expect(client.objects<Vehicle>('vehicles').map(({ id }) => id)).toEqual([`IMEI_${own}`])
      expect(client.objects<Item>('events').map(item => item.device_id)).toEqual([own])
      client.cut()
    }
  })
})

it('a transaction that stays open keeps nobody from the changes of others, hides none of its own, and makes nothing come twice', async () => {
  const devices = Array.from({ length: 4 }, () => ++lastDevice)
  const [slow = 0, ...others] = devices
  await store(devices.map(device => event(device, Date.now() - MINUTE_MS, 'GPS_SPEED', 0)))
  const client = await open('eventTypes=GPS_SPEED')
  await client.ready()
  let commit: () => void = () => undefined
  const committed = new Promise<void>(resolve => {
    commit = resolve
  })
  const transaction = writeTransaction(service.database, async held => {
    const revision = await held.takeRevisions(1)
    await held.rows(
      sql`update vehicles set license_plate = 'SLOW', modified = ${revision} where first_device_id = ${slow}`,
    )
    await committed
  })
  await sleep(100)
  for (let second = 0; second < 6; second++) {
    await store(others.map(device => event(device, Date.now() + second, 'GPS_SPEED', second)))
    await sleep(200)
  }
  await client.until(({ frames }) => frames.filter(frame => frame.event === 'vehicles').length >= 3)
  // What was received so far is resumed from, too: nothing of the open transaction may be skipped.
  const resumed = await open('eventTypes=GPS_SPEED', { lastEventId: client.lastEventId ?? '' })
  await resumed.ready()
  await sleep(300)
  expect(client.objects<Vehicle>('vehicles').some(({ licensePlate }) => licensePlate === 'SLOW')).toBe(false)
  commit()
  await transaction
  for (const follower of [client, resumed])
    await follower.until(
      () =>
        follower.objects<Vehicle>('vehicles').some(({ licensePlate }) => licensePlate === 'SLOW') &&
        follower.objects('events').length >= 18,
    )
  const revisions = client.objects<{ modifyTimestamp: string }>('vehicles').map(vehicle => vehicle.modifyTimestamp)
  // The client that came in the middle was told the last ones again, and with it all who listen to the same.
  expect(revisions.length - new Set(revisions).size).toBeLessThanOrEqual(3)
  const items = client.objects('events').map(item => JSON.stringify(item))
  expect(new Set(items).size).toBe(items.length)
  client.cut()
  resumed.cut()
})

it.each(IS_DEEP ? [1, 2, 3, 4] : [1])(
  'a client that is cut off at random moments ends with exactly the state of the server, while many write at several nodes (%i)',
  async seed => {
    const dice = diceOf(seed)
    const devices = Array.from({ length: 5 }, () => ++lastDevice)
    const startMs = Date.now() - 120 * MINUTE_MS
    const progress = { isDone: false }
    const writers = devices.map(async (device, shard) => {
      for (let step = 0; step < 8; step++) {
        const atMs = startMs + (step * 8 + shard) * MINUTE_MS
        // Every third upload comes too late.
        const lateMs = step % 3 === 2 ? -20 * MINUTE_MS : 0
        const url = (step + shard) % 2 === 0 ? service.intakeUrl : secondIntakeUrl
        await store(
          [...drive(device, atMs + lateMs, 2), event(device, atMs + 3 * MINUTE_MS, 'IS_IGNITION_ON', false)],
          url,
        )
        if (step % 4 === 1) await setPlate(`IMEI_${device}`, `TA ${shard} ${step}`)
        await store([event(device, atMs, 'OBD_DTC_SPORADIC', step % 2 === 0 ? 'P0420' : '')], url)
      }
    })
    const followed = new FollowedFleet({
      url: service.url,
      token: key,
      query: `eventTypes=${EVENT_TYPES}`,
      lastEventId: '1970-01-01T00:00:00.000000Z',
    })
    const following = (async () => {
      while (!progress.isDone) {
        await followed.connect(dice.happens(0.5) ? service.url : secondUrl)
        await sleep(dice.whole(0, 250))
        followed.cut()
      }
    })()
    await Promise.all(writers).finally(() => {
      progress.isDone = true
    })
    await following
    await settled(service.database)
    await followed.connect(secondUrl)
    const { believed, listed } = await followed.comparedWithLists(EVENT_TYPES)
    expect(believed).toEqual(listed)
    followed.cut()
  },
)

describe('a stream', () => {
  it('goes on when all connections to the database were cut', async () => {
    const device = ++lastDevice
    await store([event(device, Date.now() - MINUTE_MS, 'GPS_SPEED', 0)])
    const client = await open('resources=vehicles')
    await client.ready()
    await setPlate(`IMEI_${device}`, 'BEFORE')
    await client.until(() => client.objects('vehicles').length > 0)
    await service.database.rows(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name like 'tacho %'`)
    await eventually(() => setPlate(`IMEI_${device}`, 'AFTER'))
    await client.until(() => client.objects<Vehicle>('vehicles').at(-1)?.licensePlate === 'AFTER')
    expect(client.end).toBeUndefined()
    client.cut()
  })

  it('has a heartbeat while nothing happens, which brings the id forward', async () => {
    const client = await open()
    await client.ready()
    const first = client.lastEventId ?? ''
    await client.until(({ comments }) => comments >= 2)
    expect((client.lastEventId ?? '') > first).toBe(true)
    expect(client.frames).toHaveLength(1)
    client.cut()
  })

  it('ends in order when its node stops, which does not wait for it', async () => {
    const { config, intakeUrl } = service
    const api = await startApiRole({ config, log: pino({ level: 'silent' }), intakeUrl: () => intakeUrl })
    const client = await StreamClient.open({ url: `http://127.0.0.1:${api.port}`, token: key })
    await client.ready()
    await api.stop()
    await client.until(({ end }) => end !== undefined)
    expect(client.end).toBe('in order')
  })
})
