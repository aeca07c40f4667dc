import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { TestClock } from '../../test/test-clock.ts'
import { openDatabase } from './database.ts'
import { OlderProcesses, readOlderProcesses } from './older-processes.ts'
import { processName, readProcessName, STORED_FORM } from './process-name.ts'
import { sql } from './sql.ts'

let url = ''
beforeAll(async () => {
  const testDatabase = await createTestDatabase()
  url = testDatabase.url
  return () => testDatabase.drop()
})

/** A process of a node, connected under a name. */
async function connect(name: string) {
  const database = openDatabase({ url, processName: name })
  await database.checks.rows(sql`select 1`)
  let closed: Promise<void> | undefined
  const close = () => (closed ??= database.close())
  onTestFinished(close)
  return { checks: database.checks, close }
}

test('the name of a process tells what it can read; the names of former versions do not', () => {
  expect(readProcessName(processName('intake'))).toMatchObject({
    role: 'intake',
    pid: process.pid,
    storedForm: STORED_FORM,
  })
  expect(readProcessName('tacho api node-1:17')).toEqual({ role: 'api', host: 'node-1', pid: 17, storedForm: 0 })
  expect(readProcessName('tacho api node-1~12:17')).toEqual({ role: 'api', host: 'node-1', pid: 17, storedForm: 12 })
  expect(readProcessName('tacho writer')).toBeUndefined()
})

test('nothing that a process of an older version could not read may be written until it has been gone for two minutes', async () => {
  const clock = new TestClock()
  const own = await connect(processName('intake'))
  const older = new OlderProcesses(own.checks, clock)
  expect(await older.areGone()).toBe(false)
  clock.advance(121_000)
  expect(await older.areGone()).toBe(true)

  const former = await connect('tacho intake node-2:4711')
  expect(await readOlderProcesses(own.checks)).toEqual(['intake node-2:4711'])
  expect(await older.areGone()).toBe(false)
  clock.advance(600_000)
  expect(await older.areGone()).toBe(false)
  await former.close()
  await expect.poll(() => readOlderProcesses(own.checks)).toEqual([])
  // It may only be starting again.
  expect(await older.areGone()).toBe(false)
  clock.advance(60_000)
  const restarted = await connect('tacho intake node-2:4712')
  expect(await older.areGone()).toBe(false)
  await restarted.close()
  await expect.poll(() => readOlderProcesses(own.checks)).toEqual([])
  expect(await older.areGone()).toBe(false)
  clock.advance(121_000)
  expect(await older.areGone()).toBe(true)
})
