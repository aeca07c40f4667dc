import { beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase } from '../../test/database.ts'
import { storeInOrder } from '../../test/sample-store.ts'
import { endSilent } from '../../test/settled.ts'
import { ensureFirstAccount } from '../access/accounts.ts'
import { type EventTypeId, requiredEventType } from '../catalogue/event-types.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../model/sample.ts'
import { deriveDevice } from './derive.ts'

const IGNITION = requiredEventType('IS_IGNITION_ON').id
const SPEED = requiredEventType('VEHICLE_SPEED_AVERAGE').id
const POSITION = requiredEventType('POSITION').id

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const DAY_MS = 24 * 60 * MINUTE_MS
const START_MS = Date.UTC(2026, 0, 12, 8)
/** A hundred metres to the north. */
const STEP_DEG = 100 / 111_195

let lastDevice = 0

const database = await openTestDatabase()
const accountId = (await writeTransaction(database, ensureFirstAccount)).id

interface TripRow {
  readonly id: number
  readonly start: number
  readonly end: number
  readonly km: number
  readonly open: boolean
}

/** A dongle of its own in the test, and what is stored of it. Times are minutes after the start. */
function dongle() {
  const deviceId = ++lastDevice as DeviceId
  const at = (minute: number, ...events: readonly (readonly [EventTypeId, EventValue])[]) =>
    sampleOf(deviceId, START_MS + minute * MINUTE_MS, new Map(events))
  const driving = (minute: number) =>
    at(minute, [IGNITION, true], [SPEED, 36], [POSITION, { lon: 11.6, lat: 48.1 + Math.round(minute * 6) * STEP_DEG }])
  return {
    deviceId,
    at,
    driving,
    /** A drive at 36 km/h, a sample every ten seconds, the last one with the ignition off. */
    drive(from: number, to: number): Sample[] {
      const samples: Sample[] = []
      for (let tenth = Math.round(from * 6); tenth < Math.round(to * 6); tenth++) samples.push(driving(tenth / 6))
      return [...samples, at(to, [IGNITION, false])]
    },
    async send(...samples: readonly Sample[]) {
      await storeInOrder({ database, accountId }, samples)
    },
    settle: () => deriveDevice(database, deviceId),
    trips: async () => {
      const rows = await database.rows<TripRow & { deleted: boolean }>(sql`
        select id, (extract(epoch from start_time) * 1000)::bigint as start,
          (extract(epoch from end_time) * 1000)::bigint as "end", distance_m / 1000.0::float8 as km, is_open as open,
          deleted is not null as deleted
        from trips_now where device_id = ${deviceId} order by start_time, id`)
      const inMinutes = rows.map(row => ({
        ...row,
        start: (row.start - START_MS) / MINUTE_MS,
        end: (row.end - START_MS) / MINUTE_MS,
      }))
      return {
        live: inMinutes.filter(row => !row.deleted).map(({ id, start, end }) => ({ id, start, end })),
        deleted: inMinutes.filter(row => row.deleted).map(row => row.id),
        open: inMinutes.filter(row => row.open).map(row => row.id),
        km: inMinutes.filter(row => !row.deleted).map(row => row.km),
      }
    },
    /** When each checkpoint of the fold was written last. */
    checkpoints: () =>
      database.rows<{ before_time: string; written: string }>(sql`
        select before_time, xmin::text as written from fold_checkpoints where device_id = ${deviceId} order by before_time`),
  }
}

