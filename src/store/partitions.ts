import { dropVolumesBefore } from '../db/account-quotas.ts'
import type { Database } from '../db/database.ts'
import { LOCK_KIND, LOCKS } from '../db/locks.ts'
import { requireDecided } from '../db/low-watermark.ts'
import { type Connection, rowsOf, sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { instantMs, instantOfMs } from '../db/values.ts'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import { DAY_MS, overlap, WEEK_MS, weekStartMs } from '../model/time-range.ts'
import { mergeYears } from './merge-years.ts'
import { deleteSealedBefore, hasSealedBefore } from './sealed/seal.ts'
import {
  type Client,
  detach,
  dropEmptyTables,
  finishDetach,
  lockRetention,
  missingTable,
  sampleTables,
  type TableSpan,
  unlockRetention,
  weekSpanAt,
} from './tables.ts'

interface PartitionOptions {
  /** Samples of years that ended more than this many days ago need no table per week; without it, every week has one. */
  readonly hotDays?: number
  readonly clock?: Clock
}

/** Creates partitions when a time of their week first arrives, and drops those beyond the retention. Several nodes may
 * do so at the same time. */
export class Partitions {
  readonly #database: Database
  readonly #hotDays: number
  readonly #clock: Clock
  /** Weeks that have a table, by their start. */
  readonly #known = new Set<number>()
  #lastTurn: Promise<unknown> = Promise.resolve()

  constructor(database: Database, { hotDays = Number.POSITIVE_INFINITY, clock = SYSTEM_CLOCK }: PartitionOptions = {}) {
    this.#database = database
    this.#hotDays = hotDays
    this.#clock = clock
  }

  /** True if all of these samples are known to have a partition. */
  hasAll(samples: readonly { readonly timeMs: number }[]): boolean {
    for (const { timeMs } of samples) {
      const startMs = weekStartMs(timeMs)
      if (!this.#known.has(startMs)) return false
    }
    return true
  }

  /** @throws ClientError 503 while one of them is being dropped */
  async ensure(timesMs: Iterable<number>): Promise<void> {
    const missing = new Set<number>()
    for (const timeMs of timesMs) {
      const startMs = weekStartMs(timeMs)
      if (!this.#known.has(startMs)) missing.add(startMs)
    }
    if (missing.size === 0) return
    // One after the other, so that it takes at most one of the connections that all samples need.
    const turn = this.#lastTurn.then(() => this.#make(missing))
    this.#lastTurn = turn.catch(() => undefined)
    await turn
  }

  async #make(weeks: Iterable<number>): Promise<void> {
    for (const startMs of weeks) {
      if (this.#known.has(startMs)) continue
      const { fromMs, toMs } = await this.#withClient(client => create(client, startMs, this.#yearlyBeforeMs))
      for (let weekMs = fromMs; weekMs < toMs; weekMs += WEEK_MS) this.#known.add(weekMs)
    }
  }

  get #yearlyBeforeMs(): number {
    return this.#clock.wallMs() - this.#hotDays * DAY_MS
  }

  /** Forgets what is known, because another node may have dropped a week. */
  forget(): void {
    this.#known.clear()
  }

  /** Drops the weeks that ended before `beforeMs`, on one node at a time and without blocking readers. On Citus, a
   * table that is read for long stays until the next time. From the table of a later year, samples are deleted. */
  dropBefore(beforeMs: number): Promise<string[]> {
    return this.#withClient(async client => {
      if (!(await lockRetention(client))) return []
      const dropped: string[] = []
      const keptMs = weekStartMs(beforeMs)
      // Announced before anything is dropped: the derivation of trips must not mistake missing samples for none.
      const old = (await sampleTables(client)).filter(({ fromMs }) => fromMs < keptMs)
      const hasOldDays = await hasSealedBefore(client, keptMs)
      if (old.length > 0 || hasOldDays) await moveKeptSince(client, keptMs)
      if (hasOldDays) await deleteSealedBefore(client, keptMs)
      for (const { name, state, toMs } of old) {
        if (toMs > keptMs) {
          if (state === 'attached') await deleteBefore(client, name, keptMs)
          continue
        }
        this.forget()
        if (state !== 'detached' && !(await detach(client, name, state))) continue
        if (await dropDetached(client, name)) dropped.push(name)
      }
      await unlockRetention(client)
      return dropped
    })
  }

  /** Drops tables before `beforeMs` whose samples were all sealed. Readers and writers wait for 0.3 s at most; if it
   * takes longer, the table stays until the next time. @returns the tables that were dropped */
  async dropSealedBefore(beforeMs: number): Promise<string[]> {
    const dropped = await this.#withClient(client => dropEmptyTables(client, beforeMs))
    if (dropped.length > 0) this.forget()
    return dropped
  }

  /** Merges the weeks of each past year into one table. @returns the tables that were created */
  mergeYears(): Promise<string[]> {
    return mergeYears(this.#database, this.#yearlyBeforeMs)
  }

  /** A client that failed may hold locks or an open transaction: it is not reused. */
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

/** Makes the table of a week, if there is none. It is created, then attached: unlike `create table … partition of`,
 * this does not block users of other tables. @returns the time that the table covers */
async function create(client: Client, weekMs: number, yearlyBeforeMs: number): Promise<TableSpan> {
  const week = weekSpanAt(weekMs)
  for (const { name } of await pendingOver(client, week)) await finishDetach(client, name)
  await client.query('begin')
  await holdPartitions(client)
  // One that is pending still keeps its time from others.
  const existing = (await sampleTables(client)).filter(({ state }) => state !== 'detached')
  const missing = missingTable(weekMs, existing, yearlyBeforeMs)
  if (missing) {
    await client.query(`drop table if exists ${missing.name}`)
    await client.query(`create table ${missing.name} (like samples including all)`)
    const [from, to] = [missing.fromMs, missing.toMs].map(ms => new Date(ms).toISOString())
    await client.query(`alter table samples attach partition ${missing.name} for values from ('${from}') to ('${to}')`)
  }
  await client.query('commit')
  return missing ?? existing.find(table => overlap(table, week)) ?? week
}

async function pendingOver(client: Client, span: TableSpan): Promise<readonly TableSpan[]> {
  return (await sampleTables(client)).filter(table => table.state === 'pending' && overlap(table, span))
}

const DELETED_AT_ONCE = 20_000

/** In pieces, so that no transaction is long. */
async function deleteBefore(client: Client, name: string, beforeMs: number): Promise<void> {
  const before = new Date(beforeMs).toISOString()
  let deleted: number | null
  do
    ({ rowCount: deleted } = await client.query(`
      delete from ${name} where (device_id, time) in (
        select device_id, time from ${name} where time < '${before}' limit ${DELETED_AT_ONCE})`))
  while (deleted === DELETED_AT_ONCE)
}

/** @returns false when the table became a partition again, because samples of its time arrived. */
async function dropDetached(client: Client, name: string): Promise<boolean> {
  await client.query('begin')
  const mayGo = await isDetached(client, name)
  if (mayGo) await client.query(`drop table if exists ${name}`)
  await client.query('commit')
  return mayGo
}

/** True if a table is no partition; it stays so until the end of the transaction, which locks out others. */
async function isDetached(client: Client, name: string): Promise<boolean> {
  await holdPartitions(client)
  const [attached] = await rowsOf(client, sql`select 1 from pg_inherits where inhrelid = to_regclass(${name})`)
  return attached === undefined
}

async function holdPartitions(client: Client): Promise<void> {
  await rowsOf(client, sql`select pg_advisory_xact_lock(${LOCK_KIND}, ${LOCKS.partitions})`)
}

/** The time in milliseconds from which on all samples are kept, held until the end of the transaction; minus infinity
 * while none was dropped. Older ones are unreadable, so what was derived from them must stay. */
export async function holdKeptSince(transaction: Transaction): Promise<number> {
  await transaction.rows(sql`select pg_advisory_xact_lock_shared(${LOCK_KIND}, ${LOCKS.keptSince})`)
  await requireDecided(transaction)
  return readKeptSince(transaction)
}

/** The same without the lock: callers that rely on it must check again with `holdKeptSince`. */
export async function readKeptSince(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ kept_since: string }>(sql`select kept_since from retention`)
  return row ? instantMs(row.kept_since) : Number.NEGATIVE_INFINITY
}

/** Announces that samples before an instant are about to be dropped. Waits for transactions that rely on them. */
async function moveKeptSince(client: Client, beforeMs: number): Promise<void> {
  const before = instantOfMs(beforeMs)
  await client.query('begin')
  await rowsOf(client, sql`select pg_advisory_xact_lock(${LOCK_KIND}, ${LOCKS.keptSince})`)
  await rowsOf(
    client,
    sql`
      insert into retention as r (kept_since) values (${before})
      on conflict (only_row) do update set kept_since = greatest(r.kept_since, excluded.kept_since)`,
  )
  await rowsOf(client, sql`delete from fold_checkpoints where before_time < ${before}`)
  await dropVolumesBefore({ rows: statement => rowsOf(client, statement) }, beforeMs)
  await client.query('commit')
}
