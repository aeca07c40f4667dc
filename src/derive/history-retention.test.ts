import { afterAll, beforeEach, expect, it } from 'vitest'
import { settleDevices } from '../../test/settled.ts'
import { type ShownTrip, START_MS, UpgradeWorld } from '../../test/upgrade-world.ts'
import { sql } from '../db/sql.ts'
import { moveDevice } from '../fleet/with-consequences.ts'
import { Partitions } from '../store/index.ts'
import { DERIVATION_VERSION } from './due.ts'

const WEEK_MS = 7 * 24 * 3_600_000
/** Drives of a little more than eight days. */
const DRIVES = 100

let world: UpgradeWorld
beforeEach(async () => {
  await world?.[Symbol.asyncDispose]()
  world = await UpgradeWorld.make()
})
afterAll(() => world[Symbol.asyncDispose]())

const dropFirstWeek = () => new Partitions(world.database).dropBefore(START_MS + WEEK_MS)

const ofFirstWeek = (trips: readonly ShownTrip[]) => trips.filter(({ end }) => end < START_MS + WEEK_MS)

it('trips of weeks that were dropped stay as they are; what is kept is folded again', async () => {
  const car = await world.drivenDongle(DRIVES)
  await car.outdated('without positions')
  const before = ofFirstWeek(await car.trips())
  expect(await dropFirstWeek()).toHaveLength(1)
  await world.refold()
  expect(await world.foldedBy(car.id)).toBe(DERIVATION_VERSION)
  expect(ofFirstWeek(await car.trips())).toEqual(before)
  expect(await world.differencesOf(car.id)).toEqual([])
})

it('a week may be dropped while its samples are read', async () => {
  const car = await world.drivenDongle(DRIVES)
  await car.outdated('without positions')
  const before = ofFirstWeek(await car.trips())
  let dropped: readonly string[] | undefined
  const between = async () => {
    dropped ??= await dropFirstWeek()
  }
  await world.refold({ between })
  expect(dropped).toHaveLength(1)
  expect(await world.foldedBy(car.id)).toBe(DERIVATION_VERSION)
  expect(ofFirstWeek(await car.trips())).toEqual(before)
  expect(await world.differencesOf(car.id)).toEqual([])
})

it('a device whose samples are all dropped keeps everything', async () => {
  const car = await world.drivenDongle(3)
  await car.outdated('without positions')
  const before = await car.trips()
  expect(await dropFirstWeek()).toHaveLength(1)
  await world.refold()
  expect(await car.trips()).toEqual(before)
  expect(await world.foldedBy(car.id)).toBe(DERIVATION_VERSION)
})

it('a move between dropped samples and the first that are kept leaves what is known of the dropped ones', async () => {
  const car = world.newDongle()
  const nextDrive = (9 * 24 + 10.5) * 60
  await world.store([...car.drive(0, 15), ...car.drive(nextDrive, nextDrive + 30)])
  await settleDevices(world.database)
  const nextDriveMs = START_MS + nextDrive * 60_000
  const kept = () =>
    world.database.rows(sql`
      select before_time, state from fold_checkpoints where device_id = ${car.id} and before_time < ${new Date(nextDriveMs)}`)
  const before = await kept()
  expect(before).toHaveLength(1)
  expect(await dropFirstWeek()).toHaveLength(1)
  const to = { kind: 'new', vin: 'WVWZZZ1JZ3W386752' } as const
  const atMs = nextDriveMs - 15 * 60_000
  expect(await moveDevice(world.database, { deviceId: car.id, to, accountId: undefined, atMs })).toMatchObject({
    kind: 'moved',
  })
  await settleDevices(world.database)
  expect(await kept()).toEqual(before)
})
