import pino from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { MINUTE_MS, refoldOptions, START_MS, UpgradeWorld } from '../../test/upgrade-world.ts'
import { openDatabase } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { moveDevice } from '../fleet/with-consequences.ts'
import { deriveDevice, deriveHistory } from './derive.ts'
import { DERIVATION_VERSION, enterOutdatedHistories, PRIORITY } from './due.ts'
import { canCutAt } from './folding.ts'
import { deriveHistories } from './histories.ts'
import { rebuildDevice } from './rebuild.ts'
import { fold } from './trips/fold.ts'

const world = await UpgradeWorld.make()
afterAll(() => world[Symbol.asyncDispose]())

const NO_REST = { rest: async () => undefined, signal: new AbortController().signal }
const damage = (statement: string) => world.database.writers.query(statement)

describe('while a history is folded again', () => {
  it('what both rules take for driving is shown at every moment', async () => {
    const car = await world.drivenDongle(30)
    const now = await car.trips()
    // Two drives with what lies between them are one trip then.
    for (let drive = 1; drive < 30; drive += 3) await world.store([car.at(drive * 120 + 60)])
    await deriveDevice(world.database, car.id)
    await car.outdated('that bridge an hour')
    const before = await car.trips()
    expect(before.length).toBeLessThan(now.length)
    const both = now.filter(trip => before.some(old => old.start <= trip.start && trip.end <= old.end))
    expect(both.length).toBeGreaterThan(20)
    let looks = 0
    const between = async () => {
      const shown = await car.trips()
      const isShown = (timeMs: number) => shown.some(({ start, end }) => start <= timeMs && timeMs <= end)
      expect(both.filter(({ start, end }) => !isShown(start) || !isShown(end))).toEqual([])
      if ((await world.foldedTo(car.id)) !== '-infinity') looks++
    }
    await world.refold({ between })
    expect(looks).toBeGreaterThan(10)
    expect(await world.differencesOf(car.id)).toEqual([])
  })

  it('stretches end before the trip that is going on by the previous rules', () => {
    const { state } = fold(undefined, world.newDongle().drive(10, 20).slice(0, -1))
    expect(canCutAt(START_MS + 10 * MINUTE_MS, { fold: state })).toBe(true)
    expect(canCutAt(START_MS + 10 * MINUTE_MS + 1, { fold: state })).toBe(false)
  })

  it('a trip that never ends is folded without being cut, and goes on', async () => {
    const car = world.newDongle()
    const nowMinute = Math.floor((Date.now() - START_MS) / MINUTE_MS)
    const driving = car.drive(nowMinute - 120, nowMinute).slice(0, -1)
    const live = driving.splice(-6)
    const lastMs = live.at(-1)?.timeMs
    await world.store(driving)
    const [trip] = await car.trips()
    await car.outdated('without positions')
    await world.refold({ between: () => world.store(live.splice(0, 1)) })
    expect(live).toEqual([])
    expect(await car.trips()).toMatchObject([{ id: trip?.id, isOpen: true, end: lastMs }])
    expect(await world.differencesOf(car.id)).toEqual([])
  })

  it('out-of-order samples that are folded meanwhile are not lost, however often they come', async () => {
    const car = await world.drivenDongle(4)
    await car.outdated('without ignition and engine')
    let late = 0
    let written = 0
    const between = async () => {
      if (late >= 30) return
      await world.store([car.at((late * 37) % 480, { IS_IGNITION_ON: late % 2 === 0 })])
      late++
      await deriveDevice(world.database, car.id)
    }
    await world.refold({ between, written: () => void written++ })
    expect(written).toBeGreaterThan(5)
    expect(await world.foldedBy(car.id)).toBe(DERIVATION_VERSION)
    expect(await world.differencesOf(car.id)).toEqual([])
  })

  it('its dongle can be moved to another car', async () => {
    const car = await world.drivenDongle(6)
    await car.outdated('without positions')
    let rests = 0
    const between = async () => {
      if (++rests !== 3) return
      const to = { kind: 'new', vin: 'WVWZZZ1JZ3W386752' } as const
      const atMs = START_MS + 130 * MINUTE_MS
      const outcome = await moveDevice(world.database, { deviceId: car.id, to, accountId: undefined, atMs })
      expect(outcome).toMatchObject({ kind: 'moved' })
    }
    await world.refold({ between })
    expect(rests).toBeGreaterThan(3)
    expect(await world.differencesOf(car.id)).toEqual([])
  })
})

