import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestDatabase } from '../../test/database.ts'
import { TestClock } from '../../test/test-clock.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { type Actor, dropSecurityLinesBefore, GatheredLines } from './security-log.ts'

const ANN: Actor = { accountId: 1, kind: 'user', id: 7, name: 'ann@example.com' }
const DAY_MS = 86_400_000

let lines: GatheredLines
const logged: string[] = []
const clock = new TestClock()

const database = await openTestDatabase()
beforeEach(async () => {
  logged.length = 0
  await statement('alter table security_log disable trigger all')
  await statement('delete from security_log')
  await statement('alter table security_log enable trigger all')
  clock.setWall(Date.now())
  const log = pino({}, { write: line => void logged.push(line) })
  lines = new GatheredLines({ database, log, pauseMs: 10, mostWaiting: 5, clock })
})
afterEach(() => lines.close())

const statement = (text: string) => database.writers.query(text)
const note = (object: string) => lines.note({ kind: 'positions-read', actor: ANN, address: '192.0.2.1', object })
const written = () =>
  database.rows<{ kind: string; details: object }>(sql`select kind, details from security_log order by id`)
/** As many as there are once they are written. */
const count = async () => (await written()).length

test('the same within an hour of the clock is one line, also after a restart', async () => {
  const hourMs = Math.floor(Date.now() / 3_600_000) * 3_600_000
  for (const nowMs of [hourMs, hourMs + 3_599_999, hourMs - 1]) {
    clock.setWall(nowMs)
    note('VIN1')
  }
  await lines.close()
  const restarted = new GatheredLines({ database, log: pino({ level: 'silent' }), clock })
  clock.setWall(hourMs + 5)
  restarted.note({ kind: 'positions-read', actor: ANN, address: '192.0.2.9', object: 'VIN1' })
  await restarted.close()
  expect(await count()).toBe(2)
})

test('while the database takes none they wait; how many were dropped beyond that is a line of its own', async () => {
  await statement('alter table security_log rename to taken_away')
  for (let at = 0; at < 8; at++) note(`VIN${at}`)
  await expect.poll(() => logged.some(line => line.includes('waits for the database'))).toBe(true)
  expect(logged.join('')).toContain('lines are lost')
  await statement('alter table taken_away rename to security_log')
  await expect.poll(count).toBe(6)
  expect((await written()).at(-1)).toEqual({ kind: 'lines-lost', details: { count: 3 } })
  // What was dropped is noted when it happens again.
  note('VIN7')
  await expect.poll(count).toBe(7)
})

test('retention drops what is older, and never the last seven days', async () => {
  await statement(`insert into security_log (account_id, time, kind, caller_kind, caller_name)
    select 1, now() - days * interval '1 day', 'login', 'user', 'ann' from unnest(array[1, 10, 200]) as days`)
  const drop = (days: number) =>
    writeTransaction(database, transaction => dropSecurityLinesBefore(transaction, Date.now() - days * DAY_MS))
  expect(await drop(180)).toBe(1)
  await expect(drop(0)).rejects.toThrow('only added to')
  expect(await count()).toBe(2)
})
