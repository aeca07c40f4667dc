import { chmod, chown, mkdir, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Client } from 'pg'
import { migrate } from '../../db/migrations.ts'
import { onConnection } from '../../db/pool.ts'
import { OperatorError } from '../../model/errors.ts'
import { type Binaries, findPackage, prepareBinaries } from '../embedded/binaries.ts'
import { databaseUrl, SOCKET_LOCK } from '../embedded/claim.ts'
import { inspectFolder, inUnfinishedFolder } from '../embedded/folder.ts'
import {
  chooseLocation,
  type DatabaseLocation,
  type EmbeddedLog,
  freeBytesOf,
  ownAccount,
  wholeMegabytes,
} from '../embedded/location.ts'
import { lastComplaint, makeSocketFolder, removeSocketFolder, startProcess } from '../embedded/process.ts'
import { type ServerSettings, writeSettings } from '../embedded/settings.ts'
import { chooseRestorable, type Restorable, readBaseFile, readRestorable, restorableInstants } from './bases.ts'
import { type BackupFolder, FILE_MODE, FOLDER_MODE, readBackupFolder } from './folder.ts'
import { readSegment, SEGMENT_BYTES } from './wal.ts'

interface RestoreOptions {
  readonly path: string
  /** The instant to restore, in milliseconds since 1970; undefined for the newest there is. */
  readonly toMs: number | undefined
  /** The data folder, and whether another one may be used when PostgreSQL's user has no access to it. */
  readonly dataFolder: string
  readonly mayMove: boolean
  readonly log: EmbeddedLog
  readonly onProgress: (doneBytes: number, totalBytes: number) => void
}

interface Restored {
  /** The first revision after the restore. */
  readonly restored: string
  readonly dataFolder: string
  readonly toMs: number
  readonly backupMs: number
}

/** PostgreSQL needs this to start. */
const MARGIN_BYTES = 200 * 2 ** 20

/** Into an empty data folder, under another name until all is done. @throws OperatorError; Damaged */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { toMs, dataFolder, mayMove, log } = options
  const folder = await readBackupFolder(options.path)
  const chosen = choose(await readRestorable(folder), toMs, folder)
  const { base, untilMs } = chosen
  const location = await chooseLocation(dataFolder, mayMove, log)
  const postgres = await findPackage()
  if (base.major !== postgres.major)
    throw new OperatorError(
      `The backup is one of PostgreSQL ${base.major}, and this Tacho brings PostgreSQL ${postgres.major}: ` +
        'restore it with the Tacho that made it.',
    )
  if ((await inspectFolder(location, postgres.major)) === 'there')
    throw new OperatorError(
      `There is a database in ${location.cluster}, which a restore does not overwrite: stop Tacho and move it aside ` +
        `(mv ${location.cluster} ${location.cluster}.before), or choose another folder with TACHO_DATA.`,
    )
  await requireSpace(location, chosen)
  const binaries = await prepareBinaries(postgres, location)
  let restored: string | undefined
  const isOurs = await inUnfinishedFolder(location, async cluster => {
    await fill(cluster, folder, chosen, location, options.onProgress)
    // An instant after the last change that was archived is no target: the log ends before it.
    const targetMs = toMs !== undefined && toMs > base.finishedMs && toMs < untilMs ? toMs : undefined
    const there = { ...location, cluster }
    restored = await recover({ location: there, binaries, log, targetMs, restoredMs: toMs ?? untilMs, untilMs })
    // PostgreSQL keeps what it began with under this name.
    await rm(join(cluster, 'backup_label.old'), { force: true })
  })
  if (!isOurs || restored === undefined)
    throw new OperatorError(`Another process has made a database in ${location.cluster}.`)
  return { restored, dataFolder: location.folder, toMs: toMs ?? untilMs, backupMs: base.finishedMs }
}

