import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { ensureFirstAccount } from '../access/accounts.ts'
import { requiredEventType } from '../catalogue/event-types.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { shardOf } from '../db/shards/shards.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../model/sample.ts'
import { Partitions, readSamplesAt } from '../store/index.ts'
import { Intake } from './intake.ts'
import { storeInOrder } from './store-in-order.ts'

const SPEED = requiredEventType('VEHICLE_SPEED_AVERAGE').id
const CELL = requiredEventType('NETWORK_CELL_INFO').id
const POSITION = requiredEventType('POSITION').id
const START_MS = Date.UTC(2026, 2, 2, 6)
const DEVICE = 356307042440001 as DeviceId
const SHARD = shardOf(DEVICE)
const log = pino({ level: 'silent' })

let testDatabase: TestDatabase
let database: Database
let intake: Intake

beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase({ url: testDatabase.url })
  intake = await startIntake(database)
  // From now on the process remembers the dongle.
  await intake.submit({ samples: [drivingAt(0)], accountId: undefined })
  await intake.backlog.holdLease()
})
afterEach(async () => {
  await intake.stop()
  await database.close()
  await testDatabase.drop()
})

async function startIntake(of: Database): Promise<Intake> {
  const { id: firstAccountId } = await writeTransaction(of, ensureFirstAccount)
  const batchOptions = () => Promise.resolve({ unknownDevices: 'accept', firstAccountId } as const)
  return new Intake({ database: of, partitions: new Partitions(of), log, burstFrom: 1, batchOptions })
}

function drivingAt(second: number, more: readonly (readonly [typeof SPEED, EventValue])[] = []): Sample {
  return sampleOf(DEVICE, START_MS + second * 1000, new Map([[SPEED, 50 + second], ...more]))
}

const store = (samples: readonly Sample[]) =>
  storeInOrder(database, [{ samples, accountId: undefined }], { backlog: intake.backlog, ownerOf: () => undefined })

const stored = (samples: readonly Sample[]) =>
  writeTransaction(database, transaction => readSamplesAt(transaction, samples))

const countOfSamples = async () =>
  (await database.rows<{ count: number }>(sql`select count(*) as count from samples`))[0]?.count

test('samples of every kind come back as they were, and what follows from them waits', async () => {
  const samples = [
    drivingAt(1),
    drivingAt(2, [[CELL, '262;01;"47\\11"; {ä}']]),
    drivingAt(3, [[POSITION, { lon: 11.5, lat: -48.125 }]]),
    sampleOf(DEVICE, START_MS + 4000, new Map([[CELL, '']])),
  ]
  expect(await store(samples)).toBe(true)
  expect(await stored(samples)).toEqual(samples)
  expect(intake.backlog.of(DEVICE)).toEqual(samples)
  const [row] = await database.rows<{ isBehind: boolean }>(
    sql`select backlog_since is not null as "isBehind" from shards where shard = ${SHARD}`,
  )
  expect(row).toEqual({ isBehind: true })
})

test('types beyond the layouts that an account may add describe themselves', async () => {
  const few = openDatabase({ url: testDatabase.url })
  await few.rows(
    sql`insert into layouts (types, newest) select array[n]::smallint[], now() from generate_series(9000, 10000) n`,
  )
  await few.close()
  const samples = [drivingAt(1, [[CELL, 'unheard of']])]
  expect(await store(samples)).toBe(true)
  const [row] = await database.rows(
    sql`select layout_id, texts from samples where time > ${new Date(START_MS).toISOString()}`,
  )
  expect(row).toMatchObject({ layout_id: 0 })
  expect(await stored(samples)).toEqual(samples)
})

test('more samples than a statement takes are copied', async () => {
  const samples = Array.from({ length: 301 }, (_, index) => drivingAt(1 + index))
  expect(await store(samples)).toBe(false)
  expect(await countOfSamples()).toBe(1)
  await intake.submit({ samples, accountId: undefined })
  expect(intake.backlog.of(DEVICE)).toHaveLength(301)
  expect(await stored(samples)).toEqual(samples)
})

test('a shard that somebody else holds is not waited for, and nothing is stored', async () => {
  const other = await database.writers.connect()
  try {
    await other.query('select pg_advisory_lock(7412, $1)', [SHARD])
    expect(await store([drivingAt(1)])).toBe(false)
  } finally {
    other.release(true)
  }
  expect(await countOfSamples()).toBe(1)
  expect(intake.backlog.isHeld).toBe(false)
})

test('a shard that this process holds already is left to that transaction', async () => {
  await writeTransaction(database, async transaction => {
    await intake.backlog.hold([SHARD], transaction)
    expect(await store([drivingAt(1)])).toBe(false)
  })
  expect(await store([drivingAt(1)])).toBe(true)
})

test('a shard whose lease another node took meanwhile is its own', async () => {
  await database.rows(sql`update shards set lease_owner = 1 where shard = ${SHARD}`)
  expect(await store([drivingAt(1)])).toBe(false)
  expect(await countOfSamples()).toBe(1)
})

test('a connection that is lost on the way: the sender is answered, and all of it is stored once', async () => {
  const blocker = await database.writers.connect()
  const leaseOwner = intake.backlog.leaseOwner
  // Revisions are taken under this lock, so the statement waits in its middle.
  await blocker.query('select pg_advisory_lock(7411, 0)')
  const sent = intake.submit({ samples: [drivingAt(1), drivingAt(2)], accountId: undefined })
  const statement = `pid from pg_stat_activity
    where datname = current_database() and query like '%store_in_order%' and wait_event = 'advisory'`
  await expect.poll(async () => (await blocker.query(`select ${statement}`)).rowCount).toBe(1)
  await blocker.query(`select pg_terminate_backend(pid) from (select ${statement}) as it`)
  await expect.poll(() => intake.backlog.leaseOwner).not.toBe(leaseOwner)
  await blocker.query('select pg_advisory_unlock(7411, 0)')
  blocker.release()
  expect(await sent).toEqual({ kind: 'stored', accepted: 2, duplicates: 0, conflicts: 0 })
  expect(await countOfSamples()).toBe(3)
})
