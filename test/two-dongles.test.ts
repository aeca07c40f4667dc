import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { differenceText, rebuildDevice } from '../src/derive/rebuild.ts'
import { markSilent } from '../src/derive/silence.ts'
import { moveDevice } from '../src/fleet/with-consequences.ts'
import type { Sample } from '../src/model/sample.ts'
import { startApi, type TestClient } from './api.ts'
import { IS_DEEP } from './deep.ts'
import { Dongle } from './dongle.ts'
import { intakeOf } from './intake.ts'
import { settleDevices } from './settled.ts'
import { everythingOf, type SyncedObject } from './sync-client.ts'
import { readJson, syncedLists } from './synced-lists.ts'

const VIN = 'WVWZZZ1KZAW000001'
const MINUTE_MS = 60_000
/** Drives end about now, so that the last ones can be open. */
const LONGEST_MINUTE = 60

let client: TestClient
let accounts = 0
let startMs: number
/** The lower IMEI comes first. */
let dongles: readonly [Dongle, Dongle]

const api = await startApi()
const intake = intakeOf(api)
afterAll(async () => {
  await intake.stop()
  await api.stop()
})
beforeEach(async () => {
  client = await api.client(`Fleet ${++accounts}`)
  startMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - LONGEST_MINUTE * MINUTE_MS
  dongles = [new Dongle(startMs), new Dongle(startMs)]
  // Both tell whose car it is.
  for (const dongle of dongles) await send(...[-30, -29].map(minute => dongle.at(minute, { VIN })))
})

const withOdometer = (minute: number) => ({ MILEAGE: 1000 + minute * 0.6 })

async function receive(...samples: readonly Sample[]): Promise<void> {
  expect(await intake.submit({ accountId: client.accountId, samples })).toMatchObject({ kind: 'stored' })
}

const settle = () => settleDevices(api.database)

async function send(...samples: readonly Sample[]): Promise<void> {
  await receive(...samples)
  await settle()
}

describe('two dongles that read one VIN', () => {
  const OTHER_VIN = 'WVWZZZ1KZAW000002'
  const at = (lon: number) => ({
    vin: OTHER_VIN,
    more: (minute: number) => ({ POSITION: { lon, lat: 52.5 + minute * 0.0054 } }),
  })
  const carOf = async ({ id }: Dongle) => (await readJson<{ vehicleId: string }>(client, `/devices/${id}`)).vehicleId

  it.each([
    ['at once', [0, 1, 2, 3]],
    ['one after the other', [0, 2, 1, 3]],
    ['backwards', [3, 2, 1, 0]],
    ['in pieces', [1, 2, 3, 0]],
  ])('and drive at once in two places keep their cars and their trips, whether they report %s', async (_, order) => {
    const [here, there] = [new Dongle(startMs), new Dongle(startMs)]
    const parts = [
      here.drive(0, 20, at(13.4)),
      there.drive(7, 27, at(13.55)),
      [here.off(28), here.off(40)],
      [there.off(35), there.off(47)],
    ]
    for (const part of order) await send(...(parts[part] ?? []))
    expect([await carOf(here), await carOf(there)]).toEqual([here.imei, there.imei])
    const { counting } = await trips()
    expect(new Set(counting.map(({ deviceId }) => deviceId))).toEqual(new Set([here.id, there.id]))
    expect(counting).toHaveLength(2)
    for (const { id } of [here, there])
      expect((await rebuildDevice(api.database, id, { isCheck: true })).map(differenceText)).toEqual([])
  })

  it('are in that car where they drive the same way, or one drives when the other does not', async () => {
    const [first, second, third] = [new Dongle(startMs), new Dongle(startMs), new Dongle(startMs)]
    await send(...first.drive(0, 15, at(13.4)), first.off(25))
    await send(...second.drive(2, 15, at(13.401)), second.off(25))
    await send(...third.drive(30, 40, at(13.55)), third.off(50))
    const cars = [await carOf(first), await carOf(second), await carOf(third)]
    expect(cars).toEqual(Array(3).fill(`VIN${OTHER_VIN}`))
  })
})