function choose(all: readonly Restorable[], toMs: number | undefined, { path }: BackupFolder): Restorable {
  const chosen = chooseRestorable(all, toMs)
  if (chosen) return chosen
  if (all.length === 0) throw new OperatorError(`There is no complete backup in ${path}.`)
  throw new OperatorError(
    `That instant is not in the backups in ${path}. They hold: ${restorableInstants(all).join(', ')}.`,
  )
}

async function requireSpace({ folder }: DatabaseLocation, { base, segments }: Restorable): Promise<void> {
  const freeBytes = await freeBytesOf(folder)
  const neededBytes = base.bytes + segments.length * SEGMENT_BYTES + MARGIN_BYTES
  if (freeBytes >= neededBytes) return
  throw new OperatorError(
    `The disk of ${folder} is too small: the restore needs ${wholeMegabytes(neededBytes)}, and ${wholeMegabytes(freeBytes)} are free.`,
  )
}

/** Writes the files of the database and the log that leads on from them. */
async function fill(
  cluster: string,
  folder: BackupFolder,
  { base, segments }: Restorable,
  { account }: DatabaseLocation,
  onProgress: (doneBytes: number, totalBytes: number) => void,
): Promise<void> {
  const totalBytes = base.bytes + segments.length * SEGMENT_BYTES
  let doneBytes = 0
  const own = async (path: string) => {
    if (account) await chown(path, account.uid, account.gid)
  }
  const write = async (path: string, contents: AsyncIterable<Uint8Array>) => {
    const file = await open(path, 'wx', FILE_MODE)
    try {
      for await (const content of contents) {
        await file.writeFile(content)
        doneBytes += content.length
        onProgress(doneBytes, totalBytes)
      }
    } finally {
      await file.close()
    }
    await own(path)
  }
  for (const path of [...base.folders].sort()) {
    if (path === '' || path === './') continue
    await mkdir(join(cluster, path), { recursive: true, mode: FOLDER_MODE })
    // The umask may have removed more.
    await chmod(join(cluster, path), FOLDER_MODE)
    await own(join(cluster, path))
  }
  // PostgreSQL copies the lock of its socket, too. It would not start while another process has the id in it.
  const files = base.files.filter(({ path }) => path !== SOCKET_LOCK)
  for (const file of files) await write(join(cluster, file.path), readBaseFile(folder, file))
  for (const segment of segments)
    await write(join(cluster, 'pg_wal', segment.name), Readable.from([await readSegment(segment)]))
}

interface RecoveryOptions {
  readonly location: DatabaseLocation
  readonly binaries: Binaries
  readonly log: EmbeddedLog
  /** Where to end; undefined at the end of the log. */
  readonly targetMs: number | undefined
  /** The instant that is restored. */
  readonly restoredMs: number
  /** The newest instant that the database was known to be at. */
  readonly untilMs: number
}

const BASIC_SETTINGS: ServerSettings = {
  // Everything that is needed lies in pg_wal already.
  restore_command: '/bin/false',
  recovery_target_timeline: 'current',
  recovery_target_action: 'promote',
  // It would want the settings with which the database ran.
  hot_standby: 'off',
}

/** Recovers, migrates, and marks everything as new for clients. @returns the first revision after the restore */
async function recover(options: RecoveryOptions): Promise<string> {
  const { location, targetMs } = options
  const signal = join(location.cluster, 'recovery.signal')
  await writeFile(signal, '', { mode: FILE_MODE })
  if (location.account) await chown(signal, location.account.uid, location.account.gid)
  const socketFolder = await makeSocketFolder(location)
  try {
    const server =
      (targetMs !== undefined && (await start(options, socketFolder, targetMs))) ||
      // Nothing was committed after that instant: the end of the log is what was wanted.
      (await start(options, socketFolder, undefined))
    if (!server) throw new OperatorError(`PostgreSQL in ${location.cluster} did not reach the end of its log.`)
    try {
      const url = databaseUrl(socketFolder)
      await migrate(url)
      return await markRestored(url, options)
    } finally {
      await server.stop()
    }
  } finally {
    await removeSocketFolder(socketFolder)
    await rm(signal, { force: true })
  }
}

