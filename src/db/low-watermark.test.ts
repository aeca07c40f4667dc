import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { turnableClock } from '../../test/turned-clock.ts'
import { type Database, openDatabase, WRITER_NAME } from './database.ts'
import { readLowWatermark, requireVisibleWriters } from './low-watermark.ts'
import { revisionAfter } from './revisions.ts'
import { sql } from './sql.ts'
import { writeTransaction } from './transaction.ts'

describe('the low watermark', () => {
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

  /** A writing transaction that took a revision and is then left open. */
  async function openWriter(where = database) {
    let end: () => void = () => undefined
    const mayEnd = new Promise<void>(resolve => {
      end = resolve
    })
    let onRevision: (revision: string) => void = () => undefined
    const revision = new Promise<string>(resolve => {
      onRevision = resolve
    })
    const committed = writeTransaction(where, async transaction => {
      onRevision(await transaction.takeRevisions(1))
      await mayEnd
    })
    return {
      revision: await revision,
      async commit() {
        end()
        await committed
      },
    }
  }

  it('is now while nobody writes, and never the same twice', async () => {
    const before = await now()
    const [first, second] = [await readLowWatermark(database), await readLowWatermark(database)]
    expect(before <= first && first < second && second <= (await now())).toBe(true)
  })

  it('stays before the revisions of every open writer, however long it is open, and passes them once it committed', async () => {
    const [first, second] = [await openWriter(), await openWriter()]
    await sleep(100)
    expect((await readLowWatermark(database)) < first.revision).toBe(true)
    await first.commit()
    const between = await readLowWatermark(database)
    expect(between < second.revision).toBe(true)
    await second.commit()
    expect((await readLowWatermark(database)) > second.revision).toBe(true)
  })

  it('stays before the revisions that a writer takes after it was read, also one that began before', async () => {
    const client = await database.writers.connect()
    await client.query('begin')
    const safe = await readLowWatermark(database)
    const { rows } = await client.query<{ revision: string }>('select take_revisions(1) as revision')
    await client.query('commit')
    client.release()
    expect(safe < rows[0]!.revision).toBe(true)
    const later = await writeTransaction(database, transaction => transaction.takeRevisions(1))
    expect(safe < later).toBe(true)
  })

  it('is not held back by a writer that only reads so far', async () => {
    const client = await database.writers.connect()
    await client.query('begin')
    await client.query('select count(*) from devices')
    await client.query('select pg_advisory_xact_lock(7412, 1)')
    const before = await now()
    const safe = await readLowWatermark(database)
    expect(safe >= before).toBe(true)
    const { rows } = await client.query<{ revision: string }>('select take_revisions(1) as revision')
    expect(rows[0]!.revision > safe).toBe(true)
    expect((await readLowWatermark(database)) < rows[0]!.revision).toBe(true)
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
    expect((await readLowWatermark(database)) >= before).toBe(true)
    for (const client of clients) await client.end()
    await other.drop()
  })

  it('knows writers also when the address of the database names the program otherwise', async () => {
    const url = new URL(testDatabase.url)
    url.searchParams.set('application_name', 'fleet')
    url.searchParams.set('options', '-c timezone=Asia/Tokyo')
    const named = openDatabase({ url: url.href })
    const writer = await openWriter(named)
    expect((await readLowWatermark(database)) < writer.revision).toBe(true)
    await writer.commit()
    await named.close()
  })

  it('holds while revisions run ahead of a clock that was set back', async () => {
    await database.writers.query(
      "select setval('revisions', (extract(epoch from clock_timestamp()) * 1000000)::bigint + 3600000000)",
    )
    const committed = await writeTransaction(database, transaction => transaction.takeRevisions(1))
    const quiet = await readLowWatermark(database)
    expect(quiet > committed).toBe(true)
    const writer = await openWriter()
    expect(writer.revision > quiet).toBe(true)
    expect((await readLowWatermark(database)) < writer.revision).toBe(true)
    await writer.commit()
    expect((await readLowWatermark(database)) > writer.revision).toBe(true)
  })

  it('holds when the clock is set back while a transaction is open', async () => {
    await using clock = await turnableClock()
    const client = await clock.database.writers.connect()
    await client.query('begin')
    await client.query('select now()')
    await clock.turn(-1)
    const { rows } = await client.query<{ revision: string }>('select take_revisions(1) as revision')
    const revision = rows[0]!.revision
    const safe = await readLowWatermark(clock.database)
    await client.query('commit')
    client.release()
    expect(safe < revision).toBe(true)
    expect((await readLowWatermark(clock.database)) > revision).toBe(true)
    await clock.turn(0)
    expect((await readLowWatermark(clock.database)) > revisionAfter(revision, 0)).toBe(true)
  })

  it('never passes a revision before it is committed, whatever many writers do', async () => {
    const stop = new AbortController()
    let greatest = ''
    let reads = 0
    const LEAST_READS = 20
    const passed: string[] = []
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let round = 0; !stop.signal.aborted; round++)
        await writeTransaction(database, async transaction => {
          if ((writer + round) % 3 === 0) await sleep(2)
          const revision = await transaction.takeRevisions(3)
          await sleep((writer * round) % 5)
          if (greatest >= revision) passed.push(revision)
        })
    })
    for (const until = Date.now() + 1500; reads <= LEAST_READS || Date.now() < until; reads++) {
      const point = await readLowWatermark(database)
      if (point > greatest) greatest = point
    }
    stop.abort()
    await Promise.all(writers)
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
