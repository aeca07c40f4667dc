import { LOCK_KIND, LOCKS } from '../advisory-locks.ts'
import { type Database, rowsOf } from '../database.ts'
import { sql } from '../sql.ts'
import { partitionName, partitionStartMs, WEEK_MS, weekStartMs } from './weeks.ts'

/**
 * Makes the partitions of the samples, each when a time of its week first arrives, and drops those beyond the
 * retention. Several nodes may do so at once.
 */
export class Partitions {
  readonly #database: Database
  readonly #known = new Set<number>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Makes sure that every one of these times has a partition. */
  async ensure(timesMs: Iterable<number>): Promise<void> {
    const missing = new Set<number>()
    for (const timeMs of timesMs) {
      const startMs = weekStartMs(timeMs)
      if (!this.#known.has(startMs)) missing.add(startMs)
    }
    for (const startMs of missing) {
      await this.#create(startMs)
      this.#known.add(startMs)
    }
  }

  /** Another node may have dropped a week since: believe nothing any more. */
  forget(): void {
    this.#known.clear()
  }

  /**
   * A table is made and filled with indexes on its own and then attached: that takes a lock which readers and
   * writers of the other weeks do not notice, whereas `create table … partition of` would stop them.
   */
  async #create(startMs: number): Promise<void> {
    const name = partitionName(startMs)
    const [from, to] = [startMs, startMs + WEEK_MS].map(ms => new Date(ms).toISOString())
    const client = await this.#database.writers.connect()
    let broken = true
    try {
      await client.query('begin')
      await rowsOf(client, sql`select pg_advisory_xact_lock(${LOCK_KIND}, ${LOCKS.partitions})`)
      const [existing] = await rowsOf(client, sql`select 1 from pg_inherits where inhrelid = to_regclass(${name})`)
      if (!existing) {
        await client.query(`drop table if exists ${name}`)
        await client.query(`create table ${name} (like samples including all)`)
        await client.query(`alter table samples attach partition ${name} for values from ('${from}') to ('${to}')`)
      }
      await client.query('commit')
      broken = false
    } finally {
      client.release(broken)
    }
  }

  /**
   * Drops every week that ended before `beforeMs`. Detached first, without a lock that readers would feel.
   * @returns the tables that were dropped.
   */
  async dropBefore(beforeMs: number): Promise<string[]> {
    const client = await this.#database.writers.connect()
    const dropped: string[] = []
    let broken = true
    try {
      await rowsOf(client, sql`select pg_advisory_lock(${LOCK_KIND}, ${LOCKS.retention})`)
      for (const { name, attached } of await weekTables(client)) {
        const startMs = partitionStartMs(name)
        if (startMs === undefined || startMs + WEEK_MS > beforeMs) continue
        this.#known.delete(startMs)
        if (attached) await detach(client, name)
        await client.query(`drop table if exists ${name}`)
        dropped.push(name)
      }
      await rowsOf(client, sql`select pg_advisory_unlock(${LOCK_KIND}, ${LOCKS.retention})`)
      broken = false
    } finally {
      client.release(broken)
    }
    return dropped
  }
}

type Client = Parameters<typeof rowsOf>[0]

/** Every week table, also one that an earlier, cut-off run had detached already. */
function weekTables(client: Client): Promise<{ name: string; attached: boolean }[]> {
  return rowsOf(
    client,
    sql`
      select c.relname as name, exists (select 1 from pg_inherits i where i.inhrelid = c.oid) as attached
      from pg_class c
      where c.relkind = 'r' and c.relname like 'samples\\_%'
        and c.relnamespace = (select relnamespace from pg_class where oid = 'samples'::regclass)
      order by 1`,
  )
}

async function detach(client: Client, name: string): Promise<void> {
  const [pending] = await rowsOf(
    client,
    sql`select 1 from pg_inherits where inhrelid = to_regclass(${name}) and inhdetachpending`,
  )
  await client.query(`alter table samples detach partition ${name} ${pending ? 'finalize' : 'concurrently'}`)
}
