import type { Clock } from '../lib/clock.ts'
import type { Connection } from './database.ts'
import { readProcessName, STORED_FORM } from './process-name.ts'
import { sql } from './sql.ts'

/** Longer than a process is without its connection while it, or the database, starts again (`src/server/watch/machine-watch.ts`). */
const PATIENCE_MS = 120_000

/** The processes that are connected and can not read what this version writes, as `intake host:4711`. */
export async function readOlderProcesses(connection: Connection): Promise<string[]> {
  const rows = await connection.rows<{ name: string }>(sql`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and application_name ~ '^tacho (api|intake) ' order by 1`)
  return rows.flatMap(({ name }) => {
    const known = readProcessName(name)
    return known && known.storedForm < STORED_FORM ? [`${known.role} ${known.host}:${known.pid}`] : []
  })
}

/**
 * Watches whether processes of older versions work on the same database, as during a rolling upgrade. What they could not read must not
 * be written until they are gone for good.
 */
export class OlderProcesses {
  readonly #connection: Connection
  readonly #clock: Clock
  /** Since when each look found none, and the database did not start again; undefined: the last look found one. */
  #goneSince: { readonly ms: number; readonly server: string } | undefined

  constructor(connection: Connection, clock: Clock) {
    this.#connection = connection
    this.#clock = clock
  }

  /** Whether no look has found any for two minutes. */
  async areGone(): Promise<boolean> {
    const [{ server } = { server: '' }] = await this.#connection.rows<{ server: string }>(
      sql`select pg_postmaster_start_time() as server`,
    )
    const isNone = (await readOlderProcesses(this.#connection)).length === 0
    const nowMs = this.#clock.monotonicMs()
    if (!isNone) this.#goneSince = undefined
    else if (this.#goneSince?.server !== server) this.#goneSince = { ms: nowMs, server }
    return this.#goneSince !== undefined && nowMs - this.#goneSince.ms >= PATIENCE_MS
  }
}
