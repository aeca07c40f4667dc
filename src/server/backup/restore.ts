import { chmod, chown, mkdir, open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { OperatorError } from '../../model/errors.ts'
import { ownAccount } from '../embedded/account.ts'
import { type Binaries, findPackage, prepareBinaries } from '../embedded/binaries.ts'
import { inUnfinishedFolder } from '../embedded/create.ts'
import { inspectFolder } from '../embedded/folder.ts'
import { chooseLocation, type DatabaseLocation } from '../embedded/location.ts'
import type { EmbeddedLog } from '../embedded/log.ts'
import { SOCKET_LOCK } from '../embedded/postmaster-file.ts'
import { readBaseFile } from './check.ts'
import { FILE_MODE, FOLDER_MODE } from './files.ts'
import { type BackupFolder, readBackupFolder } from './folder.ts'
import { type Recovered, recover } from './recovery.ts'
import { chooseRestorable, type Restorable, readRestorable, stretches } from './restorable.ts'
import { SEGMENT_BYTES } from './segments.ts'
import { readSegment } from './wal-line.ts'

interface RestoreOptions {
  /** The folder of backups. */
  readonly path: string
  /** The instant to restore, in milliseconds since 1970; undefined for the newest there is. */
  readonly toMs: number | undefined
  /** The data folder, and whether another one may be used when PostgreSQL's user has no access to it. */
  readonly dataFolder: string
  readonly mayMove: boolean
  readonly log: EmbeddedLog
  readonly onProgress: (doneBytes: number, totalBytes: number) => void
}

interface Restored extends Recovered {
  /** Where the data is now. */
  readonly dataFolder: string
  /** The instant that was restored. */
  readonly toMs: number
  readonly backupMs: number
}

/** What else PostgreSQL needs to start. */
const MARGIN_BYTES = 200 * 2 ** 20

/**
 * Restores the database into an empty data folder. Until everything is done it is in a folder of another name, so an
 * interruption leaves nothing half restored.
 * @throws OperatorError saying what is in the way; Damaged naming the file.
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { toMs, dataFolder, mayMove, log } = options
  const folder = await readBackupFolder(options.path)
  const chosen = choose(await readRestorable(folder), toMs, folder)
  const { base } = chosen
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
  let recovered: Recovered | undefined
  const isOurs = await inUnfinishedFolder(location, async cluster => {
    await fill(cluster, folder, chosen, location, options.onProgress)
    recovered = await recoverIn({ ...location, cluster }, binaries, chosen, options)
  })
  if (!isOurs || !recovered) throw new OperatorError(`Another process has made a database in ${location.cluster}.`)
  return { ...recovered, dataFolder: location.folder, toMs: toMs ?? chosen.untilMs, backupMs: base.finishedMs }
}

function choose(all: readonly Restorable[], toMs: number | undefined, { path }: BackupFolder): Restorable {
  const chosen = chooseRestorable(all, toMs)
  if (chosen) return chosen
  if (all.length === 0) throw new OperatorError(`There is no complete backup in ${path}.`)
  const instants = stretches(all).map(([from, to]) =>
    from === to ? new Date(from).toISOString() : `${new Date(from).toISOString()} to ${new Date(to).toISOString()}`,
  )
  throw new OperatorError(`That instant is not in the backups in ${path}. They hold: ${instants.join(', ')}.`)
}

async function requireSpace({ folder }: DatabaseLocation, { base, segments }: Restorable): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const neededBytes = base.bytes + segments.length * SEGMENT_BYTES + MARGIN_BYTES
  if (bavail * bsize >= neededBytes) return
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 2 ** 20).toLocaleString('en-US')} MB`
  throw new OperatorError(
    `The disk of ${folder} is too small: the restore needs ${megabytes(neededBytes)}, and ${megabytes(bavail * bsize)} are free.`,
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

async function recoverIn(
  location: DatabaseLocation,
  binaries: Binaries,
  { base, untilMs }: Restorable,
  { toMs, log }: RestoreOptions,
): Promise<Recovered> {
  const client = ownAccount()
  // An instant after the last change that was archived is no target: the log ends before it.
  const targetMs = toMs !== undefined && toMs > base.finishedMs && toMs < untilMs ? toMs : undefined
  const recovered = await recover({ location, binaries, client, log, targetMs, restoredMs: toMs ?? untilMs, untilMs })
  // PostgreSQL keeps what it began with under this name.
  await rm(join(location.cluster, 'backup_label.old'), { force: true })
  return recovered
}