describe('samples in order', () => {
  it('make trips at once, and nothing is due', async () => {
    const car = dongle()
    await car.send(...car.drive(0, 10))
    await car.send(...car.drive(30, 50))
    // The last one may go on until its pause is over.
    await car.send(car.at(60))
    const { live, deleted, km } = await car.trips()
    expect(live).toMatchObject([
      { start: 0, end: 10 },
      { start: 30, end: 50 },
    ])
    expect(km[0]).toBeCloseTo(5.9, 0)
    expect(deleted).toEqual([])
    expect(await car.settle()).toBe(false)
  })

  it('make the same trip when each comes alone, and each of its events alone', async () => {
    const [whole, single, pieces] = [dongle(), dongle(), dongle()]
    await whole.send(...whole.drive(0, 5), whole.at(20))
    for (const sample of [...single.drive(0, 5), single.at(20)]) await single.send(sample)
    for (const minute of [0, 1, 2, 3, 4, 5]) {
      await pieces.send(pieces.at(minute, [IGNITION, minute < 5]))
      await pieces.send(pieces.at(minute, [POSITION, { lon: 11.6, lat: 48.1 + minute * 6 * STEP_DEG }]))
    }
    await pieces.send(pieces.at(20))
    expect(await single.trips()).toMatchObject({ km: (await whole.trips()).km, live: [{ start: 0, end: 5 }] })
    expect(await pieces.trips()).toMatchObject({ live: [{ start: 0, end: 5 }] })
    // A road between fixes a minute apart is longer than the straight line, as a rule.
    expect(Math.abs(((await pieces.trips()).km[0] ?? 0) / 3 - 1)).toBeLessThan(0.04)
    expect(await pieces.settle()).toBe(false)
  })
})

it('a dongle that reports rarely has one row for each trip, also where the newest sample alone tells that one ended and another began', async () => {
  const [single, whole] = [dongle(), dongle()]
  // Away for 5 km in each of three intervals, then parked for two: each fix tells of a drive that may be over.
  const samples = (car: ReturnType<typeof dongle>) =>
    Array.from({ length: 40 }, (_, i) => {
      const drivenM = 5000 * (Math.floor(i / 5) * 3 + Math.min(i % 5, 3))
      return car.at(i * 5, [POSITION, { lon: 11.6, lat: 48.1 + drivenM / 111_195 }])
    })
  for (const sample of samples(single)) await single.send(sample)
  await whole.send(...samples(whole))
  const { live, deleted, km } = await single.trips()
  expect(live.length).toBeGreaterThanOrEqual(7)
  expect(new Set(live.map(({ start }) => start)).size).toBe(live.length)
  expect(deleted).toEqual([])
  const atOnce = await whole.trips()
  expect(live.map(({ start, end }) => ({ start, end }))).toEqual(atOnce.live.map(({ start, end }) => ({ start, end })))
  expect(km).toEqual(atOnce.km)
})

