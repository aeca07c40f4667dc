import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { requiredEventType } from '../src/catalogue/event-types.ts'
import { registerMigrate } from '../src/cli/migrate.ts'
import { DISTRIBUTED_TABLES, distribute } from '../src/db/citus.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { readLowWatermark } from '../src/db/low-watermark.ts'
import { migrate } from '../src/db/migrations.ts'
import { lockDevices } from '../src/db/shards.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { type DeviceId, sampleOf } from '../src/model/sample.ts'
import { insertSamples, Partitions, readSamplesAt } from '../src/store/index.ts'
import { inDatabase, makeCitusDatabase } from './citus-cluster.ts'
import { typedCommands } from './cli.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { query } from './embedded-folder.ts'
import { isOnCitus } from './on-citus.ts'

/** Without CITUS_URL there are no workers, and the suite runs on one server. */
const why = isOnCitus ? '' : ' (skipped: CITUS_URL names no cluster)'

describe.runIf(!isOnCitus)('on a server without Citus', () => {
  let testDatabase: TestDatabase
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
  })
  afterAll(() => testDatabase.drop())
  const { tacho } = typedCommands([registerMigrate], () => testDatabase.url)

  test('tacho migrate --citus says what is missing', async () => {
    await expect(tacho('migrate', '--citus')).rejects.toThrow(
      /^The database has no Citus: as a superuser, "create extension citus" in this database on every machine, then citus_add_node/,
    )
  })
})

const DAY_MS = 24 * 3600 * 1000
const MONDAY_MS = Date.UTC(2026, 0, 12)
const time = (minute: number) => new Date(MONDAY_MS + minute * 60_000).toISOString()

describe.runIf(isOnCitus)(`a database moved to Citus${why}`, () => {
  const cluster = { adminUrl: inject('adminUrl'), workerUrls: inject('workerUrls') }
  const name = `citus_${process.pid}`
  let url: string
  const rows = (statement: string) => query(url, statement)
  const count = async (table: string) => Number((await rows(`select count(*) as n from ${table}`))[0]?.n)
  const placed = async () =>
    (
      await rows(
        `select logicalrelid::text as name from pg_dist_partition where logicalrelid::text !~ '^samples_' order by 1`,
      )
    ).map(row => row.name)

  beforeAll(async () => {
    url = await makeCitusDatabase(cluster, name)
    await migrate(url)
    const database = openDatabase({ url })
    await new Partitions(database).ensure([MONDAY_MS, MONDAY_MS + 8 * DAY_MS])
    await database.close()
    await rows(`
      insert into samples select d, '2026-01-12'::timestamptz + m * interval '10 minutes', now(), 1, null, null
      from generate_series(1, 40) d, generate_series(0, 1300) m;
      insert into sealed_days (device_id, day, samples_count, values_count, first_stored, last_stored, layout_ids, body)
      select d, '2025-12-01', 1, 1, now(), now(), '{1}', 'x' from generate_series(1, 40) d`)
  })
  afterAll(async () => {
    for (const machine of [cluster.adminUrl, ...cluster.workerUrls])
      await query(machine, `drop database if exists ${name} with (force)`)
  })

  test('is as it was when the move is killed, and complete when it is repeated; a third time there is nothing to do', async () => {
    const end = distribute(url).then(
      () => 'done',
      () => 'killed',
    )
    const moving = `select pid from pg_stat_activity where datname = '${name}' and application_name = 'tacho migrate'
      and query like '%create_distributed_table(%'`
    const admin = inDatabase(cluster.adminUrl, 'postgres')
    while ((await query(admin, moving)).length === 0) await sleep(1)
    await query(admin, `select pg_terminate_backend(pid) from (${moving}) m`)
    expect(await end).toBe('killed')
    expect(await count('samples')).toBe(40 * 1301)
    await distribute(url)
    expect(await placed()).toEqual([...DISTRIBUTED_TABLES].sort())
    expect([await count('samples'), await count('sealed_days')]).toEqual([40 * 1301, 40])
    expect(
      await rows(`select count(*)::integer as n, count(distinct nodeport)::integer as workers from citus_shards
      where table_name = 'samples_2026_01_12'::regclass and shard_size > 0`),
    ).toEqual([{ n: expect.any(Number), workers: cluster.workerUrls.length }])
    // Nothing is left beside the shards.
    expect(
      await rows(
        `select sum(pg_relation_size(relid))::integer as bytes from pg_partition_tree('samples') where isleaf`,
      ),
    ).toEqual([{ bytes: 0 }])
    expect(await distribute(url)).toEqual([])
  })

  test('gets the tables of new weeks on the workers, and drops them there', async () => {
    const database = openDatabase({ url })
    const partitions = new Partitions(database)
    await partitions.ensure([MONDAY_MS - 30 * DAY_MS])
    expect(
      await rows(
        `select count(*)::integer as n from pg_dist_partition where logicalrelid = 'samples_2025_12_08'::regclass`,
      ),
    ).toEqual([{ n: 1 }])
    expect(await partitions.dropBefore(MONDAY_MS - 14 * DAY_MS)).toEqual(['samples_2025_12_08'])
    const worker = inDatabase(cluster.workerUrls[0] ?? '', name)
    expect(await query(worker, `select relname from pg_class where relname ~ '^samples_2025'`)).toEqual([])
    await database.close()
  })
})

