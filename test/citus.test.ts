import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { registerMigrate } from '../src/cli/migrate.ts'
import { distribute } from '../src/db/citus/distribute.ts'
import { DISTRIBUTED_TABLES } from '../src/db/citus/distributed.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { readLowWatermark } from '../src/db/low-watermark.ts'
import { migrate } from '../src/db/migrations.ts'
import { Partitions } from '../src/db/samples/partitions.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { inDatabase, makeCitusDatabase } from './citus-cluster.ts'
import { typedCommands } from './cli.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { query } from './embedded-folder.ts'

/** Without CITUS_URL there are no workers, and the suite runs on one server. */
const hasWorkers = inject('workerUrls').length > 0
const why = hasWorkers ? '' : ' (skipped: CITUS_URL names no cluster)'

describe.runIf(!hasWorkers)('on a server without Citus', () => {
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

describe.runIf(hasWorkers)(`a database moved to Citus${why}`, () => {
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

describe.runIf(hasWorkers)(`a distributed database${why}`, () => {
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

  const planOf = async (statement: string) =>
    (await query(testDatabase.url, `explain ${statement}`)).map(row => row['QUERY PLAN']).join('\n')

  test('a question about a device goes to one shard, one about the fleet to all of them, and none moves rows between workers', async () => {
    const within = `time >= '2026-01-12' and time < '2026-01-13'`
    for (const statement of [
      `select * from samples where device_id = 5 and ${within} order by time limit 2200`,
      `select string_agg(numbers, ''::bytea), exists (select 1 from sealed_days d where d.device_id = any('{5}'::bigint[]) and d.day = '2026-01-12')
        from (select * from samples s where device_id = 5 and ${within} order by time limit 2200) chunk`,
      `select body from sealed_days where device_id = 5 and day = '2026-01-12'`,
      `select state from fold_checkpoints where device_id = 5 and before_time <= '2026-01-12' order by before_time desc limit 1`,
      `delete from samples where device_id = 5 and ${within}`,
    ])
      expect(await planOf(statement)).toMatch(/Task Count: 1\n/)
    const ofFleet = await planOf(`select s.* from samples s join assignments a on a.device_id = s.device_id
      and s.time >= a.from_time and s.time < a.to_time where a.account_id = 1 and ${within} order by s.time, s.device_id limit 2200`)
    expect(ofFleet).not.toMatch(/MapMerge|Repartition/)
    // The assignments are sent to the workers, not the samples to the coordinator.
    expect(ofFleet).toMatch(/Distributed Subplan[^]*on assignments a/)
    expect(ofFleet).not.toMatch(/Distributed Subplan[^]*Task Count[^]*on samples[^]*Task Count/)
  })

  test('every sample up to the low watermark can be read, also while a worker takes long to commit', async () => {
    const machines = inject('workerUrls')
    const setDelay = async (delay: string) => {
      for (const machine of machines) {
        await query(machine, `alter system set commit_delay = ${delay}`)
        await query(machine, `alter system set commit_siblings = ${delay === 'default' ? delay : 0}`)
        await query(machine, 'select pg_reload_conf()')
      }
    }
    // Each worker waits so long between what it was told and what it does; only with fsync on.
    await setDelay('100000')
    try {
      const writing = new AbortController()
      const write = async (writer: number) => {
        for (let round = 0; round < 8; round++)
          await writeTransaction(database, async transaction => {
            const stored = await transaction.takeRevisions(1)
            for (let device = 1; device <= 8; device++)
              await transaction.rows(sql`
                insert into samples values (${writer * 100 + device}, ${time(round)}, ${stored}::timestamptz, 1, null, null)`)
          })
      }
      const seen: { readonly safe: string; readonly n: number }[] = []
      const read = async () => {
        while (!writing.signal.aborted) {
          const safe = await readLowWatermark(database)
          seen.push({ safe, n: await upTo(safe) })
        }
      }
      const upTo = async (safe: string) => {
        const [row] = await database.rows<{ n: number }>(
          sql`select count(*)::integer as n from samples where stored <= ${safe}::timestamptz`,
        )
        return row?.n ?? 0
      }
      const reading = [read(), read()]
      await Promise.all([1, 2, 3].map(write))
      writing.abort()
      await Promise.all(reading)
      for (const { safe, n } of seen) expect({ safe, n: await upTo(safe) }).toEqual({ safe, n })
      expect(seen.length).toBeGreaterThan(10)
      expect(await upTo(await readLowWatermark(database))).toBe(3 * 8 * 8)
    } finally {
      await setDelay('default')
    }
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
})
