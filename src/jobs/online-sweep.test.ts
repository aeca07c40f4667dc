import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { ensureFirstAccount } from '../access/accounts.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { readLowWatermark } from '../db/low-watermark.ts'
import { lockDevices } from '../db/shards.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { registerDevices } from '../fleet/devices.ts'
import type { DeviceId } from '../model/sample.ts'
import { sweepOffline } from './online-sweep.ts'

const WINDOW_S = 300
const INTERVAL_S = 10

describe('devices that fall silent', () => {
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

  const sweep = (where = database) => sweepOffline(where, { windowS: WINDOW_S, intervalS: INTERVAL_S })

  /** Devices that sent something so many seconds ago. */
  async function online(devices: Readonly<Record<number, number>>): Promise<void> {
    await writeTransaction(database, async transaction => {
      const accountId = (await ensureFirstAccount(transaction)).id
      const ids = Object.keys(devices).map(id => Number(id) as DeviceId)
      await registerDevices(
        await lockDevices(transaction, ids),
        ids.map(deviceId => ({ deviceId, accountId })),
      )
      for (const id of ids) {
        await transaction.rows(sql`update devices set is_online = true where id = ${id}`)
        await transaction.rows(sql`
          insert into device_states (device_id, first_time, last_time, last_received)
          values (${id}, now(), now(), clock_timestamp() - ${devices[id]} * interval '1 second')`)
      }
    })
  }

  /** As if the sweep had run without a pause since so many seconds, the last time so many seconds ago. */
  const sweptBefore = (sinceS: number, lastS = INTERVAL_S) =>
    database.writers.query(
      `insert into sweeps (name, last_run, steady_since)
       values ('online', clock_timestamp() - make_interval(secs => $2), clock_timestamp() - make_interval(secs => $1))
       on conflict (name) do update set last_run = excluded.last_run, steady_since = excluded.steady_since`,
      [sinceS, lastS],
    )
  const onlineDevices = async () =>
    (await database.rows<{ id: number }>(sql`select id from devices where is_online order by id`)).map(row => row.id)
  const modified = async (id: number) =>
    (await database.rows<{ modified: string }>(sql`select modified from devices where id = ${id}`))[0]?.modified ?? ''

  it('turn offline after the window, and no sooner', async () => {
    await online({ 1: WINDOW_S + 1, 2: WINDOW_S - 5, 3: 0 })
    await sweptBefore(WINDOW_S + 1)
    expect(await sweep()).toBe(1)
    expect(await onlineDevices()).toEqual([2, 3])
    expect(await sweep()).toBe(0)
  })

  it('are seen as changed, each by a revision of its own', async () => {
    await online({ 1: WINDOW_S + 1, 2: WINDOW_S + 1, 3: 0 })
    await sweptBefore(WINDOW_S + 1)
    const before = await readLowWatermark(database)
    const unchanged = await modified(3)
    await sweep()
    const [first, second] = [await modified(1), await modified(2)]
    expect(first > before && second > before && first !== second).toBe(true)
    expect(await modified(3)).toBe(unchanged)
  })

  it('stay online for a whole window after an outage, in which nobody could send', async () => {
    await online({ 1: 4000 })
    await sweptBefore(10_000, 3 * INTERVAL_S + 1)
    expect(await sweep()).toBe(0)
    // A window later it has been steady again; the device was silent all the while.
    await sweptBefore(WINDOW_S - 1)
    expect(await sweep()).toBe(0)
    await sweptBefore(WINDOW_S + 1)
    expect(await sweep()).toBe(1)
  })

  it('stay online for a whole window after the very first start', async () => {
    await online({ 1: 4000 })
    expect(await sweep()).toBe(0)
    expect(await sweep()).toBe(0)
    expect(await onlineDevices()).toEqual([1])
  })

  it('do not wait until a clock that was set back has caught up, but for a whole window', async () => {
    await online({ 1: -3600, 2: 0 })
    await sweptBefore(-3600, -3600)
    expect(await sweep()).toBe(0)
    await sweptBefore(WINDOW_S + 1)
    expect(await sweep()).toBe(1)
    expect(await onlineDevices()).toEqual([2])
  })

  it('let nobody wait for steadiness that lies ahead, because the clock was set back', async () => {
    await online({ 1: 4000 })
    await sweptBefore(-3600, -3600)
    await sweep()
    const [row] = await database.rows<{ ahead: boolean }>(
      sql`select steady_since > clock_timestamp() as ahead from sweeps where name = 'online'`,
    )
    expect(row).toEqual({ ahead: false })
  })

  it('are counted once when several nodes look at once', async () => {
    await online(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [index + 1, WINDOW_S + 1])))
    await sweptBefore(WINDOW_S + 1)
    const nodes = Array.from({ length: 3 }, () => openDatabase({ url: testDatabase.url }))
    const turned = await Promise.all(nodes.map(node => sweep(node)))
    expect(turned.reduce((sum, count) => sum + count, 0)).toBe(50)
    expect(await onlineDevices()).toEqual([])
    await Promise.all(nodes.map(node => node.close()))
  })

  it('turn offline at once however many they are, as when the network of a whole fleet is gone', async () => {
    await online({ 1: 0 })
    await database.writers.query(`
      insert into devices (id, is_online, modified) select n, true, take_revisions(1) from generate_series(2, 2600) n`)
    await database.writers.query(`
      insert into device_states (device_id, first_time, last_time, last_received)
      select n, now(), now(), clock_timestamp() - interval '1 hour' from generate_series(2, 2600) n`)
    await sweptBefore(WINDOW_S + 1)
    expect(await sweep()).toBe(2599)
    expect(await onlineDevices()).toEqual([1])
  })

  it('stay online when something of theirs is just being stored', async () => {
    await online({ 1: WINDOW_S + 1, 2: WINDOW_S + 1 })
    await sweptBefore(WINDOW_S + 1)
    let sweeping: Promise<number> | undefined
    await writeTransaction(database, async transaction => {
      await lockDevices(transaction, [1 as DeviceId])
      sweeping = sweep()
      await sleep(200)
      await transaction.rows(sql`update device_states set last_received = clock_timestamp() where device_id = 1`)
    })
    expect(await sweeping).toBe(1)
    expect(await onlineDevices()).toEqual([1])
  })
})