describe.runIf(isOnCitus)(`a distributed database${why}`, () => {
  let testDatabase: TestDatabase
  let database: Database
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = openDatabase({ url: testDatabase.url, writerCount: 12 })
    await new Partitions(database).ensure([MONDAY_MS])
  })
  afterAll(async () => {
    await database.close()
    await testDatabase.drop()
  })

  test('what the coordinator has committed and the workers have not yet is after the low watermark', async () => {
    const name = new URL(testDatabase.url).pathname.slice(1)
    const samplesUpTo = async (safe: string) =>
      (
        await database.rows<{ n: number }>(
          sql`select count(*)::integer as n from samples where stored <= ${safe}::timestamptz`,
        )
      )[0]?.n
    let stored = ''
    let isSettled = false
    const release = await holdCommits(inject('workerUrls'))
    try {
      const written = writeTransaction(database, async transaction => {
        stored = await transaction.takeRevisions(1)
        for (let device = 1; device <= 8; device++)
          await transaction.rows(
            sql`insert into samples values (${device}, ${time(0)}, ${stored}::timestamptz, 1, null, null)`,
          )
      }).finally(() => {
        isSettled = true
      })
      await letPrepare(inject('workerUrls'), name)
      const safe = await readLowWatermark(database)
      expect({ isSettled, n: await samplesUpTo(safe) }).toEqual({ isSettled: false, n: 0 })
      expect(safe < stored, `the low watermark ${safe} is before ${stored}`).toBe(true)
      await release()
      await written
    } finally {
      await release()
    }
    const safe = await readLowWatermark(database)
    expect(safe > stored).toBe(true)
    expect(await samplesUpTo(safe)).toBe(8)
  })

  test('what is copied after the same transaction has read is prepared on the workers, and not only committed there', async () => {
    const mileage = requiredEventType('MILEAGE').id
    const samples = Array.from({ length: 8 }, (_, index) =>
      sampleOf((index + 1) as DeviceId, MONDAY_MS + 60_000, new Map([[mileage, index]])),
    )
    const release = await holdCommits(inject('workerUrls'))
    try {
      const written = writeTransaction(database, async transaction => {
        const locked = await lockDevices(
          transaction,
          samples.map(({ deviceId }) => deviceId),
        )
        expect(await readSamplesAt(transaction, samples)).toEqual([])
        await insertSamples(locked, samples, await transaction.takeRevisions(1))
      })
      const name = new URL(testDatabase.url).pathname.slice(1)
      expect(await firstHeld(inject('workerUrls'), name)).toMatch(/^PREPARE TRANSACTION /)
      await release()
      await written
    } finally {
      await release()
    }
    expect(await writeTransaction(database, transaction => readSamplesAt(transaction, samples))).toHaveLength(8)
  })

  test('there is no low watermark while a worker has yet to commit what the coordinator has', async () => {
    const machine = inDatabase(inject('workerUrls')[0] ?? '', new URL(testDatabase.url).pathname.slice(1))
    const client: Client = new pg.Client({ connectionString: machine })
    await client.connect()
    // As Citus names it; no process has this number, so it has ended.
    await client.query(`begin; create table undecided (); prepare transaction 'citus_0_4000000_1_1'`)
    try {
      await expect(readLowWatermark(database)).rejects.toMatchObject({ code: '55P03' })
    } finally {
      await client.query(`rollback prepared 'citus_0_4000000_1_1'`).catch(() => undefined)
      await client.end()
    }
    expect(await readLowWatermark(database)).toMatch(/^20/)
  })

  test('nor while the process that left it there works on its next transaction', async () => {
    const machine = inDatabase(inject('workerUrls')[0] ?? '', new URL(testDatabase.url).pathname.slice(1))
    const worker: Client = new pg.Client({ connectionString: machine })
    const process: Client = new pg.Client({ connectionString: testDatabase.url })
    await Promise.all([worker.connect(), process.connect()])
    await process.query('begin')
    const { rows } = await process.query<{ pid: number }>('select pg_backend_pid() as pid, txid_current()')
    const prepared = `citus_0_${rows[0]?.pid}_1_1`
    await worker.query(`begin; create table left_there (); prepare transaction '${prepared}'`)
    try {
      await expect(readLowWatermark(database)).rejects.toMatchObject({ code: '55P03' })
    } finally {
      await worker.query(`rollback prepared '${prepared}'`).catch(() => undefined)
      await process.query('rollback')
      await Promise.all([worker.end(), process.end()])
    }
    expect(await readLowWatermark(database)).toMatch(/^20/)
  })
})

