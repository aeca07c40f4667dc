import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { WEEK_MS } from '../model/time-range.ts'
import { Partitions } from './partitions.ts'

/** The first day of the year 2018 in whole weeks. */
const YEAR = Date.UTC(2018, 0, 1)
const HOT = { hotDays: 182 }

describe('samples of past years', () => {
  let testDatabase: TestDatabase
  let database: Database

  beforeEach(async () => {
    testDatabase = await createTestDatabase()
    database = openDatabase({ url: testDatabase.url })
  })
  afterEach(async () => {
    await database.close()
    await testDatabase.drop()
  })

  const insert = (timesMs: readonly number[], layout = 1) =>
    writeTransaction(database, async transaction => {
      const stored = await transaction.takeRevisions(1)
      await transaction.rows(sql`
        insert into samples (device_id, time, stored, layout_id)
        select 1, epoch_ms(ms), ${stored}::timestamptz, ${layout} from unnest(${timesMs}::bigint[]) as u (ms)
        on conflict (device_id, time) do update set stored = excluded.stored, layout_id = excluded.layout_id`)
    })
  const attached = async () =>
    (
      await database.rows<{ name: string }>(sql`
        select inhrelid::regclass::text as name from pg_inherits where inhparent = 'samples'::regclass order by 1`)
    ).map(row => row.name)
  const samples = () =>
    database.rows(sql`select device_id, time, stored, layout_id from samples order by device_id, time`)
  /** A time in each week of 2018. */
  const times = Array.from({ length: 52 }, (_, index) => YEAR + index * WEEK_MS + index * 1000)

  it('share a table for each year, so that an event of each week since 2000 makes few tables', async () => {
    const partitions = new Partitions(database, HOT)
    const weekly: number[] = []
    for (let timeMs = Date.UTC(2000, 0, 1); timeMs < Date.now(); timeMs += WEEK_MS) weekly.push(timeMs)
    await partitions.ensure(weekly)
    await insert(weekly)
    expect(await samples()).toHaveLength(weekly.length)
    const names = await attached()
    expect(names).toContain('samples_2003')
    expect(names.length).toBeLessThan(110)
    // A statement about the last days looks at the tables of these days.
    const plan = await database.rows<{ 'QUERY PLAN': string }>(sql`
      explain select * from samples where device_id = 1 and time >= ${new Date(Date.now() - 2 * WEEK_MS).toISOString()}`)
    const scanned = plan.filter(row => /on samples_/.test(row['QUERY PLAN']))
    expect(scanned.length).toBeLessThanOrEqual(2 * 3)
  })

  it('are put into one table when their year is over for long, with nothing lost', async () => {
    await new Partitions(database).ensure(times)
    await insert(times)
    const before = await samples()
    const partitions = new Partitions(database, HOT)
    expect(await partitions.mergeYears()).toEqual(['samples_2018'])
    expect(await attached()).toEqual(['samples_2018'])
    expect(await samples()).toEqual(before)
    expect(await partitions.mergeYears()).toEqual([])
    // It takes what comes late.
    await partitions.ensure([YEAR + 5000])
    await insert([YEAR + 5000])
    expect(await attached()).toEqual(['samples_2018'])
  })

  it('that are written while they are put together are all there afterwards, as they were written last', async () => {
    await new Partitions(database).ensure(times)
    await insert(times)
    const merging = new Partitions(database, HOT).mergeYears()
    const done = new AbortController()
    void merging.finally(() => done.abort())
    const late: number[] = []
    let round = 0
    for (; !done.signal.aborted; round++) {
      const some = [YEAR + round * 60_000 + 1, YEAR + 30 * WEEK_MS + round * 60_000 + 1]
      late.push(...some)
      await insert(some)
      await insert(times.slice(0, 3), 2 + round)
    }
    expect(await merging).toEqual(['samples_2018'])
    expect(await samples()).toHaveLength(times.length + late.length)
    const [newest] = await database.rows<{ layout_id: number }>(sql`select max(layout_id) as layout_id from samples`)
    expect(newest?.layout_id).toBe(1 + round)
  })

  it('of years that are not over for long stay in their weeks', async () => {
    const partitions = new Partitions(database, HOT)
    await partitions.ensure([Date.now(), Date.now() - WEEK_MS])
    expect(await partitions.mergeYears()).toEqual([])
    expect(await attached()).toHaveLength(2)
  })

  it('go week by week when they are beyond the retention, also out of the table of a year', async () => {
    const partitions = new Partitions(database, HOT)
    await partitions.ensure(times)
    await insert(times)
    expect(await attached()).toEqual(['samples_2018'])
    expect(await partitions.dropBefore(YEAR + 10 * WEEK_MS + 1000)).toEqual([])
    expect(await samples()).toHaveLength(42)
    const [retention] = await database.rows<{ kept_since: string }>(sql`select kept_since from retention`)
    expect(Date.parse(retention?.kept_since ?? '')).toBe(YEAR + 10 * WEEK_MS)
    expect(await partitions.dropBefore(YEAR + 52 * WEEK_MS)).toEqual(['samples_2018'])
    expect(await attached()).toEqual([])
  })
})
