import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { query } from '../../../test/embedded-folder.ts'
import { isOnCitus } from '../../../test/on-citus.ts'
import { TestClock } from '../../../test/test-clock.ts'
import { type Database, openDatabase } from '../../db/database.ts'
import { processName, readProcessName } from '../../db/pool.ts'
import { sql } from '../../db/sql.ts'
import { type MachineFigures, MachineWatch, showPresence } from './machine-watch.ts'
import { observeMachine } from './metrics.ts'

let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase({ url: testDatabase.url, processName: processName('api') })
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

/** Of a watch of its own, which has remembered nothing. */
async function figures(clock = new TestClock(Date.now())): Promise<MachineFigures> {
  const watch = new MachineWatch({ connection: database.checks, databaseUrl: testDatabase.url, clock })
  const read = await watch.figures()
  await watch.close()
  return read
}

test('what waits to be derived is as old as the oldest record, in order or not', async () => {
  expect((await figures()).underivedSeconds).toBe(0)
  const mark = (device: number, ago: string) =>
    query(
      testDatabase.url,
      `insert into devices (id, modified) values (${device}, now());
       insert into due (device_id, kind, from_time, to_time, priority, since)
       values (${device}, 'samples', now(), now(), ${device}, now() - interval '${ago}')`,
    )
  await mark(2, '90 s')
  expect((await figures()).underivedSeconds).toBeGreaterThanOrEqual(90)
  await mark(1, '2 hours')
  expect((await figures()).underivedSeconds).toBeGreaterThanOrEqual(7200)
  await query(testDatabase.url, 'delete from due')
  expect((await figures()).underivedSeconds).toBe(0)
})

test('every process is counted once, and commands are none', async () => {
  const node = openDatabase({ url: testDatabase.url, processName: 'tacho intake elsewhere:17 1768464000' })
  const command = openDatabase({ url: testDatabase.url })
  const hide = showPresence(node.checks)
  await Promise.all([node.checks.rows(sql`select 1`), command.checks.rows(sql`select 1`)])
  const { processes } = await figures()
  expect(processes).toEqual([
    { role: 'intake', host: 'elsewhere', pid: 17, startMs: Date.UTC(2026, 0, 15, 8) },
    readProcessName(processName('api')),
  ])
  await hide()
  await node.close()
  await command.close()
})

// The folder of a cluster is not this database's own.
test.skipIf(isOnCitus)('size, disk, clock and standbys are known of a database on this machine', async () => {
  const hourAhead = new TestClock(Date.now() + 3600_000)
  const { databaseBytes = 0, disk, clockDifferenceS = 0, standbys } = await figures(hourAhead)
  expect(databaseBytes).toBeGreaterThan(1_000_000)
  expect(disk?.freeBytes).toBeGreaterThan(0)
  expect(disk?.sizeBytes).toBeGreaterThan(disk?.freeBytes ?? 0)
  expect(disk?.daysLeft).toBeUndefined()
  expect(Math.round(clockDifferenceS / 3600)).toBe(1)
  expect(standbys).toEqual([])
})

test('of a database elsewhere no disk is claimed to be known', async () => {
  const watch = new MachineWatch({ connection: database.checks, databaseUrl: 'postgres://db.example.com/tacho' })
  expect((await watch.figures()).disk).toBeUndefined()
  await watch.close()
})

describe('metrics of the machine', () => {
  const scraped = async (shown: MachineFigures) => {
    const registry = new Registry()
    observeMachine(registry, { figures: async () => shown })
    return (await registry.metrics()).split('\n').filter(line => line !== '' && !line.startsWith('#'))
  }
  const NOTHING: MachineFigures = {
    underivedSeconds: undefined,
    processes: undefined,
    standbys: undefined,
    databaseBytes: undefined,
    clockDifferenceS: undefined,
    disk: undefined,
  }

  test('what is unknown is not there, instead of 0', async () => {
    expect(await scraped(NOTHING)).toEqual([])
    expect(await scraped({ ...NOTHING, disk: { freeBytes: 5, sizeBytes: 7, daysLeft: undefined } })).toEqual([
      'tacho_disk_free_bytes 5',
      'tacho_disk_size_bytes 7',
    ])
  })

  test('standbys have a line each, and no more than a few', async () => {
    const standbys = Array.from({ length: 40 }, (_, index) => ({
      name: `s${index}`,
      lagBytes: index,
      lagSeconds: undefined,
    }))
    const lines = await scraped({ ...NOTHING, standbys })
    expect(lines).toContain('tacho_replication_standbys 40')
    expect(lines).toContain('tacho_replication_lag_bytes{standby="s7"} 7')
    expect(lines.filter(line => line.startsWith('tacho_replication_lag_'))).toHaveLength(16)
  })

  test('a process that is missing is a 0', async () => {
    const api = { role: 'api', host: 'h', pid: 1, startMs: 0 } as const
    expect(await scraped({ ...NOTHING, processes: [api, api] })).toEqual([
      'tacho_processes{process="api"} 2',
      'tacho_processes{process="intake"} 0',
    ])
  })
})
