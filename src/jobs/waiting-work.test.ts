import { setImmediate } from 'node:timers/promises'
import pino from 'pino'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { TestClock } from '../../test/test-clock.ts'
import { openDatabase } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { BackgroundJobs, JobFailures } from './background-jobs.ts'
import { WaitingWork } from './waiting-work.ts'

/** Of another node. */

const testDatabase = await createTestDatabase()
const own = openDatabase({ url: testDatabase.url })
const other = openDatabase({ url: testDatabase.url })
await own.rows(sql`create table waiting_letters ()`)
await own.rows(sql`create table waiting_parcels ()`)
beforeEach(() => own.rows(sql`truncate waiting_letters, waiting_parcels`))
afterAll(async () => {
  await Promise.all([own.close(), other.close()])
  await testDatabase.drop()
})

interface Watched {
  readonly waiting: WaitingWork<'letters' | 'parcels'>
  readonly clock: TestClock
  readonly stop: AbortController
  /** The looks that were answered. */
  readonly looks: () => number
  /** From the next look on, a stream waits for each change. */
  readonly hurry: () => void
  /** Makes the next looks fail. */
  readonly breakDown: () => void
}

/** @param begin called as soon as it is made */
async function withWaitingWork(
  work: (watched: Watched) => Promise<void>,
  begin: (waiting: Watched['waiting']) => void = () => undefined,
) {
  const clock = new TestClock()
  const stop = new AbortController()
  // Its first news is that it listens.
  let isListening: () => void = () => undefined
  const listening = new Promise<void>(resolve => (isListening = resolve))
  let looks = 0
  let isBroken = false
  const changes = { isHurried: false }
  const database: ConstructorParameters<typeof WaitingWork>[0] = {
    changes,
    listen: (hears, to) =>
      own.listen(watermark => {
        hears(watermark)
        isListening()
      }, to),
    async rows(statement, options) {
      try {
        if (isBroken) throw new Error('the connection is gone')
        return await own.rows(statement, options)
      } finally {
        looks++
      }
    },
  }
  const conditions = () => ({
    letters: sql`exists (select from waiting_letters)`,
    parcels: sql`exists (select from waiting_parcels)`,
  })
  const waiting = new WaitingWork(database, conditions, stop.signal, clock)
  begin(waiting)
  await listening
  await expect.poll(() => looks).toBe(1)
  await setImmediate()
  try {
    await work({
      waiting,
      clock,
      stop,
      looks: () => looks,
      hurry: () => (changes.isHurried = true),
      breakDown: () => (isBroken = true),
    })
  } finally {
    stop.abort()
    await waiting.close()
  }
}

/** One more look is answered. */
async function look({ clock, looks }: Watched, afterMs = 2000) {
  const before = looks()
  clock.advance(afterMs)
  await expect.poll(() => looks()).toBeGreaterThan(before)
  await setImmediate()
}

const outcome = (found: Promise<void>) => Promise.race([found.then(() => 'woken'), setImmediate('rests')])

test('a job is woken when there is something for it, and only then', () =>
  withWaitingWork(async watched => {
    const letters = watched.waiting.next('letters')
    const parcels = watched.waiting.next('parcels')
    await look(watched)
    expect(await outcome(letters)).toBe('rests')
    await own.rows(sql`insert into waiting_letters default values`)
    await look(watched)
    expect(await outcome(letters)).toBe('woken')
    expect(await outcome(parcels)).toBe('rests')
    const again = watched.waiting.next('letters')
    expect(await outcome(again)).toBe('rests')
    await look(watched)
    expect(await outcome(again)).toBe('woken')
  }))

test('what waits when it begins is done at once, and nothing else', async () => {
  await own.rows(sql`insert into waiting_parcels default values`)
  const runs: string[] = []
  const clock = new TestClock()
  const jobs = new BackgroundJobs({ log: pino({ enabled: false }), failures: new JobFailures(undefined, clock), clock })
  let stopped: Promise<void> | undefined
  await withWaitingWork(
    async () => {
      await expect.poll(() => runs).toEqual(['parcels'])
      stopped = jobs.stop()
    },
    waiting => {
      for (const kind of ['letters', 'parcels'] as const)
        jobs.whenWaiting(waiting, kind, kind, async () => void runs.push(kind))
    },
  )
  await stopped
  expect(runs).toEqual(['parcels'])
})

test('it looks twice as often while a stream waits for each change', () =>
  withWaitingWork(async watched => {
    await look(watched)
    const before = watched.looks()
    watched.clock.advance(1000)
    await setImmediate()
    expect(watched.looks()).toBe(before)
    watched.hurry()
    await look(watched, 1000)
    await look(watched, 1000)
  }))

test('while nothing is committed it rests until the next commit of any node', () =>
  withWaitingWork(async watched => {
    await look(watched, 5000)
    const before = watched.looks()
    await setImmediate()
    watched.clock.advance(4000)
    await setImmediate()
    expect(watched.looks()).toBe(before)
    await own.rows(sql`insert into waiting_letters default values`)
    const letters = watched.waiting.next('letters')
    await writeTransaction(other, transaction => transaction.rows(sql`select`))
    await letters
  }))

test('without any commit it looks every five seconds', () =>
  withWaitingWork(async watched => {
    await look(watched, 5000)
    await own.rows(sql`insert into waiting_parcels default values`)
    const parcels = watched.waiting.next('parcels')
    await look(watched, 5000)
    expect(await outcome(parcels)).toBe('woken')
  }))

test('when it cannot know, everybody tries', () =>
  withWaitingWork(async watched => {
    const letters = watched.waiting.next('letters')
    watched.breakDown()
    await look(watched)
    expect(await outcome(letters)).toBe('woken')
  }))

test('a stop ends all waiting', () =>
  withWaitingWork(async ({ waiting, stop }) => {
    const letters = waiting.next('letters')
    stop.abort()
    expect(await outcome(letters)).toBe('woken')
    await expect(waiting.next('parcels')).resolves.toBeUndefined()
  }))
