import pino from 'pino'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { IS_DEEP } from '../../test/deep.ts'
import { DAY_MINUTES, everySample, sealingOptions } from '../../test/sealed-world.ts'
import { MINUTE_MS, START_MS, UpgradeWorld } from '../../test/upgrade-world.ts'
import { openDatabase } from '../db/database.ts'
import { lockDevices } from '../db/shards.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { differenceText, rebuildDevice } from '../derive/rebuild.ts'
import { deleteDevice } from '../fleet/with-consequences.ts'
import { insertSamples, Partitions, pauseSealing } from '../store/index.ts'

import { sealHistory } from './seal-history.ts'

let world: UpgradeWorld
beforeEach(async () => {
  await world?.[Symbol.asyncDispose]()
  world = await UpgradeWorld.make()
})
afterAll(() => world[Symbol.asyncDispose]())

/** Short drives have fewer samples, and the same days. */
const DRIVE_MINUTES = IS_DEEP ? 15 : 5
const drivenDongle = (drives: number) => world.drivenDongle(drives, DRIVE_MINUTES)

const seal = (quietS = 0) => sealHistory(world.database, sealingOptions(world.database, { quietS }))

async function counts(): Promise<{ rows: number; days: number; tables: number }> {
  const [row] = await world.database.rows<{ rows: number; days: number; tables: number }>(sql`
    select (select count(*) from samples)::integer as rows, (select count(*) from sealed_days)::integer as days,
      (select count(*) from pg_inherits where inhparent = 'samples'::regclass)::integer as tables`)
  if (!row) throw new Error('no counts')
  return row
}

it('every old day is sealed, tables go when they are empty, and all that follows from the samples stays as it is', async () => {
  const car = await drivenDongle(60)
  const [trips, samples] = [await car.trips(), await everySample(world)]
  expect(await seal()).toBe(6)
  expect(await counts()).toEqual({ rows: 0, days: 6, tables: 0 })
  expect(await everySample(world)).toEqual(samples)
  expect(await world.differencesOf(car.id)).toEqual([])
  await car.outdated('without positions')
  await world.refold()
  expect((await car.trips()).map(({ start, end }) => [start, end])).toEqual(trips.map(({ start, end }) => [start, end]))
  expect(await seal()).toBe(0)
})

it('what arrives late for a sealed day is there at once, and is sealed with its day when the burst is over', async () => {
  const car = await drivenDongle(30)
  await seal()
  const before = await everySample(world)
  const late = [car.driving(90), car.driving(91), car.driving(0, { GPS_SPEED: 77 })]
  await world.store(late)
  const after = await everySample(world)
  expect(after.length).toBe(before.length + 2)
  expect(await seal(600)).toBe(0)
  expect((await counts()).rows).toBe(3)
  expect(await seal()).toBe(1)
  expect(await counts()).toEqual({ rows: 0, days: 3, tables: 0 })
  expect(await everySample(world)).toEqual(after)
  // Again the same: nothing new.
  await world.store(late)
  expect(await everySample(world)).toEqual(after)
})

it('tacho rebuild finds a rollup that does not say what the samples say, and corrects it', async () => {
  const car = await drivenDongle(30)
  await seal()
  expect(await world.differencesOf(car.id)).toEqual([])
  const rollups = () => world.database.rows(sql`select day, rollup from sealed_days order by day`)
  const right = await rollups()
  await world.database.writers.query(`
    update sealed_days set rollup = (select rollup from sealed_days order by day desc limit 1)
    where device_id = ${car.id} and day = (select min(day) from sealed_days)`)
  const [first] = await rebuildDevice(world.database, car.id, { isCheck: true })
  expect(first).toMatchObject({ name: `rollup of ${new Date(START_MS).toISOString().slice(0, 10)}`, kind: 'changed' })
  expect(first && differenceText(first)).toMatch(
    /VEHICLE_SPEED_AVERAGE was .* values?, first .* at .*Z, .*, sum .*, is /,
  )
  expect(await rollups()).not.toEqual(right)
  expect(await rebuildDevice(world.database, car.id, { isCheck: false })).toHaveLength(1)
  expect(await rollups()).toEqual(right)
})

