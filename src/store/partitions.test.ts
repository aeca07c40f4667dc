import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { eventually } from '../../test/eventually.ts'
import { isOnCitus } from '../../test/on-citus.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { WEEK_MS, weekStartMs } from '../model/time-range.ts'
import { Partitions } from './partitions.ts'
import { partitionName } from './tables.ts'

const why = isOnCitus ? '' : ' (skipped: CITUS_URL names no cluster)'

/** A Monday. */
const WEEK = Date.UTC(2024, 11, 30)
const week = (offset: number) => WEEK + offset * WEEK_MS

describe('partitions of the samples', () => {
  let testDatabase: TestDatabase
  let database: Database
  let partitions: Partitions
  let clients: Client[]

  beforeEach(async () => {
    testDatabase = await createTestDatabase()
    database = openDatabase({ url: testDatabase.url })
    partitions = new Partitions(database)
    clients = []
  })
  afterEach(async () => {
    await Promise.all(clients.map(client => client.end()))
    await database.close()
    await testDatabase.drop()
  })

  /** A connection of its own that gives up instead of waiting for a lock. */
  async function impatient(): Promise<Client> {
    const client = new Client({ connectionString: testDatabase.url, options: '-c lock_timeout=500' })
    clients.push(client)
    await client.connect()
    return client
  }

  const insert = (client: Client, ...timesMs: readonly number[]) =>
    client.query(
      `insert into samples (device_id, time, stored, layout_id)
       select 1, epoch_ms(ms), clock_timestamp(), 1 from unnest($1::bigint[]) as u (ms)`,
      [timesMs],
    )
  const count = async (client: Client) => Number((await client.query('select count(*) as n from samples')).rows[0].n)
  const attached = async () =>
    (
      await database.rows<{ name: string }>(sql`
        select inhrelid::regclass::text as name from pg_inherits
        where inhparent = 'samples'::regclass and not inhdetachpending order by 1`)
    ).map(row => row.name)
  const tables = async () =>
    (
      await database.rows<{ name: string }>(sql`
        select relname as name from pg_class where relkind = 'r' and relname ~ '^samples_\\d' order by 1`)
    ).map(row => row.name)
  const namesOf = (...timesMs: readonly number[]) =>
    [...new Set(timesMs.map(timeMs => partitionName(weekStartMs(timeMs))))].sort((a, b) => (a < b ? -1 : 1))

  it('are there for whatever times arrive, each week once', async () => {
    const times = [Date.UTC(2000, 0, 1), Date.UTC(2017, 5, 1), week(0) - 1, week(0), week(1) - 1, week(1), Date.now()]
    await partitions.ensure(times)
    await partitions.ensure(times)
    expect(await attached()).toEqual(namesOf(...times))
    const client = await impatient()
    await insert(client, ...times)
    expect(await count(client)).toBe(times.length)
    // With the indexes of all the others.
    const [indexes] = await database.rows<{ count: number }>(sql`
      select count(*) as count from pg_indexes where tablename = ${partitionName(week(0))}`)
    const [expected] = await database.rows<{ count: number }>(sql`
      select count(*) as count from pg_indexes where tablename = 'samples'`)
    expect(indexes).toEqual(expected)
  })

  it('may be made by several nodes at once', async () => {
    const times = Array.from({ length: 12 }, (_, index) => week(index))
    const nodes = Array.from({ length: 3 }, () => openDatabase({ url: testDatabase.url }))
    await Promise.all(nodes.map((node, index) => new Partitions(node).ensure(index % 2 ? times : times.toReversed())))
    expect(await attached()).toEqual(namesOf(...times))
    await Promise.all(nodes.map(node => node.close()))
  })

  it('are made without waiting for readers and writers, however long those take, and without stopping any', async () => {
    await partitions.ensure([week(0)])
    const [reader, writer, other] = [await impatient(), await impatient(), await impatient()]
    await reader.query('begin isolation level repeatable read')
    await count(reader)
    await writer.query('begin')
    await insert(writer, week(0))
    const making = partitions.ensure([week(1), week(2), week(3)])
    // Each of these would give up if it had to wait.
    for (let round = 0; round < 20; round++) {
      await count(reader)
      await count(other)
      await insert(other, week(0) + 1 + round)
    }
    await making
    await insert(writer, week(1))
    await writer.query('commit')
    expect(await count(reader)).toBe(0)
    await reader.query('commit')
    expect(await count(reader)).toBe(22)
  })

  it('are dropped only as whole weeks that ended before', async () => {
    await partitions.ensure([week(0), week(1), week(2)])
    const client = await impatient()
    await insert(client, week(0), week(1), week(2) - 1, week(2))
    expect(await partitions.dropBefore(week(1) - 1)).toEqual([])
    expect(await partitions.dropBefore(week(2) - 1)).toEqual(namesOf(week(0)))
    expect(await count(client)).toBe(3)
    expect(await partitions.dropBefore(week(2))).toEqual(namesOf(week(1)))
    expect(await tables()).toEqual(namesOf(week(2)))
    expect(await count(client)).toBe(1)
  })

  it('may be dropped by several nodes at once, while others read and write', async () => {
    await partitions.ensure(Array.from({ length: 6 }, (_, index) => week(index)))
    const client = await impatient()
    const other = openDatabase({ url: testDatabase.url })
    const dropping = Promise.all([partitions, new Partitions(other)].map(node => node.dropBefore(week(5))))
    const done = new AbortController()
    void dropping.finally(() => done.abort())
    for (let round = 0; !done.signal.aborted; round++) {
      await insert(client, week(5) + round)
      await count(client)
    }
    expect((await dropping).flat().sort()).toEqual(namesOf(week(0), week(1), week(2), week(3), week(4)))
    expect(await attached()).toEqual(namesOf(week(5)))
    await other.close()
  })

  // Citus has no detach that waits for readers without blocking others.
  it.skipIf(isOnCitus)('hold nobody up while they wait for a long reader to let them go', async () => {
    await partitions.ensure([week(0), week(1)])
    const [reader, other] = [await impatient(), await impatient()]
    await reader.query('begin isolation level repeatable read')
    await count(reader)
    const dropping = partitions.dropBefore(week(1))
    await detaching()
    await insert(other, week(1))
    expect(await count(other)).toBe(1)
    await reader.query('commit')
    expect(await dropping).toEqual(namesOf(week(0)))
  })

  it.runIf(isOnCitus)(
    `on Citus, stay as long as somebody reads them, and others wait for a moment only${why}`,
    async () => {
      await partitions.ensure([week(0), week(1)])
      const [reader, other] = [await impatient(), await impatient()]
      await insert(other, week(0), week(1))
      await reader.query('begin isolation level repeatable read')
      expect(await count(reader)).toBe(2)
      const done = new AbortController()
      const dropping = partitions.dropBefore(week(1)).finally(() => done.abort())
      while (!done.signal.aborted) expect(await count(other)).toBe(2)
      expect(await dropping).toEqual([])
      await reader.query('commit')
      expect(await partitions.dropBefore(week(1))).toEqual(namesOf(week(0)))
      expect(await count(other)).toBe(1)
    },
  )

  /** Waits until a week is being detached. */
  const detaching = () =>
    eventually(async () => {
      const rows = await database.rows(sql`select 1 from pg_inherits where inhdetachpending`)
      if (rows.length === 0) throw new Error('nothing is being detached')
    })

  /** Cuts a detach off in the middle: it waits for a reader, and then its connection ends. */
  async function cutOffDetach(beforeMs: number): Promise<void> {
    const reader = await impatient()
    await reader.query('begin')
    await count(reader)
    const dropping = partitions.dropBefore(beforeMs).catch((error: unknown) => error)
    await detaching()
    await database.rows(sql`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where query like 'alter table samples detach%' and datname = current_database()`)
    expect(await dropping).toBeInstanceOf(Error)
    await reader.query('commit')
  }

  it.skipIf(isOnCitus)('are dropped later when a detach was cut off', async () => {
    await partitions.ensure([week(0), week(1)])
    await cutOffDetach(week(1))
    expect(await tables()).toEqual(namesOf(week(0), week(1)))
    expect(await partitions.dropBefore(week(1))).toEqual(namesOf(week(0)))
    expect(await tables()).toEqual(namesOf(week(1)))
  })

  it.skipIf(isOnCitus)('are dropped later also when an older week came up meanwhile', async () => {
    await partitions.ensure([week(0), week(1)])
    await cutOffDetach(week(1))
    await partitions.ensure([week(-1)])
    expect((await partitions.dropBefore(week(1))).sort()).toEqual(namesOf(week(-1), week(0)))
    expect(await tables()).toEqual(namesOf(week(1)))
  })

  it.skipIf(isOnCitus)('take new samples again while a cut-off detach was not finished', async () => {
    await partitions.ensure([week(0), week(1)])
    await cutOffDetach(week(1))
    partitions.forget()
    await partitions.ensure([week(0)])
    const client = await impatient()
    await insert(client, week(0))
    expect(await count(client)).toBe(1)
    expect(await partitions.dropBefore(week(1))).toEqual(namesOf(week(0)))
  })

  it.skipIf(isOnCitus)(
    'take new samples of a week that is being dropped after it is gone; until then their senders are told to wait',
    async () => {
      await partitions.ensure([week(0), week(1)])
      const [reader, other] = [await impatient(), openDatabase({ url: testDatabase.url })]
      await reader.query('begin')
      await count(reader)
      const dropping = partitions.dropBefore(week(1))
      await detaching()
      const node = new Partitions(other)
      await expect(node.ensure([week(0)])).rejects.toMatchObject({ status: 503 })
      await node.ensure([week(1), week(2)])
      await reader.query('commit')
      expect(await dropping).toEqual(namesOf(week(0)))
      await node.ensure([week(0)])
      expect(await attached()).toEqual(namesOf(week(0), week(1), week(2)))
      await other.close()
    },
  )

  it.skipIf(isOnCitus)('do not make everybody wait for a long reader of a week whose detach was cut off', async () => {
    await partitions.ensure([week(0), week(1)])
    await cutOffDetach(week(1))
    const reader = await impatient()
    await reader.query('begin isolation level repeatable read')
    await count(reader)
    partitions.forget()
    const startMs = Date.now()
    await expect(partitions.ensure([week(0)])).rejects.toMatchObject({ status: 503 })
    expect(Date.now() - startMs).toBeLessThan(60_000)
    await reader.query('commit')
    await partitions.ensure([week(0)])
    expect(await attached()).toEqual(namesOf(week(0), week(1)))
  })

  it('are dropped or made again when only the drop was cut off', async () => {
    await partitions.ensure([week(0), week(1), week(2)])
    for (const startMs of [week(0), week(1)])
      await database.writers.query(`alter table samples detach partition ${partitionName(startMs)}`)
    await new Partitions(database).ensure([week(1)])
    expect(await attached()).toEqual(namesOf(week(1), week(2)))
    expect(await partitions.dropBefore(week(1))).toEqual(namesOf(week(0)))
    expect(await tables()).toEqual(namesOf(week(1), week(2)))
  })
})
