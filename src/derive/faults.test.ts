import pino from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { storeInOrder } from '../../test/sample-store.ts'
import { endSilent } from '../../test/settled.ts'
import { turnableClock } from '../../test/turned-clock.ts'
import { ensureFirstAccount } from '../access/accounts.ts'
import { type EventTypeId, requiredEventType } from '../catalogue/event-types.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../model/sample.ts'
import { deriveDevice } from './derive.ts'
import { Engine } from './engine.ts'
import { rebuildDevice } from './rebuild.ts'
import { markSilent } from './silence.ts'

const IGNITION = requiredEventType('IS_IGNITION_ON').id
const SPEED = requiredEventType('VEHICLE_SPEED_AVERAGE').id
const POSITION = requiredEventType('POSITION').id

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** A hundred metres to the north. */
const STEP_DEG = 100 / 111_195

let lastDevice = 0

const clock = await turnableClock()
const { database } = clock
const accountId = (await writeTransaction(database, ensureFirstAccount)).id
afterAll(async () => {
  await clock[Symbol.asyncDispose]()
})

/** A dongle of its own, whose times are minutes after an instant. */
function dongle(startMs: number) {
  const deviceId = ++lastDevice as DeviceId
  const at = (minute: number, ...events: readonly (readonly [EventTypeId, EventValue])[]) =>
    sampleOf(deviceId, startMs + minute * MINUTE_MS, new Map(events))
  return {
    deviceId,
    at,
    /** A drive at 36 km/h that goes on, a sample every ten seconds. */
    driving(from: number, to: number): Sample[] {
      return Array.from({ length: (to - from) * 6 }, (_, i) => {
        const minute = from + i / 6
        const position = { lon: 11.6, lat: 48.1 + Math.round(minute * 6) * STEP_DEG }
        return at(minute, [IGNITION, true], [SPEED, 36], [POSITION, position])
      })
    },
    send: (...samples: readonly Sample[]) => storeInOrder({ database: clock.database, accountId }, samples),
    async trips() {
      const rows = await clock.database.rows<{ end: number; open: boolean }>(sql`
        select (extract(epoch from end_time) * 1000)::bigint as "end", is_open as open
        from trips_now where device_id = ${deviceId} and deleted is null order by start_time`)
      return rows.map(({ end, open }) => ({ end: (end - startMs) / MINUTE_MS, open }))
    },
  }
}

/** Derives what is ready, and no more. @returns how many devices that were */
const settle = () =>
  new Engine({ database: clock.database, log: pino({ level: 'silent' }) }).deriveReady(new AbortController().signal)

/** As if nothing had come from a device for a while. */
const silence = (deviceId: DeviceId) =>
  clock.database.writers.query(`
    update device_states set last_received = last_received - interval '1 minute' where device_id = ${deviceId};
    update due set since = since - interval '1 minute', received = received - interval '1 minute' where device_id = ${deviceId}`)

async function withClockSetBack(test: () => Promise<void>): Promise<void> {
  await clock.turn(-1)
  try {
    await test()
  } finally {
    await clock.turn(0)
  }
}

describe('when the clock of the database is set back by an hour', () => {
  it('earlier out-of-order samples are folded at once', async () => {
    const car = dongle(Date.now() - 24 * HOUR_MS)
    await car.send(...car.driving(0, 10), car.at(30))
    await car.send(car.at(5.05, [SPEED, 35]))
    await withClockSetBack(async () => {
      expect(await settle()).toBe(1)
    })
    expect(await deriveDevice(clock.database, car.deviceId)).toBe(false)
  })

  it('those of a dongle that never pauses do not wait until the clock has caught up', async () => {
    const car = dongle(Date.now() - 24 * HOUR_MS)
    await car.send(...car.driving(0, 10), car.at(30))
    await car.send(car.at(5.05, [SPEED, 35]))
    await withClockSetBack(async () => {
      await car.send(car.at(31))
      expect(await settle()).toBe(1)
    })
  })

  it('a drive stays open when its out-of-order samples are folded, and when it is computed again', async () => {
    const car = dongle(Date.now() - HOUR_MS - 10 * MINUTE_MS)
    // So that revisions were taken before.
    await writeTransaction(clock.database, transaction => transaction.takeRevisions(1))
    await withClockSetBack(async () => {
      await car.send(...car.driving(0, 9))
      await car.send(car.at(5.05, [SPEED, 35]))
      expect(await deriveDevice(clock.database, car.deviceId)).toBe(true)
      expect(await car.trips()).toMatchObject([{ open: true }])
      expect(await rebuildDevice(clock.database, car.deviceId, { isCheck: false })).toEqual([])
      expect(await car.trips()).toMatchObject([{ open: true }])
    })
  })

  it('a drive whose dongle had fallen silent before ends', async () => {
    const car = dongle(Date.now() - 24 * HOUR_MS)
    await car.send(...car.driving(0, 10))
    expect(await car.trips()).toMatchObject([{ open: true }])
    await withClockSetBack(async () => {
      await endSilent(clock.database)
    })
    expect(await car.trips()).toMatchObject([{ open: false }])
  })
})

