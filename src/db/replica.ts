import type { Pool } from 'pg'
import { type Clock, pause } from '../lib/clock.ts'
import { type Connection, rowsOf, sql } from './sql.ts'

/** A replica that is farther behind is not read from. */
export const MOST_LAG_MS = 10_000
const LOOK_EVERY_MS = 1_000

/** Why a replica is not read from, apart from being behind. */
export type ReplicaFault = 'unreachable' | 'no replica' | 'of another database'

interface ReplicaOptions {
  readonly primary: Connection
  readonly pool: Pool
  readonly clock: Clock
  /** Called when it becomes unusable, with the reason, and with undefined when it is usable again. */
  readonly onFault?: ((fault: ReplicaFault | undefined, error?: unknown) => void) | undefined
}

interface PrimaryRow {
  readonly lsn: string
  readonly system: string
  readonly name: string
}

interface ReplicaRow {
  readonly is_replica: boolean
  readonly system: string
  readonly name: string
  readonly replayed: number
}

/** A streaming replica, for reads that may be some seconds old. It is not used while it is behind, away, not a replica
 * of this database, or lacks what clients of the account wrote through this process. */
export class Replica {
  readonly pool: Pool
  readonly #primary: Connection
  readonly #clock: Clock
  readonly #onFault: NonNullable<ReplicaOptions['onFault']>
  readonly #marks = new Marks()
  readonly #wroteMs = new Map<number, number>()
  readonly #closing = new AbortController()
  readonly #watching: Promise<void>
  /** It is not usable before the first look, which is no fault. */
  #fault: ReplicaFault | undefined

  constructor({ primary, pool, clock, onFault = () => undefined }: ReplicaOptions) {
    this.pool = pool
    this.#primary = primary
    this.#clock = clock
    this.#onFault = onFault
    this.#watching = this.#watch()
  }

  /** It has all that this account's clients wrote here, and is at most `MOST_LAG_MS` behind. */
  has(accountId: number): boolean {
    const { replayedMs } = this.#marks
    if (replayedMs === undefined || this.#clock.monotonicMs() - replayedMs > MOST_LAG_MS) return false
    const wroteMs = this.#wroteMs.get(accountId)
    return wroteMs === undefined || wroteMs < replayedMs
  }

  /** A client of the account changed or sent something; called after the commit, before the client hears of it. */
  wrote(accountId: number): void {
    this.#wroteMs.set(accountId, this.#clock.monotonicMs())
  }

  get lagMs(): number | undefined {
    const { replayedMs } = this.#marks
    return replayedMs === undefined ? undefined : this.#clock.monotonicMs() - replayedMs
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#watching
    await this.pool.end()
  }

  async #watch(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.#look()
      await pause(LOOK_EVERY_MS, this.#closing.signal, this.#clock)
    }
  }

  async #look(): Promise<void> {
    const atMs = this.#clock.monotonicMs()
    try {
      const [primary] = await this.#primary.rows<PrimaryRow>(
        sql`select pg_current_wal_lsn()::text as lsn, ${IDENTITY}`,
        { prepareAs: 'replicated-until' },
      )
      if (!primary) return
      this.#marks.add({ atMs, lsn: primary.lsn })
      const [replica] = await rowsOf<ReplicaRow>(
        this.pool,
        sql`
          select pg_is_in_recovery() as is_replica, ${IDENTITY},
            (select count(*)::integer from unnest(${this.#marks.lsns}::pg_lsn[]) as mark
              where mark <= pg_last_wal_replay_lsn()) as replayed`,
        { prepareAs: 'replayed' },
      )
      if (!replica?.is_replica) return this.#fails('no replica')
      if (replica.system !== primary.system || replica.name !== primary.name) return this.#fails('of another database')
      this.#marks.replayed(replica.replayed)
      this.#forgetOldWrites()
      if (this.#fault !== undefined) this.#onFault(undefined)
      this.#fault = undefined
    } catch (error) {
      this.#fails('unreachable', error)
    }
  }

  #fails(fault: ReplicaFault, error?: unknown): void {
    this.#marks.clear()
    if (this.#fault !== fault && !this.#closing.signal.aborted) this.#onFault(fault, error)
    this.#fault = fault
  }

  #forgetOldWrites(): void {
    const { replayedMs = Number.NEGATIVE_INFINITY } = this.#marks
    for (const [accountId, wroteMs] of this.#wroteMs) if (wroteMs < replayedMs) this.#wroteMs.delete(accountId)
  }
}

/** The cluster, and the database in it: reading from a copy of another one would show one customer another one's data. */
const IDENTITY = sql`(select system_identifier::text from pg_control_system()) as system, current_database()::text as name`

/** Everything that was committed by an instant is before this place of the write-ahead log. */
interface Mark {
  readonly atMs: number
  /** As PostgreSQL writes it, such as `16/B374D848`. */
  readonly lsn: string
}

/** With one a second, a replica that is farther behind than these is known as soon as it has caught up to the oldest. */
const MOST = 120

/** Until which instant a replica has everything, from places in the log that were noted when they were written. */
export class Marks {
  #marks: Mark[] = []
  #replayedMs: number | undefined

  /** Ascending in both. */
  add(mark: Mark): void {
    if (this.#marks.length === MOST) this.#marks.pop()
    this.#marks.push(mark)
  }

  /** Places that are not known to be replayed, ascending. */
  get lsns(): readonly string[] {
    return this.#marks.map(({ lsn }) => lsn)
  }

  /** The first so many of them are replayed. */
  replayed(count: number): void {
    const last = this.#marks.splice(0, count).at(-1)
    if (last) this.#replayedMs = last.atMs
  }

  /** Everything that was committed by then is replayed; undefined when nothing is known. */
  get replayedMs(): number | undefined {
    return this.#replayedMs
  }

  clear(): void {
    this.#marks = []
    this.#replayedMs = undefined
  }
}
