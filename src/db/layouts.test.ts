import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, it, test } from 'vitest'
import { anySample } from '../../test/any-sample.ts'
import { createTestDatabase } from '../../test/database.ts'
import { TestClock } from '../../test/test-clock.ts'
import { ensureAccount } from '../access/accounts.ts'
import { EVENT_TYPES, type EventTypeId, requiredEventType } from '../catalogue/event-types.ts'
import type { DeviceId, Sample } from '../model/sample.ts'
import { WEEK_MS, weekStartMs } from '../model/time-range.ts'
import {
  type Interval,
  insertSamples,
  numbersOf,
  Partitions,
  type RawSample,
  readSamples,
  readSamplesAt,
  replaceSamples,
  textsOf,
  withRawConnection,
} from '../store/index.ts'
import { type Database, openDatabase } from './database.ts'
import { dropUnusedLayouts, Layouts, OWN_LAYOUT_ID } from './layouts.ts'
import { lockDevices } from './shards.ts'
import { sql } from './sql.ts'
import { writeTransaction } from './transaction.ts'

const testDatabase = await createTestDatabase()
const database = openDatabase({ url: testDatabase.url, writerCount: 1 })
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

test('a new layout is added while all connections for writing are taken, and stays when its transaction fails', async () => {
  const types = [requiredEventType('MILEAGE').id]
  let id: number | undefined
  const failing = writeTransaction(database, async transaction => {
    id = (await transaction.layouts.idsOf([{ types, timeMs: 0 }]))[0]
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  const rows = await database.rows(sql`select id, types from layouts`)
  expect(rows).toEqual([{ id, types }])
})

const NOW_MS = Date.UTC(2026, 5, 1)

describe('layouts of an account', () => {
  let accounts: readonly [number, number]

  beforeEach(async () => {
    await database.rows(sql`truncate layouts`)
    accounts = await writeTransaction(database, async transaction => [
      (await ensureAccount(transaction, 'A')).id,
      (await ensureAccount(transaction, 'B')).id,
    ])
  })

  const numbers = EVENT_TYPES.filter(type => type.dataType === 'NUMBER').map(type => type.id)
  const sample = (...types: readonly (EventTypeId | undefined)[]) => ({
    timeMs: NOW_MS,
    types: types.flatMap(type => type ?? []),
  })

  it('are bounded; those beyond tell themselves what they hold, and nobody else is concerned', async () => {
    const [a, b] = accounts
    const layouts = new Layouts(database, { mostOfAccount: 3 })
    const many = Array.from({ length: 5 }, (_, index) => sample(numbers[index]))
    const ids = await layouts.idsOf(many, () => a)
    expect(ids.filter(id => id !== OWN_LAYOUT_ID)).toHaveLength(3)
    // What is there stays in use.
    expect(await layouts.idsOf(many, () => a)).toEqual(ids)
    expect(await new Layouts(database, { mostOfAccount: 3 }).idsOf(many, () => a)).toEqual(ids)
    const others = [sample(numbers[7]), ...many]
    const idsOfOthers = await layouts.idsOf(others, () => b)
    expect(idsOfOthers.filter(id => id !== OWN_LAYOUT_ID).length).toBe(6)
  })

  it('are dropped when nothing that is kept can use them, and come back when they are needed', async () => {
    const [a] = accounts
    const layouts = new Layouts(database)
    const [old] = await layouts.idsOf([sample(numbers[0])], () => a)
    const [newer] = await layouts.idsOf([{ ...sample(numbers[1]), timeMs: NOW_MS + 40 * WEEK_MS }], () => a)
    const keptSince = new Date(weekStartMs(NOW_MS) + 20 * WEEK_MS).toISOString()
    await database.rows(sql`
      insert into retention (kept_since) values (${keptSince}) on conflict (only_row) do update set kept_since = ${keptSince}`)
    // Somebody used them today.
    expect(await dropUnusedLayouts(database)).toBe(0)
    await database.rows(sql`update layouts set used_on = used_on - 31`)
    expect(await dropUnusedLayouts(database)).toBe(1)
    expect(await database.rows(sql`select id from layouts`)).toEqual([{ id: newer }])
    // A process that has written it today still may: only one that has not must look.
    const [again] = await new Layouts(database).idsOf([sample(numbers[0])], () => a)
    expect(again).not.toBe(old)
    expect(again).not.toBe(OWN_LAYOUT_ID)
  })

  it('are noted as used on each day on which somebody uses them', async () => {
    const clock = new TestClock()
    const layouts = new Layouts(database, { clock })
    const [id] = await layouts.idsOf([sample(numbers[2])])
    const daysUnused = async () => {
      await layouts.idsOf([sample(numbers[2])])
      const rows = await database.rows<{ days: number }>(
        sql`select current_date - used_on as days from layouts where id = ${id}::integer`,
      )
      return rows[0]?.days
    }
    await database.rows(sql`update layouts set used_on = used_on - 1`)
    expect(await daysUnused()).toBe(1)
    clock.advance(24 * 3600 * 1000)
    expect(await daysUnused()).toBe(0)
  })
})

test('samples that tell themselves what they hold read back equal, in every way', async () => {
  const own = openDatabase({ url: testDatabase.url })
  Object.assign(own, { layouts: new Layouts(own, { mostOfAccount: 0 }) })
  let next = 0
  const deviceId = 42 as DeviceId
  await new Partitions(own).ensure([NOW_MS])
  await fc.assert(
    fc.asyncProperty(fc.array(anySample(), { minLength: 1, maxLength: 8 }), async drawn => {
      const samples: Sample[] = drawn.map(item => ({ ...item, deviceId, timeMs: NOW_MS + next++ }))
      await writeTransaction(own, async transaction => {
        const stored = await transaction.takeRevisions(1)
        const locked = await lockDevices(transaction, [deviceId])
        await insertSamples(locked, samples, stored)
        await replaceSamples(locked, samples.slice(1), stored)
        expect(byTime(await readSamplesAt(transaction, samples))).toEqual(samples)
      })
      const range = { deviceId, fromMs: samples[0]!.timeMs, toMs: NOW_MS + next }
      const raw = await rawOf(own, range, undefined)
      expect(raw.map(item => ({ types: item.layout.types, numbers: numbersOf(item), texts: textsOf(item) }))).toEqual(
        samples.map(({ types, numbers, texts }) => ({ types, numbers, texts })),
      )
      const wanted = samples.flatMap(({ types }) => types).slice(0, 1)
      const holding = await rawOf(own, range, wanted)
      expect(holding.map(({ timeMs }) => timeMs)).toEqual(
        samples.filter(({ types }) => wanted.some(type => types.includes(type))).map(({ timeMs }) => timeMs),
      )
    }),
    { numRuns: 30 },
  )
  await own.close()
})

function byTime(samples: readonly Sample[]): readonly Sample[] {
  return samples.toSorted((a, b) => a.timeMs - b.timeMs)
}

function rawOf(own: Database, range: Interval, types: readonly EventTypeId[] | undefined): Promise<RawSample[]> {
  return withRawConnection(own.readsOf(1), async connection => {
    const read: RawSample[] = []
    for await (const chunk of readSamples(connection, [range], { types, direction: 'ascending' })) read.push(...chunk)
    return read
  })
}