const breakDown = (deviceId: DeviceId) =>
  clock.database.writers.query(`update device_states set fold = 'broken' where device_id = ${deviceId}`)

it('a device whose state cannot be read keeps no out-of-order sample of another one waiting, and no silent trip open', async () => {
  const [broken, sound] = [dongle(Date.now() - 24 * HOUR_MS), dongle(Date.now() - 24 * HOUR_MS)]
  for (const car of [broken, sound]) {
    await car.send(...car.driving(0, 10))
    await car.send(car.at(5.05, [SPEED, 35]))
    await silence(car.deviceId)
  }
  await breakDown(broken.deviceId)
  expect(await settle()).toBe(1)
  expect(await deriveDevice(clock.database, sound.deviceId)).toBe(false)
  expect(await broken.trips()).toMatchObject([{ open: true }])
  await silence(sound.deviceId)
  await expect(deriveDevice(clock.database, broken.deviceId)).rejects.toThrow(/JSON|broken|state/)
  expect(await markSilent(clock.database, new Map())).toBeGreaterThan(0)
  expect(await settle()).toBeGreaterThan(0)
  expect(await sound.trips()).toMatchObject([{ open: false }])
})

/** The state of the fold is written behind trips, checkpoints and VIN runs. */
async function onFullDisk(work: () => Promise<unknown>): Promise<void> {
  const { writers } = clock.database
  await writers.query(`
    create or replace function no_room() returns trigger language plpgsql as
      $$ begin raise exception using errcode = '53100', message = 'no space left'; end $$;
    create trigger full_disk before insert or update on device_states execute function no_room()`)
  try {
    await expect(work()).rejects.toMatchObject({ message: expect.stringContaining('no space left') })
  } finally {
    await writers.query('drop trigger full_disk on device_states')
  }
}

async function stored(deviceId: DeviceId) {
  const { rows } = await clock.database.writers.query(`
    select (select json_agg(t) from trips t where device_id = ${deviceId}) as trips,
      (select json_agg(c) from fold_checkpoints c where device_id = ${deviceId}) as checkpoints,
      (select json_agg(s) from device_states s where device_id = ${deviceId}) as states,
      (select json_agg(d) from vehicle_days d join assignments using (vehicle_id)
        where device_id = ${deviceId}) as days`)
  return rows[0]
}

it('a disk that is full when trips are written already leaves nothing half derived: it is due, and is derived when there is room', async () => {
  const car = dongle(Date.now() - 24 * HOUR_MS)
  await car.send(...car.driving(0, 10), car.at(10, [IGNITION, false]), car.at(30))
  const before = await stored(car.deviceId)
  await onFullDisk(() => car.send(...car.driving(60, 70), car.at(70, [IGNITION, false]), car.at(90)))
  expect(await stored(car.deviceId)).toEqual(before)

  await car.send(car.at(5.05, [IGNITION, false]), car.at(5.06, [SPEED, 0]))
  const late = await stored(car.deviceId)
  await onFullDisk(() => deriveDevice(clock.database, car.deviceId))
  expect(await stored(car.deviceId)).toEqual(late)

  await car.send(...car.driving(60, 70), car.at(70, [IGNITION, false]), car.at(90))
  expect(await deriveDevice(clock.database, car.deviceId)).toBe(true)
  expect(await rebuildDevice(clock.database, car.deviceId, { isCheck: true })).toEqual([])
  expect((await car.trips()).at(-1)).toEqual({ end: 70, open: false })
})