interface Trip extends SyncedObject {
  readonly id: string
  readonly deviceId: number
  readonly vehicleId: string
  readonly distance: number
  readonly duration: number
  readonly deleteTimestamp: string | null
  readonly tripStartTimestamp: string
  readonly tripEndTimestamp: string
  readonly aggregations: readonly unknown[]
}

async function trips(): Promise<{ counting: Trip[]; deleted: Trip[] }> {
  const all = [...(await everythingOf<Trip>(client, '/trips')).values()]
  return {
    counting: all.filter(trip => trip.deleteTimestamp === null),
    deleted: all.filter(trip => trip.deleteTimestamp !== null),
  }
}

/** In km, by all ways in which it is summed up: by day of the fleet, of cars, and since ever. */
async function driven(): Promise<number[]> {
  const sum = async (query: string) => {
    const bins = await readJson<{ value: number }[]>(client, `/aggregations?aggregation=DRIVEN_DISTANCE&${query}`)
    return bins.reduce((total, { value }) => total + value, 0)
  }
  const questions = ['bin=FLEET&binSize=DAY', 'bin=VEHICLE&binSize=DAY', 'bin=FLEET&binSize=YEAR&timeZone=Asia/Tokyo']
  const sums: number[] = []
  for (const question of questions) sums.push(await sum(`${question}&aggregationType=SUM`))
  return sums
}

const tripIdOf = async (path: string) => (await readJson<{ tripId: string }>(client, path)).tripId

async function expectNothingToRebuild(): Promise<void> {
  for (const { id } of dongles) expect(await rebuildDevice(api.database, id, { isCheck: true })).toEqual([])
}