/** Lets no commit and no preparation on these machines end, as if a replica had to confirm it. @returns what lets all of them end */
async function holdCommits(machines: readonly string[]): Promise<() => Promise<void>> {
  const setReplicas = async (names: string) => {
    for (const machine of machines) {
      await query(machine, `alter system set synchronous_standby_names = ${names}`)
      await query(machine, 'select pg_reload_conf()')
    }
  }
  await setReplicas(`'nobody'`)
  for (const machine of machines)
    while ((await query(machine, 'show synchronous_standby_names'))[0]?.synchronous_standby_names !== 'nobody')
      await sleep(5)
  return () => setReplicas('default')
}

/** Waits until the end of a transaction of one database is locked. @returns the statement that would end it */
async function firstHeld(machines: readonly string[], name: string): Promise<unknown> {
  for (;;)
    for (const machine of machines) {
      const [locked] = await query(
        machine,
        `select query from pg_stat_activity where datname = '${name}' and wait_event = 'SyncRep'`,
      )
      if (locked) return locked.query
      await sleep(5)
    }
}

/** Lets what is locked in one database be prepared. @returns when a worker holds the commit of it */
async function letPrepare(machines: readonly string[], name: string): Promise<void> {
  const locked = (statement: string) =>
    `from pg_stat_activity where datname = '${name}' and wait_event = 'SyncRep' and query like '${statement} %'`
  for (;;)
    for (const machine of machines) {
      if ((await query(machine, `select 1 ${locked('COMMIT PREPARED')}`)).length > 0) return
      await query(machine, `select pg_cancel_backend(pid) ${locked('PREPARE TRANSACTION')}`)
      await sleep(5)
    }
}
