import { readClockDifferenceS } from '../../db/clock.ts'
import { readProcessName } from '../../db/pool.ts'
import { type Connection, sql } from '../../db/sql.ts'
import { type Clock, pause, SYSTEM_CLOCK } from '../../lib/clock.ts'
import { type DiskState, DiskWatch } from './disk-watch.ts'

/** Figures for an operator; one that cannot be known now is undefined. */
export interface MachineFigures {
  readonly underivedSeconds: number | undefined
  readonly processes: readonly RunningProcess[] | undefined
  readonly standbys: readonly Standby[] | undefined
  readonly databaseBytes: number | undefined
  readonly clockDifferenceS: number | undefined
  readonly disk: DiskState | undefined
}

interface MachineWatchOptions {
  /** For short queries that must work however busy the others are. */
  readonly connection: Connection
  /** undefined when nothing is to be said of its disk. */
  readonly databaseUrl: string | undefined
  readonly clock?: Clock
}

/** Several gauges of one scrape, and requests of several people, share an answer. */
const SHARED_MS = 1000
const LOOK_EVERY_MS = 10 * 60_000

/** Asks for the figures of the machine when somebody wants them; only the disk is looked at now and then by itself. */
export class MachineWatch {
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #disk: DiskWatch
  readonly #stop = new AbortController()
  readonly #looking: Promise<void>
  #asked: { readonly atMs: number; readonly figures: Promise<MachineFigures> } | undefined

  constructor({ connection, databaseUrl, clock = SYSTEM_CLOCK }: MachineWatchOptions) {
    this.#connection = connection
    this.#clock = clock
    this.#disk = new DiskWatch(connection, databaseUrl, clock)
    this.#looking = this.#look()
  }

  figures(): Promise<MachineFigures> {
    const nowMs = this.#clock.monotonicMs()
    if (!this.#asked || nowMs > this.#asked.atMs + SHARED_MS) this.#asked = { atMs: nowMs, figures: this.#read() }
    return this.#asked.figures
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#looking
  }

  /** One after the other: there are few connections for this. */
  async #read(): Promise<MachineFigures> {
    const connection = this.#connection
    return {
      underivedSeconds: await knownOrUndefined(readUnderivedSeconds(connection)),
      processes: await knownOrUndefined(readProcesses(connection)),
      standbys: await knownOrUndefined(readStandbys(connection)),
      databaseBytes: await knownOrUndefined(readDatabaseBytes(connection)),
      clockDifferenceS: await knownOrUndefined(readClockDifferenceS(connection, this.#clock)),
      disk: await this.#disk.read(),
    }
  }

  async #look(): Promise<void> {
    while (this.#disk.isHere && !this.#stop.signal.aborted) {
      await this.#disk.read()
      await pause(LOOK_EVERY_MS, this.#stop.signal, this.#clock)
    }
  }
}

function knownOrUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch(() => undefined)
}

type RunningProcess = NonNullable<ReturnType<typeof readProcessName>>

/** A server that follows the database; what the role of Tacho may not read is undefined. */
interface Standby {
  readonly name: string
  /** Written and not replayed yet. */
  readonly lagBytes: number | undefined
  /** How old that is; undefined also while it is idle. */
  readonly lagSeconds: number | undefined
}

/** For how long the oldest record that is stored waits to be derived, out-of-order ones included; 0 when none does. */
async function readUnderivedSeconds(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ seconds: number | null }>(
    sql`
      select extract(epoch from clock_timestamp() - min(since))::float8 as seconds from due where kind <> 'history'`,
    { prepareAs: 'underived-seconds' },
  )
  return Math.max(0, row?.seconds ?? 0)
}

async function readProcesses(connection: Connection): Promise<RunningProcess[]> {
  const rows = await connection.rows<{ name: string }>(sql`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and application_name ~ '^tacho (api|intake) '`)
  return rows
    .flatMap(({ name }) => readProcessName(name) ?? [])
    .sort((left, right) => left.startMs - right.startMs || left.pid - right.pid)
}

/** Servers that follow the database; backups being made are none. */
async function readStandbys(connection: Connection): Promise<Standby[]> {
  const rows = await connection.rows<{ name: string; bytes: number | null; seconds: number | null }>(sql`
    select application_name as name, extract(epoch from replay_lag)::float8 as seconds,
      pg_wal_lsn_diff(
        case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end,
        coalesce(replay_lsn, flush_lsn))::float8 as bytes
    from pg_stat_replication where coalesce(state, '') <> 'backup' and application_name <> 'tacho backup' order by application_name, pid`)
  return rows.map(({ name, bytes, seconds }) => ({
    name: name || 'without a name',
    lagBytes: bytes ?? undefined,
    lagSeconds: seconds ?? undefined,
  }))
}

async function readDatabaseBytes(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ bytes: number }>(
    sql`select pg_database_size(current_database())::float8 as bytes`,
  )
  return row?.bytes ?? 0
}

const EVERY_MS = 30_000

/** Other nodes see by the name of the connection that this process runs. @returns a function that ends it */
export function showPresence(connection: Connection, clock: Clock = SYSTEM_CLOCK): () => Promise<void> {
  const stop = new AbortController()
  const showing = show()
  async function show(): Promise<void> {
    while (!stop.signal.aborted) {
      // Code that needs the database reports that it is gone.
      await connection.rows(sql`select 1`).catch(() => undefined)
      await pause(EVERY_MS, stop.signal, clock)
    }
  }
  return async () => {
    stop.abort()
    await showing
  }
}
