import { chown, readFile, rename, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account } from './location.ts'

/** The role that owns the server; only the supervisor uses it. */
export const ADMIN_ROLE = 'postgres'
export const SERVICE_ROLE = 'tacho'
export const SERVICE_DATABASE = 'tacho'

export type ServerSettings = Readonly<Record<string, string>>

/** @param diskBytes the log may take a sixteenth of the disk, and must take two segments of 16 MB */
function standardSettings(diskBytes: number): ServerSettings {
  const walMb = Math.min(4096, Math.max(32, Math.floor(diskBytes / 16 / 2 ** 20)))
  return {
    fsync: 'on',
    synchronous_commit: 'on',
    // Enough: ten thousand dongles that each send a record a second took as much CPU with 256 MB, and the system caches files anyway.
    shared_buffers: '64MB',
    work_mem: '8MB',
    maintenance_work_mem: '64MB',
    max_connections: '100',
    // A query over years of weekly partitions locks all of them with the indexes.
    max_locks_per_transaction: '512',
    // Each checkpoint writes the pages that change all the time, and has each of them written in full to the WAL once more. What is to be replayed
    // after a crash is bounded by the size.
    checkpoint_timeout: '15min',
    max_wal_size: `${walMb}MB`,
    min_wal_size: `${Math.min(80, walMb)}MB`,
    // Kept for an archive of backups that cannot be written: no more than may lie there under load anyway.
    max_slot_wal_keep_size: `${walMb}MB`,
    wal_compression: 'pglz',
    // A worker takes 10 ms to find nothing to do, and some 50 for what a thousand dongles changed. Updated rows are mostly removed without it.
    autovacuum_naptime: '3min',
    // Commits write what they acknowledge: these two woke five times a second to find nothing to do.
    wal_writer_delay: '2s',
    bgwriter_delay: '1s',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    log_line_prefix: '',
    // Statements contain data of clients, which must not be logged.
    log_min_error_statement: 'panic',
    log_parameter_max_length_on_error: '0',
  }
}

/** With some origins of replication, each checkpoint writes a file, and PostgreSQL stops where it has no room for that. */
const NO_ORIGINS = { max_active_replication_origins: '0' }
/** A database that is brought over is of an older version. */
const ORIGINS_SINCE = 18

/** Writes how the server runs, at every start, so that no settings of older versions remain. */
export async function writeSettings(
  folder: string,
  client: Account,
  owner: Account | undefined,
  overrides: ServerSettings = {},
): Promise<void> {
  const { blocks, bsize } = await statfs(folder)
  const settings = { ...standardSettings(blocks * bsize), ...overrides }
  const hasOrigins = Number(await readFile(join(folder, 'PG_VERSION'), 'utf8')) >= ORIGINS_SINCE
  const lines = Object.entries(hasOrigins ? { ...settings, ...NO_ORIGINS } : settings).map(
    ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`,
  )
  await writeEntrance(folder, client, owner)
  await writeOwned(
    join(folder, 'postgresql.conf'),
    `# Written by Tacho at every start. Settings of your own: ALTER SYSTEM as role ${ADMIN_ROLE}.\n${lines.join('')}`,
    owner,
  )
}

/** Only the operating system's user `client` may connect, through the socket, authenticated by the kernel. */
export async function writeEntrance(folder: string, client: Account, owner: Account | undefined): Promise<void> {
  const roles = [ADMIN_ROLE, SERVICE_ROLE].map(role => `tacho "${client.name}" ${role}\n`)
  await writeOwned(join(folder, 'pg_hba.conf'), 'local all,replication all peer map=tacho\n', owner)
  await writeOwned(join(folder, 'pg_ident.conf'), roles.join(''), owner)
}

/** Atomically: a PostgreSQL that another Tacho starts at the same time must not read half of it. */
async function writeOwned(path: string, text: string, owner: Account | undefined): Promise<void> {
  const unfinished = `${path}.${process.pid}`
  await writeFile(unfinished, text, { mode: 0o600 })
  if (owner) await chown(unfinished, owner.uid, owner.gid)
  await rename(unfinished, path)
}

/** glibc gives memory back after each statement, which the next one gets anew: a fifth of a history (docs/adr/0034). */
const KEPT_MEMORY = { MALLOC_TRIM_THRESHOLD_: '8388608', MALLOC_MMAP_THRESHOLD_: '4194304' }

/** The environment of PostgreSQL: nothing of ours, so that no PGDATA or LD_PRELOAD of the operator's shell affects it. */
export const serverEnvironment = () => ({
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
  TMPDIR: tmpdir(),
  ...KEPT_MEMORY,
})
