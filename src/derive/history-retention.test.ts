import { afterAll, beforeEach, expect, it } from 'vitest'
import { type ShownTrip, START_MS, UpgradeWorld } from '../../test/upgrade-world.ts'
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