describe('folding a history again', () => {
  it.each(['that bridge an hour', 'one sample of three'] as const)(
    'in stretches, trips keep the ids that they would keep in one go: after rules %s',
    async rules => {
      const car = await world.drivenDongle(12)
      for (let drive = 1; drive < 12; drive += 3) await world.store([car.at(drive * 120 + 60)])
      await deriveDevice(world.database, car.id)
      await car.outdated(rules)
      const before = new Set((await car.trips()).map(({ id }) => id))
      const keptIds = async () =>
        (await car.trips()).map(({ id, start }) => (before.has(id) ? { id, start } : { start }))
      await rebuildDevice(world.database, car.id, { isCheck: false })
      const inOneGo = await keptIds()
      await car.outdated(rules)
      expect(new Set((await car.trips()).map(({ id }) => id))).toEqual(before)
      await world.refold()
      expect(await keptIds()).toEqual(inOneGo)
    },
  )

  it('moves no revision where nothing differs', async () => {
    const car = await world.drivenDongle(3)
    await car.outdated('the same')
    const before = await car.trips()
    await world.refold()
    expect(await car.trips()).toEqual(before)
    expect(await world.foldedBy(car.id)).toBe(DERIVATION_VERSION)
  })

  it('leaves no state in the previous form', async () => {
    const car = await world.drivenDongle(3)
    await car.outdated('without positions')
    await world.refold()
    const left = await world.database.rows(sql`
      select state from fold_checkpoints where device_id = ${car.id} and state like '% '
      union all select fold from device_states where device_id = ${car.id} and fold like '% '`)
    expect(left).toEqual([])
  })

  it('goes on where it was when it was stopped', async () => {
    const car = await world.drivenDongle(8)
    await car.outdated('without positions')
    const stop = new AbortController()
    let stretches = 0
    const written = () => void (++stretches === 3 && stop.abort())
    await world.refold({ signal: stop.signal, written })
    expect(await world.foldedTo(car.id)).toMatch(/^2026-/)
    expect(await world.foldedBy(car.id)).toBe(0)
    // What is done already is not looked at again: this stays wrong.
    const [first] = await car.trips()
    await damage(`update trips set polyline = '_p~iF' where id = ${first?.id}`)
    await world.refold()
    expect(await world.foldedBy(car.id)).toBe(DERIVATION_VERSION)
    expect(await world.differencesOf(car.id)).toEqual([expect.stringMatching(/^trip \d+: route was/)])
  })

  it('is done from where rules changed', async () => {
    const car = await world.drivenDongle(8)
    const [first, , third] = await car.trips()
    for (const trip of [first, third]) await damage(`update trips set polyline = '_p~iF' where id = ${trip?.id}`)
    await damage(`
      insert into due (device_id, kind, from_time, to_time, priority)
      select device_id, 'history', start_time, 'infinity', ${PRIORITY.rules} from trips where id = ${third?.id}`)
    expect(await deriveHistories(world.database, refoldOptions())).toBe(1)
    expect(await world.differencesOf(car.id)).toEqual([expect.stringMatching(`^trip ${first?.id}: route was`)])
  })

  it('is right even when two are at it, because one lost its lock without knowing', async () => {
    const car = await world.drivenDongle(6)
    await car.outdated('without ignition and engine')
    await enterOutdatedHistories(world.database)
    const other = openDatabase({ url: world.url })
    const done = await Promise.all([world.database, other].map(database => deriveHistory(database, car.id, NO_REST)))
    await other.close()
    expect(done).toEqual([true, true])
    expect(await world.foldedBy(car.id)).toBe(DERIVATION_VERSION)
    expect(await world.differencesOf(car.id)).toEqual([])
  })

  it('is not stopped by a device that fails, and tries that one again later', async () => {
    const [broken, sound] = [await world.drivenDongle(3), await world.drivenDongle(3)]
    for (const car of [broken, sound]) await car.outdated('without positions')
    await damage(`update device_states set fold = 'x' || fold where device_id = ${broken.id}`)
    const said: string[] = []
    const log = pino({ level: 'info' }, { write: line => void said.push(JSON.parse(line).msg) })
    const options = refoldOptions({ log })
    await enterOutdatedHistories(world.database)
    await deriveHistories(world.database, options)
    expect(await world.foldedBy(broken.id)).toBe(0)
    expect(await world.differencesOf(sound.id)).toEqual([])
    expect(said).toEqual([
      expect.stringMatching(/the history of 2 of \d+ devices is folded again in the background$/),
      'the history of a device could not be folded again; it will be tried again',
      expect.stringMatching(/^folded again \d+ of \d+ devices$/),
    ])

    await damage(`update device_states set fold = substr(fold, 2) where device_id = ${broken.id}`)
    const again = async () => {
      await deriveHistories(world.database, options)
      return world.foldedBy(broken.id)
    }
    await expect.poll(again, { interval: 200 }).toBe(DERIVATION_VERSION)
    expect(await world.differencesOf(broken.id)).toEqual([])
    expect(said.at(-1)).toMatch(/^folded again (\d+) of \1 devices$/)
  })

  it('is over for a device that was rebuilt, and not for one that was only checked', async () => {
    for (const rules of ['without positions', 'the same'] as const) {
      const car = await world.drivenDongle(3)
      await car.outdated(rules)
      await rebuildDevice(world.database, car.id, { isCheck: true })
      expect(await world.foldedBy(car.id)).toBe(0)
      await rebuildDevice(world.database, car.id, { isCheck: false })
      expect(await world.foldedBy(car.id)).toBe(DERIVATION_VERSION)
    }
  })

  it('is right when the transaction ends in a deadlock and is tried again, with samples that came since', async () => {
    const car = await world.drivenDongle(1)
    await car.outdated('without positions')
    await enterOutdatedHistories(world.database)
    await world.store([...car.drive(200, 210), car.at(300)])
    // Sequences remember what is rolled back.
    await damage(`
      create sequence deadlocks;
      create function deadlock() returns trigger language plpgsql as $$ begin
        if nextval('deadlocks') = 1 then raise exception using errcode = '40P01', message = 'deadlock'; end if;
        return new; end $$;
      create trigger deadlock before update of folded_by on device_states for each row execute function deadlock()`)
    try {
      expect(await deriveHistory(world.database, car.id, NO_REST)).toBe(true)
    } finally {
      await damage('drop trigger deadlock on device_states; drop function deadlock; drop sequence deadlocks')
    }
    expect(await world.foldedBy(car.id)).toBe(DERIVATION_VERSION)
    expect(await world.differencesOf(car.id)).toEqual([])
  })

  it('is nothing that a new device needs', async () => {
    const car = await world.drivenDongle(1)
    expect(await world.foldedBy(car.id)).toBe(DERIVATION_VERSION)
  })
})