/** @returns undefined when the log ended before the target */
async function start(options: RecoveryOptions, socketFolder: string, targetMs: number | undefined) {
  const { location, binaries, log } = options
  // The names of time zones, such as Z, are not known yet when PostgreSQL reads this.
  const target =
    targetMs === undefined ? {} : { recovery_target_time: new Date(targetMs).toISOString().replace('Z', '+00') }
  await writeSettings(location.cluster, ownAccount(), location.account, { ...BASIC_SETTINGS, ...target })
  const server = startProcess({ location, binaries, socketFolder, log })
  if (await server.ready) return server
  const lines = await server.exited
  if (lines.some(line => line.includes('recovery ended before configured recovery target was reached')))
    return undefined
  throw new OperatorError(`PostgreSQL cannot recover from the backup: ${lastComplaint(lines)}`)
}

/** Ids that are left out for each second that is lost, and at least; more than any fleet makes. */
const SKIPPED = {
  bigint: { perSecond: 1000, atLeast: 100_000 },
  integer: { perSecond: 1, atLeast: 1000 },
  smallint: { perSecond: 0, atLeast: 0 },
} as const

/** Clients have seen changes that are lost (ADR 0031): every object gets a revision newer than any given out, and ids
 * that may have been given out are skipped. @returns the first of the new revisions */
export async function markRestored(
  url: string,
  { restoredMs, untilMs }: Pick<RecoveryOptions, 'restoredMs' | 'untilMs'>,
): Promise<string> {
  return onConnection(url, 'tacho restore', async client => {
    await client.query('begin')
    await skipIds(client, Math.max(0, Date.now() - restoredMs) / 1000)
    const restored = await giveNewRevisions(client, untilMs)
    await client.query('insert into restores (restored, restored_to) values ($1, $2)', [
      restored,
      new Date(restoredMs).toISOString(),
    ])
    await client.query('commit')
    await client.query('analyze')
    return restored
  })
}

async function skipIds(client: Client, lostS: number): Promise<void> {
  const { rows } = await client.query<{ name: string; type: keyof typeof SKIPPED }>(
    `select quote_ident(sequencename) as name, data_type::text as type from pg_sequences
     where schemaname = 'public' and sequencename <> 'revisions'`,
  )
  for (const { name, type } of rows) {
    const { perSecond, atLeast } = SKIPPED[type]
    const skipped = atLeast + Math.ceil(lostS * perSecond)
    await client.query(`select setval('${name}', last_value + $1) from ${name}`, [skipped])
  }
}

async function giveNewRevisions(client: Client, untilMs: number): Promise<string> {
  // The clock of this machine may be behind that of the lost one.
  await client.query(`select setval('revisions', greatest(last_value, $1::bigint)) from revisions`, [
    String(untilMs * 1000),
  ])
  const { rows: columns } = await client.query<{ table: string; column: string }>(
    `select quote_ident(c.relname) as table, a.attname as column
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and not c.relispartition
       and a.attname in ('modified', 'trip_modified') order by 1, 2`,
  )
  let restored = await takeRevisions(client, 1)
  const first = restored
  for (const { table, column } of columns) {
    const { rows: counts } = await client.query<{ count: string }>(`select count(${column}) as count from ${table}`)
    restored = await takeRevisions(client, Number(counts[0]?.count ?? 0))
    await client.query(
      `with numbered as (
         select ctid as place, row_number() over (order by ${column}) - 1 as number from ${table}
         where ${column} is not null
       )
       update ${table} set ${column} = $1::timestamptz + numbered.number * interval '1 microsecond'
       from numbered where ${table}.ctid = numbered.place`,
      [restored],
    )
  }
  return first
}

/** The first of so many, as text: a `Date` has no microseconds. */
async function takeRevisions(client: Client, count: number): Promise<string> {
  const { rows } = await client.query<{ first: string }>('select take_revisions($1)::text as first', [count])
  return rows[0]?.first ?? ''
}