describe('two dongles in one car that tell of the same drive', () => {
  it('make one trip that counts: the better measured one, whichever comes first', async () => {
    const [plain, other] = dongles
    const expectUpToDate = syncedLists(client)
    await send(...other.drive(0, 10, { more: withOdometer }), other.at(20, {}))
    await expectUpToDate('the first')
    await send(...plain.drive(0, 10, { stepMinutes: 0.25 }), plain.at(20, {}))
    await expectUpToDate('the second')
    const { counting, deleted } = await trips()
    expect(counting).toMatchObject([{ deviceId: other.id, vehicleId: `VIN${VIN}`, duration: 600 }])
    expect(deleted).toMatchObject([{ deviceId: plain.id, distance: 0, duration: 0, aggregations: [] }])
    for (const sum of await driven()) expect(sum).toBeCloseTo(counting[0]?.distance ?? 0, 6)
    await expectNothingToRebuild()

    const explanation = await readJson<object>(client, `/trips/${deleted[0]?.id}/explain`)
    expect(explanation).toMatchObject({
      state: 'DELETED',
      coveredBy: [counting[0]?.id],
      remarks: [expect.stringContaining('Another device in the car')],
    })
  })

  it('and each of which knows a part of it: what overlaps nothing that counts counts, too', async () => {
    const [first, second] = dongles
    await send(...first.drive(0, 10), ...first.drive(15, 25), first.at(40, {}))
    // It has more positions than each of the two that it overlaps.
    await send(...second.drive(8, 17, { stepMinutes: 0.25 }), second.at(40, {}))
    expect((await trips()).counting.map(trip => trip.deviceId)).toEqual([second.id])
    // The earlier one has more than that, so the later one has nothing beside it.
    await send(...first.drive(0, 10, { stepMinutes: 0.125 }).filter(({ timeMs }) => (timeMs - startMs) % 30_000 !== 0))
    const { counting } = await trips()
    expect(counting.map(trip => trip.deviceId)).toEqual([first.id, first.id])
    await expectNothingToRebuild()
  })

  it('leave the other one as it was, with its id, when late data shows that the one that counted was none', async () => {
    const [first, second] = dongles
    const expectUpToDate = syncedLists(client)
    await send(...first.drive(0, 20, { stepMinutes: 1 }), first.at(40, {}))
    const own = (await trips()).counting[0]
    const seldom = [0, 4, 8, 12, 16]
    await send(
      ...seldom.map(minute => second.at(minute, { IS_IGNITION_ON: true, ...withOdometer(minute) })),
      ...[20, 40].map(minute => second.at(minute, { IS_IGNITION_ON: false })),
    )
    await expectUpToDate('the one with an odometer')
    expect((await trips()).deleted.map(({ id }) => id)).toEqual([own?.id])
    // Somebody only turned the key now and then.
    await send(...seldom.map(minute => second.at(minute + 0.2, { IS_IGNITION_ON: false })))
    await expectUpToDate('what came late')
    expect((await trips()).deleted.map(trip => trip.deviceId)).toEqual([second.id])
    const again = await readJson<Trip>(client, `/trips/${own?.id}`)
    expect({ ...again, modifyTimestamp: '' }).toEqual({ ...own, modifyTimestamp: '' })
    await expectNothingToRebuild()
  })

  it('count both as soon as one of them turns out to have been in another car, and one when it was not', async () => {
    const [stays, leaves] = dongles
    const expectUpToDate = syncedLists(client, `/trips?vehicleId=VIN${VIN}`, `/trips?deviceId=${stays.id}`)
    for (const from of [0, 20]) {
      await send(...stays.drive(from, from + 10), stays.at(from + 15, {}))
      const own = (await trips()).counting.at(-1)
      expect(own?.deviceId).toBe(stays.id)
      await send(...leaves.drive(from, from + 10, { more: withOdometer }), leaves.at(from + 15, {}))
      await expectUpToDate(`the drive at ${from}`)
    }
    const before = await trips()
    expect(before.counting.map(trip => trip.deviceId)).toEqual([leaves.id, leaves.id])
    const [once = 0] = await driven()

    const move = async (to: Parameters<typeof moveDevice>[1]['to'], minute: number) => {
      const atMs = startMs + minute * MINUTE_MS
      const outcome = await moveDevice(api.database, { deviceId: leaves.id, to, accountId: undefined, atMs })
      expect(outcome).toMatchObject({ kind: 'moved' })
      await settle()
    }
    await move({ kind: 'new', vin: 'WBA3A5C58DF000002' }, -10)
    await expectUpToDate('the move')
    const apart = await trips()
    const inCar = apart.counting.filter(trip => trip.vehicleId === `VIN${VIN}`)
    expect(inCar.map(({ id }) => id)).toEqual(
      before.deleted.filter(trip => trip.deviceId === stays.id).map(({ id }) => id),
    )
    expect(apart.counting).toHaveLength(4)
    const [both = 0] = await driven()
    expect(both / once).toBeCloseTo(2, 1)
    await expectNothingToRebuild()

    // It was put back between the two drives.
    await move({ kind: 'named', name: `VIN${VIN}` }, 17)
    await expectUpToDate('the move back')
    expect((await trips()).counting).toHaveLength(3)
    await expectNothingToRebuild()
  })
})

describe('where the wrong trips count', () => {
  /** Both drive at once. @returns what clients see of the trips */
  async function driveBoth(): Promise<() => Promise<unknown[]>> {
    const [first, second] = dongles
    await send(...first.drive(0, 10, { stepMinutes: 1 }), first.at(20, {}))
    await send(...second.drive(0, 10), second.at(20, {}))
    return async () => {
      const { counting, deleted } = await trips()
      return [...counting, ...deleted].map(trip => ({
        ...trip,
        modifyTimestamp: '',
        deleteTimestamp: trip.deleteTimestamp !== null,
      }))
    }
  }
  const damage = (statement: string) => api.database.writers.query(`${statement} and account_id = ${client.accountId}`)

  it.each([
    [
      'both do',
      'update trips set superseded_by = null, deleted = null where superseded_by is not null',
      /superseded_by was nothing, is \d+/,
    ],
    [
      'none does',
      'update trips set superseded_by = 1, deleted = now() where superseded_by is null',
      /superseded_by was 1, is nothing/,
    ],
    ['positions were not counted', 'update trips set fix_count = 7 where fix_count > 7', /fixes was 7, is \d+/],
  ])('rebuilding tells it and puts it right: %s', async (_, statement, said) => {
    const seen = await driveBoth()
    const right = await seen()
    await damage(statement)
    const found: string[] = []
    for (const { id } of dongles)
      found.push(...(await rebuildDevice(api.database, id, { isCheck: true })).map(differenceText))
    expect(found).toContainEqual(expect.stringMatching(said))
    for (const { id } of dongles) await rebuildDevice(api.database, id, { isCheck: false })
    expect(await seen()).toEqual(right)
    await expectNothingToRebuild()
  })

  it('because they are from before it was known which does, folding them again puts it right', async () => {
    const seen = await driveBoth()
    const right = await seen()
    await damage('update trips set superseded_by = null, deleted = null, fix_count = 0 where true')
    await api.database.writers.query(`
      insert into due (device_id, kind, from_time, to_time, priority)
      select device_id, 'samples', first_time, last_time, 1 from device_states where device_id in (${dongles.map(({ id }) => id).join()})`)
    await settle()
    expect(await seen()).toEqual(right)
    await expectNothingToRebuild()
  })
})

