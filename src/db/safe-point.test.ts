import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { turnableClock } from '../../test/turned-clock.ts'
import { type Database, openDatabase, WRITER_NAME } from './database.ts'
import { readSafePoint, requireVisibleWriters } from './safe-point.ts'
import { sql } from './sql.ts'
import { stampAfter } from './stamps.ts'
import { writeTransaction } from './transaction.ts'

describe('the safe point', () => {
  let testDatabase: TestDatabase
  let database: Database

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = openDatabase({ url: testDatabase.url, writerCount: 12 })
  })
  afterAll(async () => {
    await database.close()
    await testDatabase.drop()
  })

  const now = async () => {
    const [row] = await database.rows<{ now: string }>(sql`select clock_timestamp() as now`)
    return row?.now ?? ''
  }

  /** A writing transaction that took a stamp and is then left open. */
  async function openWriter(where = database) {
    let end: () => void = () => undefined
    const mayEnd = new Promise<void>(resolve => {
      end = resolve
    })
    let onStamp: (stamp: string) => void = () => undefined
    const stamp = new Promise<string>(resolve => {
      onStamp = resolve
    })
    const committed = writeTransaction(where, async transaction => {
      onStamp(await transaction.takeStamps(1))
      await mayEnd
    })
    return {
      stamp: await stamp,
      async commit() {
        end()
        await committed
      },
    }
  }

  it('is now while nobody writes, and never the same twice', async () => {
    const before = await now()
    const [first, second] = [await readSafePoint(database), await readSafePoint(database)]
    expect(before <= first && first < second && second <= (await now())).toBe(true)
  })

  it('stays before the stamps of every open writer, however long it is open, and passes them once it committed', async () => {
    const [first, second] = [await openWriter(), await openWriter()]
    await sleep(100)
    expect((await readSafePoint(database)) < first.stamp).toBe(true)
    await first.commit()
    const between = await readSafePoint(database)
    expect(between < second.stamp).toBe(true)
    await second.commit()
    expect((await readSafePoint(database)) > second.stamp).toBe(true)
  })

  it('stays before the stamps that a writer takes after it was read, also one that began before', async () => {
    const client = await database.writers.connect()
    await client.query('begin')
    const safe = await readSafePoint(database)
    const { rows } = await client.query<{ stamp: string }>('select take_stamps(1) as stamp')
    await client.query('commit')
    client.release()
    expect(safe < rows[0]!.stamp).toBe(true)
    const later = await writeTransaction(database, transaction => transaction.takeStamps(1))
    expect(safe < later).toBe(true)
  })

  it('is not held back by a writer that only reads so far', async () => {
    const client = await database.writers.connect()
    await client.query('begin')
    await client.query('select count(*) from devices')
    await client.query('select pg_advisory_xact_lock(7412, 1)')
    const before = await now()
    const safe = await readSafePoint(database)
    expect(safe >= before).toBe(true)
    const { rows } = await client.query<{ stamp: string }>('select take_stamps(1) as stamp')
    expect(rows[0]!.stamp > safe).toBe(true)
    expect((await readSafePoint(database)) < rows[0]!.stamp).toBe(true)
    await client.query('rollback')
    client.release()
  })

  it('is not held back by readers, nor by writers of other databases', async () => {
    const other = await createTestDatabase()
    const clients = [
      new Client({ connectionString: testDatabase.url, application_name: 'tacho reader' }),
      new Client({ connectionString: other.url, application_name: WRITER_NAME }),
    ]
    for (const client of clients) {
      await client.connect()
      await client.query('begin')
      await client.query('select now()')
    }
    const before = await now()
    expect((await readSafePoint(database)) >= before).toBe(true)
    for (const client of clients) await client.end()
    await other.drop()
  })

  it('knows writers also when the address of the database names the program otherwise', async () => {
    const named = openDatabase({ url: `${testDatabase.url}&application_name=fleet&options=-c%20timezone%3DAsia/Tokyo` })
    const writer = await openWriter(named)
    expect((await readSafePoint(database)) < writer.stamp).toBe(true)
    await writer.commit()
    await named.close()
  })

  it('holds while stamps run ahead of a clock that was set back', async () => {
    await database.writers.query(
      "select setval('stamps', (extract(epoch from clock_timestamp()) * 1000000)::bigint + 3600000000)",
    )
    const committed = await writeTransaction(database, transaction => transaction.takeStamps(1))
    const quiet = await readSafePoint(database)
    expect(quiet > committed).toBe(true)
    const writer = await openWriter()
    expect(writer.stamp > quiet).toBe(true)
    expect((await readSafePoint(database)) < writer.stamp).toBe(true)
    await writer.commit()
    expect((await readSafePoint(database)) > writer.stamp).toBe(true)
  })

  it('holds when the clock is set back while a transaction is open', async () => {
    await using clock = await turnableClock()
    const client = await clock.database.writers.connect()
    await client.query('begin')
    await client.query('select now()')
    await clock.turn(-1)
    const { rows } = await client.query<{ stamp: string }>('select take_stamps(1) as stamp')
    const stamp = rows[0]!.stamp
    const safe = await readSafePoint(clock.database)
    await client.query('commit')
    client.release()
    expect(safe < stamp).toBe(true)
    expect((await readSafePoint(clock.database)) > stamp).toBe(true)
    await clock.turn(0)
    expect((await readSafePoint(clock.database)) > stampAfter(stamp, 0)).toBe(true)
  })

  it('never passes a stamp before it is committed, whatever many writers do', async () => {
    const stop = new AbortController()
    let greatest = ''
    let reads = 0
    const passed: string[] = []
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let round = 0; !stop.signal.aborted; round++)
        await writeTransaction(database, async transaction => {
          if ((writer + round) % 3 === 0) await sleep(2)
          const stamp = await transaction.takeStamps(3)
          await sleep((writer * round) % 5)
          if (greatest >= stamp) passed.push(stamp)
        })
    })
    for (const until = Date.now() + 1500; Date.now() < until; reads++) {
      const point = await readSafePoint(database)
      if (point > greatest) greatest = point
    }
    stop.abort()
    await Promise.all(writers)
    expect(reads).toBeGreaterThan(20)
    expect(passed).toEqual([])
  })
})

it('a server that hides when transactions begin is refused at the start', async () => {
  const testDatabase = await createTestDatabase()
  const admin = new Client({ connectionString: inject('adminUrl') })
  await admin.connect()
  const open = openDatabase({ url: testDatabase.url })
  await requireVisibleWriters(open)
  await open.close()
  await admin.query(`alter database ${new URL(testDatabase.url).pathname.slice(1)} set track_activities = off`)
  await admin.end()
  const hidden = openDatabase({ url: testDatabase.url })
  await expect(requireVisibleWriters(hidden)).rejects.toThrow(/track_activities/)
  await hidden.close()
  await testDatabase.drop()
})