describe('out-of-order samples', () => {
  it('merge what they connect: the part that starts first keeps its id, the other is deleted', async () => {
    const car = dongle()
    await car.send(...car.drive(0, 10).slice(0, -1))
    await car.send(...car.drive(45, 55), car.at(65))
    const before = await car.trips()
    expect(before.live).toHaveLength(2)
    await car.send(...car.drive(10, 45).slice(0, -1))
    expect(await car.settle()).toBe(true)
    const after = await car.trips()
    expect(after.live).toEqual([{ id: before.live[0]?.id, start: 0, end: 55 }])
    expect(after.deleted).toEqual([before.live[1]?.id])
    expect(after.km[0]).toBeCloseTo(33, 0)
  })

  it('split what they cut: the part with the original start keeps its id', async () => {
    const car = dongle()
    await car.send(
      car.driving(0),
      car.driving(1),
      car.driving(4),
      car.driving(5),
      car.at(6, [IGNITION, false]),
      car.at(20),
    )
    const before = await car.trips()
    expect(before.live).toMatchObject([{ start: 0, end: 6 }])
    await car.send(car.at(1.5, [IGNITION, false]))
    await car.settle()
    const after = await car.trips()
    expect(after.live).toMatchObject([
      { id: before.live[0]?.id, start: 0, end: 1.5 },
      { start: 4, end: 6 },
    ])
    expect(after.deleted).toEqual([])
  })

  it('leave everything behind the next equal state as it was', async () => {
    const car = dongle()
    for (let day = 0; day < 5; day++) {
      const from = (day * DAY_MS) / MINUTE_MS
      await car.send(...car.drive(from, from + 10), car.at(from + 60))
    }
    const before = await car.checkpoints()
    await car.send(car.at(5 + 1 / 60, [SPEED, 35]))
    expect(await car.settle()).toBe(true)
    const after = await car.checkpoints()
    expect(after.slice(1)).toEqual(before.slice(1))
    expect((await car.trips()).live).toHaveLength(5)
    expect(await car.settle()).toBe(false)
  })

  it('are folded once by two nodes that try at once', async () => {
    const car = dongle()
    await car.send(...car.drive(0, 10), car.at(30))
    await car.send(car.at(5.05, [SPEED, 35]))
    const settled = await Promise.all([car.settle(), car.settle()])
    expect(settled.filter(Boolean)).toHaveLength(1)
  })

  it('of hours are folded while nobody waits, and whatever arrives meanwhile counts, too', async () => {
    const [late, inOrder] = [dongle(), dongle()]
    const samples = (car: ReturnType<typeof dongle>) =>
      Array.from({ length: 6000 }, (_, second) => car.driving(second / 60))
    const { missing, from, until } = { missing: 3001, from: 100, until: 200 }
    const sent = samples(late)
    await late.send(late.at(101, [IGNITION, false]))
    await late.send(...sent.filter((_, index) => index !== missing && (index < from || index >= until)))
    const meanwhile = (async () => {
      // Later ones, late ones within what is being folded, and the newest instant once more.
      await late.send(late.at(102, [SPEED, 0]))
      await late.send(...sent.slice(from, until))
      await late.send(late.at(102, [POSITION, { lon: 11.6, lat: 48.1 }]), late.at(110))
    })()
    expect(await late.settle()).toBe(true)
    await meanwhile
    await late.send(sent[missing] ?? late.at(0))
    await late.settle()
    expect(await late.settle()).toBe(false)
    await inOrder.send(
      ...samples(inOrder),
      inOrder.at(101, [IGNITION, false]),
      inOrder.at(102, [SPEED, 0], [POSITION, { lon: 11.6, lat: 48.1 }]),
      inOrder.at(110),
    )
    const [found, expected] = [await late.trips(), await inOrder.trips()]
    expect(found.live.map(({ start, end }) => ({ start, end }))).toEqual(
      expected.live.map(({ start, end }) => ({ start, end })),
    )
    expect(found.km).toEqual(expected.km)
  })
})

describe('a trip in progress', () => {
  /** Minutes from now on the scale of the dongle. */
  const now = () => (Date.now() - START_MS) / MINUTE_MS

  /** Whatever other tests left open must not end here. */
  beforeEach(async () => {
    await database.writers.query(`update device_states set last_received = last_received - interval '1 minute'`)
    await endSilent(database)
  })

  it('is open while samples come', async () => {
    const car = dongle()
    const begin = Math.floor(now()) - 3
    await car.send(...car.drive(begin, begin + 2).slice(0, -1))
    const driving = await car.trips()
    expect(driving.open).toEqual([driving.live[0]?.id])
    await car.send(car.driving(begin + 2))
    expect((await car.trips()).live).toMatchObject([{ start: begin, end: begin + 2 }])
    expect(await endSilent(database)).toBe(0)
    expect((await car.trips()).open).toHaveLength(1)
  })

  it('ends by itself at its last sample when the dongle falls silent, and goes on when later data says so', async () => {
    const car = dongle()
    await car.send(...car.drive(0, 10).slice(0, -1))
    const { live } = await car.trips()
    // While a backlog arrives, its newest sample is old, and yet the trip goes on.
    await hearing(car.deviceId)
    expect(await endSilent(database)).toBe(0)
    await silence(car.deviceId)
    expect(await endSilent(database)).toBe(1)
    expect(await car.trips()).toMatchObject({ live, open: [] })
    expect(await endSilent(database)).toBe(0)
    await car.send(...car.drive(10, 12), car.at(20))
    expect(await car.trips()).toMatchObject({ live: [{ id: live[0]?.id, start: 0, end: 12 }], open: [] })
  })
})

/** As if something had come from a device just now, on a machine that takes its time. */
const hearing = (deviceId: DeviceId) =>
  database.writers.query(
    `update device_states set last_received = clock_timestamp() + interval '1.9 seconds' where device_id = ${deviceId}`,
  )

/** As if nothing had come from a device for a while. */
const silence = (deviceId: DeviceId) =>
  database.writers.query(
    `update device_states set last_received = last_received - interval '1 minute' where device_id = ${deviceId}`,
  )
