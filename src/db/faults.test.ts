import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { eventually } from '../../test/eventually.ts'
import { freePort } from '../../test/free-port.ts'
import { requiredEventType } from '../catalogue/event-types.ts'
import { badRequest } from '../model/errors.ts'
import { type DeviceId, sampleOf } from '../model/sample.ts'
import { insertSamples, Partitions } from '../store/index.ts'
import { openDatabase } from './database.ts'
import { clientErrorOf } from './faults.ts'
import { lockDevices } from './shards.ts'
import { sql } from './sql.ts'
import { writeTransaction } from './transaction.ts'

const AT_MS = Date.UTC(2025, 0, 1)

const testDatabase = await createTestDatabase()
const database = openDatabase({ url: testDatabase.url })
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

describe('an error of the store', () => {
  const failure = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    )
  const withCode = (code: string) => Object.assign(new Error('from the database'), { code })

  it.each([
    ['08006', 'cannot be reached'],
    ['ECONNREFUSED', 'cannot be reached'],
    ['EHOSTUNREACH', 'cannot be reached'],
    ['57P01', 'restarting'],
    ['57P03', 'restarting'],
    ['53100', 'disk of the database is full'],
    ['53300', 'no resources'],
    ['58030', 'disk of the database reports an error'],
    ['40001', 'busy'],
    ['55P03', 'busy'],
    ['57014', 'too long'],
    ['25006', 'only be read'],
  ])('with the code %s passes by itself: 503 that says when to come back, and that it "%s"', (code, sentence) => {
    expect(clientErrorOf(withCode(code))).toMatchObject({
      status: 503,
      message: expect.stringContaining(sentence),
      headers: { 'retry-after': '2' },
    })
  })

  it.each(['22021', '23505', '23514', '42P01', '42601', 'XX000', 'ERR_ASSERTION'])(
    'with the code %s is a defect, which no repeat mends',
    code => {
      expect(clientErrorOf(withCode(code))).toBeUndefined()
    },
  )

  it.each([
    'terminating connection due to unexpected postmaster exit',
    'the database system is starting up',
    'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally',
    'failure on connection marked as essential: 10.0.0.2:5432',
    'could not connect to any active placements',
    "failed to prepare transaction 'citus_0_2100_7_1' on host 10.0.0.2:5432",
    'could not commit transaction for shard 102040 on at least one active node',
    'cannot connect to 10.0.0.2:5432 to fetch intermediate results',
    'failed to read result "12_3" from node 10.0.0.2:5432',
  ])('of a worker that went away, which Citus passes on as a defect, passes by itself: %s', message => {
    const error = Object.assign(new Error(message), { code: 'XX000' })
    expect(clientErrorOf(error)).toMatchObject({ status: 503, message: expect.stringContaining('restarting') })
    // A query of ours that has such a text is none.
    expect(clientErrorOf(Object.assign(new Error(`invalid: ${message}`), { code: 'XX000' }))).toBeUndefined()
  })

  it('that is meant for the client stays what it is', () => {
    const error = badRequest('no')
    expect(clientErrorOf(error)).toBe(error)
    expect(clientErrorOf('no error at all')).toBeUndefined()
  })

  it('passes by itself when nobody listens where the database should be', async () => {
    const nowhere = openDatabase({ url: `postgresql://tacho@127.0.0.1:${await freePort()}/tacho` })
    const errors = [await failure(nowhere.rows(sql`select 1`)), await failure(writeTransaction(nowhere, async () => 1))]
    expect(errors.map(error => clientErrorOf(error)?.status)).toEqual([503, 503])
    await nowhere.close()
  })

  it('passes by itself when the process closes its database before it has a connection', async () => {
    const closing = openDatabase({ url: testDatabase.url, readerCount: 0 })
    const locked = await Promise.all(Array.from({ length: 4 }, () => closing.readers.connect()))
    const waiting = failure(closing.rows(sql`select 1`))
    const closed = closing.close()
    const errors = [await waiting, await failure(closing.rows(sql`select 1`))]
    expect(errors.map(error => clientErrorOf(error)?.status)).toEqual([503, 503])
    for (const client of locked) client.release()
    await closed
  })

  it('passes by itself when the connection is cut at any moment, also in the middle of a COPY', async () => {
    const partitions = new Partitions(database)
    await partitions.ensure([AT_MS, AT_MS + 7 * 24 * 3600 * 1000])
    const speed = requiredEventType('GPS_SPEED').id
    const samples = Array.from({ length: 60_000 }, (_, index) =>
      sampleOf(1 as DeviceId, AT_MS + index, new Map([[speed, index / 7]])),
    )
    for (const afterMs of [0, 20, 60, 100, 150]) {
      const error = await failure(
        writeTransaction(database, async transaction => {
          const [own] = await transaction.rows<{ pid: number }>(sql`select pg_backend_pid() as pid`)
          const locked = await lockDevices(transaction, [1 as DeviceId])
          const stored = await transaction.takeRevisions(1)
          const cut = sleep(afterMs).then(() =>
            database.rows(sql`select pg_terminate_backend(${own?.pid}::integer, 5000)`),
          )
          await insertSamples(locked, samples, stored)
          await cut
          await transaction.rows(sql`select 1`)
        }),
      )
      expect(clientErrorOf(error) ?? error).toMatchObject({ status: 503 })
    }
    expect(await database.rows(sql`select from samples limit 1`)).toEqual([])
  })

  it('passes by itself when a query takes too long or a reader is cut', async () => {
    const slow = database.readers.query(`set statement_timeout = 50; select pg_sleep(5)`)
    expect(clientErrorOf(await failure(slow))).toMatchObject({ status: 503 })
    const cut = failure(database.rows(sql`select pg_sleep(5)`))
    await eventually(async () => {
      const { rowCount } = await database.writers.query(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'select pg_sleep%' and state = 'active'`)
      expect(rowCount).toBe(1)
    })
    expect(clientErrorOf(await cut)).toMatchObject({ status: 503 })
  })
})
