import type { BaseLogger } from 'pino'
import { Backoff, pause } from '../../lib/clock.ts'
import { OperatorError } from '../../model/errors.ts'
import { forgetOtherFolders, openLine } from './archiver.ts'
import { listBases, readBase } from './bases.ts'
import { type BackupFolder, explained, openBackupFolder } from './folder.ts'
import { makeBackup } from './make-backup.ts'
import { Replication } from './replication.ts'

interface KeepOptions {
  readonly url: string
  readonly path: string
  readonly everyMs: number
  readonly log: Pick<BaseLogger, 'info' | 'warn' | 'error'>
  readonly signal: AbortSignal
}

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000
/** How often is looked whether a backup is due. */
const LOOK_MS = 60_000

/** Archives the write-ahead log and makes a backup every so often, until the signal aborts. What fails is tried again. */
export async function keepBackups(options: KeepOptions): Promise<void> {
  const { path, log, signal } = options
  const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
  let reported = ''
  while (!signal.aborted) {
    try {
      await archive(options, () => {
        if (reported) log.info({ folder: path }, 'the write-ahead log is archived again')
        reported = ''
        backoff.reset()
      })
    } catch (error) {
      if (signal.aborted) return
      const text = sentenceOf(explained(error, path))
      // Once, not every minute.
      if (text !== reported) log.error(`The write-ahead log is not archived to ${path}: ${text} It is tried again.`)
      reported = text
    }
    await pause(backoff.next(), signal)
  }
}

/** One connection of the archive. @throws what ended it */
async function archive(options: KeepOptions, onWell: () => void): Promise<void> {
  const { url, path, log, signal } = options
  const folder = await openBackupFolder(path, await readSystemId(url))
  await forgetOtherFolders(url, folder.id)
  const { line, run } = await openLine(url, folder, { isKept: true })
  if (!run) throw new OperatorError('Another process archives it at the moment.')
  log.info({ folder: folder.path, line }, 'the write-ahead log is archived')
  const over = new AbortController()
  const running = run(signal).finally(() => over.abort(new OperatorError('The archive was interrupted.')))
  const scheduled = makeWhenDue({ ...options, folder, line, signal: AbortSignal.any([signal, over.signal]) }, onWell)
  try {
    await running
  } finally {
    await scheduled
  }
}

async function makeWhenDue(
  { url, folder, line, everyMs, log, signal }: KeepOptions & { readonly folder: BackupFolder; readonly line: string },
  onWell: () => void,
): Promise<void> {
  const backoff = new Backoff(LOOK_MS, everyMs)
  while (!signal.aborted) {
    try {
      const newestMs = await newestOf(folder, line)
      onWell()
      if (newestMs === undefined || Date.now() - newestMs >= everyMs) {
        // Without any, nothing could be restored: that does not wait for the next checkpoint.
        const isUrgent = newestMs === undefined
        const { base, removed } = await makeBackup({ url, folder, line, isUrgent, signal })
        log.info(
          { folder: folder.path, bytes: base.bytes, writtenBytes: base.writtenBytes, removed },
          'a backup is made and checked',
        )
      }
      backoff.reset()
      await pause(LOOK_MS, signal)
    } catch (error) {
      if (signal.aborted) return
      log.error(`No backup was made: ${sentenceOf(explained(error, folder.path))} It is tried again.`)
      await pause(backoff.next(), signal)
    }
  }
}

/** When the newest backup of a line was finished, in milliseconds since 1970. */
async function newestOf(folder: BackupFolder, line: string): Promise<number | undefined> {
  for (const time of (await listBases(folder)).toReversed()) {
    const base = await readBase(folder, time)
    if (base.line === line) return time
  }
  return undefined
}

/** PostgreSQL's identifier of a database. */
export async function readSystemId(url: string): Promise<string> {
  const connection = await Replication.open(url)
  try {
    return (await connection.identify()).systemId
  } finally {
    await connection.close()
  }
}

function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return /[.!?]$/.test(text) ? text : `${text}.`
}
