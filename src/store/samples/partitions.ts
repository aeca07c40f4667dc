import { LOCK_KIND, LOCKS } from '../advisory-locks.ts'
import { type Database, rowsOf } from '../database.ts'
import { sql } from '../sql.ts'
import { moveKeptSince } from './kept-since.ts'
import { type Client, detach, finishDetach, isDetachPending, weekTables } from './week-tables.ts'
import { partitionName, partitionStartMs, WEEK_MS, weekStartMs } from './weeks.ts'

/**
 * Makes the partitions of the samples, each when a time of its week first arrives, and drops those beyond the
 * retention. Several nodes may do so at once.
 */
export class Partitions {
  readonly #database: Database
  readonly #known = new Set<number>()
  #lastTurn: Promise<unknown> = Promise.resolve()

  constructor(database: Database) {
    this.#database = database
  }

  /** Whether all of these samples have a partition, as far as is known. */
  hasAll(samples: readonly { readonly timeMs: number }[]): boolean {
    for (const { timeMs } of samples) {
      const startMs = weekStartMs(timeMs)
      if (!this.#known.has(startMs)) return false
    }
    return true
  }

  /**
   * Makes sure that every one of these times has a partition.
   * @throws ClientError 503 while one of them is being dropped.
   */
  async ensure(timesMs: Iterable<number>): Promise<void> {
    const missing = new Set<number>()
    for (const timeMs of timesMs) {
      const startMs = weekStartMs(timeMs)
      if (!this.#known.has(startMs)) missing.add(startMs)
    }
    if (missing.size === 0) return
    // In turn, so that it never takes more than one of the connections that everybody's samples need.
    const turn = this.#lastTurn.then(() => this.#make(missing))
    this.#lastTurn = turn.catch(() => undefined)
    await turn
  }

  async #make(weeks: Iterable<number>): Promise<void> {
    for (const startMs of weeks) {
      if (this.#known.has(startMs)) continue
      await this.#withClient(client => create(client, startMs))
      this.#known.add(startMs)
    }
  }

  /** Another node may have dropped a week since: believe nothing any more. */
  forget(): void {
    this.#known.clear()
  }

  /**
   * Drops every week that ended before `beforeMs`; one node at a time does it. Detached first, without a lock that
   * readers would feel.
   * @returns the tables that were dropped.
   */
  dropBefore(beforeMs: number): Promise<string[]> {
    return this.#withClient(async client => {
      const [lock] = await rowsOf<{ mine: boolean }>(
        client,
        sql`select pg_try_advisory_lock(${LOCK_KIND}, ${LOCKS.retention}) as mine`,
      )
      if (!lock?.mine) return []
      const dropped: string[] = []
      // Told before anything goes: who works trips out must not take what is missing for what never was.
      const old = (await weekTables(client)).filter(({ name }) => endedBefore(name, beforeMs))
      if (old.length > 0) await moveKeptSince(client, weekStartMs(beforeMs))
      for (const { name, state } of old) {
        const startMs = partitionStartMs(name)
        if (startMs === undefined) continue
        this.#known.delete(startMs)
        if (state !== 'detached') await detach(client, name, state)
        if (await dropDetached(client, name)) dropped.push(name)
      }
      await rowsOf(client, sql`select pg_advisory_unlock(${LOCK_KIND}, ${LOCKS.retention})`)
      return dropped
    })
  }

  /** A client that failed may hold locks or an open transaction: it is not used again. */
  async #withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.#database.writers.connect()
    let broken = true
    try {
      const result = await work(client)
      broken = false
      return result
    } finally {
      client.release(broken)
    }
  }
}

function endedBefore(name: string, beforeMs: number): boolean {
  const startMs = partitionStartMs(name)
  return startMs !== undefined && startMs + WEEK_MS <= beforeMs
}

/**
 * A table is made and filled with indexes on its own and then attached: that takes a lock which readers and
 * writers of the other weeks do not notice, whereas `create table … partition of` would stop them.
 */
async function create(client: Client, startMs: number): Promise<void> {
  const name = partitionName(startMs)
  const [from, to] = [startMs, startMs + WEEK_MS].map(ms => new Date(ms).toISOString())
  if (await isDetachPending(client, name)) await finishDetach(client, name)
  await client.query('begin')
  if (await isDetached(client, name)) {
    await client.query(`drop table if exists ${name}`)
    await client.query(`create table ${name} (like samples including all)`)
    await client.query(`alter table samples attach partition ${name} for values from ('${from}') to ('${to}')`)
  }
  await client.query('commit')
}

/** @returns whether the table is gone; false when it became a partition again, because samples of its week arrived. */
async function dropDetached(client: Client, name: string): Promise<boolean> {
  await client.query('begin')
  const mayGo = await isDetached(client, name)
  if (mayGo) await client.query(`drop table if exists ${name}`)
  await client.query('commit')
  return mayGo
}

/** Whether a table is no partition; it stays so until the end of the transaction, for which nobody else makes any. */
async function isDetached(client: Client, name: string): Promise<boolean> {
  await rowsOf(client, sql`select pg_advisory_xact_lock(${LOCK_KIND}, ${LOCKS.partitions})`)
  const [attached] = await rowsOf(client, sql`select 1 from pg_inherits where inhrelid = to_regclass(${name})`)
  return attached === undefined
}