it('two nodes share the work', async () => {
  const cars = [await drivenDongle(30), await drivenDongle(30), await drivenDongle(30)]
  const samples = await everySample(world)
  const other = openDatabase({ url: world.url })
  try {
    const days = await Promise.all([seal(), sealHistory(other, sealingOptions(other, { quietS: 0 }))])
    expect(days[0] + days[1]).toBe(cars.length * 3)
  } finally {
    await other.close()
  }
  expect(await everySample(world)).toEqual(samples)
})

it('seals nothing while it is paused, and no day that ended less than so many days ago', async () => {
  await drivenDongle(30)
  await pauseSealing(writable(), true)
  expect(await seal()).toBe(0)
  await pauseSealing(writable(), false)
  const afterDays = Math.ceil((Date.now() - START_MS) / 86_400_000) + 10
  expect(await sealHistory(world.database, sealingOptions(world.database, { quietS: 0, afterDays }))).toBe(0)
  expect((await counts()).days).toBe(0)
})

it('a sample from which nothing was derived yet is left alone', async () => {
  const car = await drivenDongle(3)
  const waiting = car.driving(DAY_MINUTES)
  await new Partitions(world.database).ensure([waiting.timeMs])
  await writeTransaction(world.database, async transaction => {
    await insertSamples(await lockDevices(transaction, [car.id]), [waiting], await transaction.takeRevisions(1))
  })
  await seal()
  expect(await counts()).toMatchObject({ rows: 1, days: 1 })
})

it('a deleted dongle leaves no sealed day, and old weeks go from sealed days as from rows', async () => {
  const [gone, kept] = [await drivenDongle(120), await drivenDongle(120)]
  await seal()
  await deleteDevice(world.database, { deviceId: gone.id })
  const left = await world.database.rows<{ device_id: number }>(sql`select distinct device_id from sealed_days`)
  expect(left).toEqual([{ device_id: kept.id }])
  const trips = await kept.trips()
  const weekMs = START_MS + 7 * DAY_MINUTES * MINUTE_MS
  await new Partitions(world.database).dropBefore(weekMs)
  const [first] = await world.database.rows<{ day: string }>(sql`select min(day)::text as day from sealed_days`)
  expect(first?.day).toBe(new Date(weekMs).toISOString().slice(0, 10))
  expect(await kept.trips()).toEqual(trips)
  expect(await world.differencesOf(kept.id)).toEqual([])
})

it('a day that can not be sealed stays as it is, and does not keep others from being sealed', async () => {
  const cars = [await drivenDongle(15), await drivenDongle(15)]
  const wrong = cars[0]?.id ?? 0
  await world.database.writers.query(`
    update samples set time = (select min(time) + interval '1 microsecond' from samples where device_id = ${wrong})
    where device_id = ${wrong} and time = (select min(time) from samples where device_id = ${wrong})`)
  const told: unknown[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void told.push(JSON.parse(line)) })
  await sealHistory(world.database, { ...sealingOptions(world.database, { quietS: 0 }), log })
  expect(told).toEqual([
    expect.objectContaining({ deviceId: wrong, msg: expect.stringMatching(/could not be sealed and stays as it is/) }),
  ])
  const sealed = await world.database.rows<{ device_id: number }>(sql`select distinct device_id from sealed_days`)
  expect(sealed).toEqual([{ device_id: cars[1]?.id }])
})

function writable() {
  const { database } = world
  return {
    rows: <Row extends object>(statement: Parameters<typeof database.rows>[0]) =>
      writeTransaction(database, transaction => transaction.rows<Row>(statement)),
  }
}