describe('two dongles that report a drive live', () => {
  it('are one trip in progress; which one counts does not change with every sample', async () => {
    const [first, second] = dongles
    const expectUpToDate = syncedLists(client)
    const counting: number[] = []
    const fromMinute = IS_DEEP ? 40 : 50
    for (let minute = fromMinute; minute < 59; minute += 0.5) {
      await receive(first.driving(minute))
      await receive(second.driving(minute + 0.1), second.driving(minute + 0.2))
      await expectUpToDate(`minute ${minute}`)
      const seen = (await trips()).counting
      if (minute < fromMinute + 2) continue
      expect(seen).toHaveLength(1)
      const [trip] = seen
      counting.push(trip?.deviceId ?? 0)
      expect(await tripIdOf(`/vehicles/VIN${VIN}`)).toBe(trip?.id)
      expect(await tripIdOf(`/devices/${first.id}`)).toBe(trip?.id)
      // Its own trip is none that is listed.
      expect(await tripIdOf(`/devices/${second.id}`)).toBe('')
    }
    expect(new Set(counting)).toEqual(new Set([first.id]))
    const [sum] = await driven()
    expect(sum).toBeCloseTo((await trips()).counting[0]?.distance ?? 0, 6)

    // The first reading of an odometer is worth more than the lower IMEI.
    await receive(second.driving(59, withOdometer(59)))
    await expectUpToDate('an odometer')
    expect((await trips()).counting.map(trip => trip.deviceId)).toEqual([second.id])
    expect(await tripIdOf(`/devices/${first.id}`)).toBe('')
    expect(await tripIdOf(`/devices/${second.id}`)).toBe(await tripIdOf(`/vehicles/VIN${VIN}`))
    await expectNothingToRebuild()
  })

  it('are decided by what they measured when both have ended, also when one falls silent', async () => {
    const [first, second] = dongles
    const expectUpToDate = syncedLists(client)
    const until = (dongle: Dongle, to: number, step: number) => dongle.drive(20, to, { stepMinutes: step }).slice(0, -1)
    await receive(...until(first, 30, 1))
    await receive(...until(second, 30, 0.25))
    await expectUpToDate('both drive')
    expect((await trips()).counting.map(trip => trip.deviceId)).toEqual([first.id])
    await api.database.writers.query(`update device_states set last_received = last_received - interval '1 minute'`)
    expect(await markSilent(api.database, new Map())).toBeGreaterThanOrEqual(2)
    await settle()
    await expectUpToDate('silence')
    expect((await trips()).counting.map(trip => trip.deviceId)).toEqual([second.id])
    expect(await tripIdOf(`/vehicles/VIN${VIN}`)).toBe('')
    // One goes on after all.
    await receive(first.driving(31), first.driving(31.5))
    await settle()
    await expectUpToDate('it goes on')
    expect((await trips()).counting.map(trip => trip.deviceId)).toEqual([first.id])
    await expectNothingToRebuild()
  })
})
