import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { TestClock } from '../../test/test-clock.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { CommitWatch } from './commit-watch.ts'

let testDatabase: TestDatabase
let own: Database
/** Of another node. */
let other: Database

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  own = openDatabase({ url: testDatabase.url })
  other = openDatabase({ url: testDatabase.url })
})
afterAll(async () => {
  await Promise.all([own.close(), other.close()])
  await testDatabase.drop()
})

async function withWatch(work: (watch: CommitWatch, clock: TestClock, stop: AbortController) => Promise<void>) {
  const clock = new TestClock()
  const stop = new AbortController()
  // Its first news is that it listens.
  let isListening: () => void = () => undefined
  const listening = new Promise<void>(resolve => (isListening = resolve))
  const database: Pick<Database, 'listen'> = {
    listen: hears =>
      own.listen(watermark => {
        hears(watermark)
        isListening()
      }),
  }
  const watch = new CommitWatch(database, stop.signal, clock)
  await listening
  try {
    await work(watch, clock, stop)
  } finally {
    stop.abort()
    await watch.close()
  }
}

const winner = (paused: Promise<void>) => Promise.race([paused.then(() => 'over'), setImmediate('goes on')])

test('shortly after a commit, a pause is as long as it is meant to be', () =>
  withWatch(async (watch, clock) => {
    const paused = watch.pause(500)
    clock.advance(499)
    expect(await winner(paused)).toBe('goes on')
    clock.advance(1)
    expect(await winner(paused)).toBe('over')
  }))

test('later it lasts until the next commit of any node', () =>
  withWatch(async (watch, clock) => {
    clock.advance(5000)
    const paused = watch.pause(500)
    clock.advance(4000)
    expect(await winner(paused)).toBe('goes on')
    await writeTransaction(other, transaction => transaction.rows(sql`select`))
    await paused
    const next = watch.pause(500)
    clock.advance(500)
    expect(await winner(next)).toBe('over')
  }))

test('without any commit jobs look every five seconds, and a stop ends every pause', () =>
  withWatch(async (watch, clock, stop) => {
    clock.advance(5000)
    const paused = watch.pause(500)
    clock.advance(5000)
    expect(await winner(paused)).toBe('over')
    const last = watch.pause(500)
    stop.abort()
    expect(await winner(last)).toBe('over')
    expect(await winner(watch.pause(500))).toBe('over')
  }))
