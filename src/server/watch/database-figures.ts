import type { Connection } from '../../db/database.ts'
import { type ProcessRole, readProcessName } from '../../db/pool.ts'
import { sql } from '../../db/sql.ts'

/** A process that is connected to the database. */
export interface RunningProcess {
  readonly role: ProcessRole
  readonly host: string
  readonly pid: number
  /** Since when it is connected, as an instant. */
  readonly since: string
}

/** A server that follows the database; what the role of Tacho may not read is undefined. */
export interface Standby {
  readonly name: string
  /** What it has not replayed yet. */
  readonly lagBytes: number | undefined
  /** How old that is; undefined also while it is idle. */
  readonly lagSeconds: number | undefined
}

/** For how long the oldest record that is stored waits to be derived, out-of-order ones included; 0 when none does. */
export async function readUnderivedSeconds(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ seconds: number | null }>(
    sql`
      select extract(epoch from clock_timestamp() - least(
        (select min(backlog_since) from shards),
        (select min(dirty_since) from device_states where dirty_from is not null or assignments_due)))::float8 as seconds`,
    { prepareAs: 'underived-seconds' },
  )
  return Math.max(0, row?.seconds ?? 0)
}

/** The processes of all nodes, the longest running first. */
export async function readProcesses(connection: Connection): Promise<RunningProcess[]> {
  const rows = await connection.rows<{ name: string; since: string }>(sql`
    select application_name as name, min(backend_start) as since from pg_stat_activity
    where datname = current_database() and application_name ~ '^tacho (api|intake) ' group by 1 order by 2, 1`)
  return rows.flatMap(({ name, since }) => {
    const known = readProcessName(name)
    return known ? [{ ...known, since }] : []
  })
}

/** Servers that follow the database; backups being made are none. */
export async function readStandbys(connection: Connection): Promise<Standby[]> {
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

export async function readDatabaseBytes(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ bytes: number }>(
    sql`select pg_database_size(current_database())::float8 as bytes`,
  )
  return row?.bytes ?? 0
}

/** The folder of the database; undefined when the role of Tacho may not know it. */
export async function readDataDirectory(connection: Connection): Promise<string | undefined> {
  const [row] = await connection.rows<{ setting: string | null }>(
    sql`select setting from pg_settings where name = 'data_directory'`,
  )
  return row?.setting ?? undefined
}
