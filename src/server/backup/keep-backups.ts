import { rm } from 'node:fs/promises'
import type { BaseLogger } from 'pino'
import { Backoff, pause } from '../../lib/clock.ts'
import { OperatorError } from '../../model/errors.ts'
import { forgetOtherFolders, openLine } from './archiver.ts'
import { type Base, listBases, readBase, removeBase } from './bases.ts'
import { type BackupFolder, explained, openBackupFolder } from './folder.ts'
import { makeBackup } from './make-backup.ts'
import { removePieces } from './pieces.ts'
import { Replication } from './replication.ts'
import { listLines, listSegments, removeLine, segmentAt, segmentBefore } from './wal.ts'

interface KeepOptions {
  /** Of the owner of the database. */
  readonly url: string
  /** The folder of backups. */
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
  const opened = await openLine(url, folder, { isKept: true })
  if (!('archiver' in opened)) throw new OperatorError('Another process archives it at the moment.')
  const { line } = opened.archiver
  log.info({ folder: folder.path, line }, 'the write-ahead log is archived')
  const over = new AbortController()
  const running = opened.run(signal).finally(() => over.abort(new OperatorError('The archive was interrupted.')))
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

/**
 * Removes the backups that the rule does not keep, and what none of the others needs. Only under the lock of the folder.
 * @param currentLine the line that is archived, if any
 * @returns how many backups were removed
 */
export async function thin(folder: BackupFolder, currentLine: string | undefined, nowMs: number): Promise<number> {
  const times = await listBases(folder)
  const kept = keptBackups(times, nowMs)
  const removed = times.filter(time => !kept.has(time))
  for (const time of removed) await removeBase(folder, time)

  const byLine = new Map<string, Base[]>()
  const pieces = new Set<string>()
  for (const time of [...kept].sort((a, b) => a - b)) {
    const base = await readBase(folder, time)
    byLine.set(base.line, [...(byLine.get(base.line) ?? []), base])
    for (const file of base.files) for (const piece of file.pieces) pieces.add(piece)
  }
  await removePieces(folder, pieces)
  for (const line of await listLines(folder)) {
    const bases = byLine.get(line)
    if (bases) await thinLine(folder, line, bases, nowMs)
    else if (line !== currentLine) await removeLine(folder, line)
  }
  return removed.length
}

/** The log is kept from the oldest backup on of those not older than a week; of older ones, what each of them needs itself. */
async function thinLine(folder: BackupFolder, line: string, bases: readonly Base[], nowMs: number): Promise<void> {
  const first = bases.find(({ finishedMs }) => finishedMs > nowMs - EVERY_INSTANT_MS) ?? bases.at(-1)
  if (!first) return
  for (const { segment, path } of await listSegments(folder, line)) {
    if (segment >= segmentAt(first.startLsn)) continue
    const isNeeded = bases.some(base => segment >= segmentAt(base.startLsn) && segment <= segmentBefore(base.stopLsn))
    if (!isNeeded) await rm(path, { force: true })
  }
}

const DAY_MS = 86_400_000

/** For so long every backup is kept, and every instant since can be restored. */
const EVERY_INSTANT_MS = 7 * DAY_MS

/** Of backups older than a day, the newest one of each of so many days, weeks and months that have any. */
const KEPT = [
  { count: 7, periodOf: (ms: number) => isoDay(ms) },
  // Weeks begin on Monday: the epoch was a Thursday.
  { count: 4, periodOf: (ms: number) => String(Math.floor((ms / DAY_MS + 3) / 7)) },
  { count: 12, periodOf: (ms: number) => isoDay(ms).slice(0, 7) },
]

const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/**
 * Which backups stay (in UTC): all of the last day, and the newest one of each of the last 7 days, 4 weeks and 12 months
 * that have any. The newest backup of all always stays.
 * @param times when they were finished, in milliseconds since 1970
 */
export function keptBackups(times: readonly number[], nowMs: number): Set<number> {
  const newestFirst = [...times].sort((a, b) => b - a)
  const kept = new Set(newestFirst.filter((time, index) => index === 0 || time > nowMs - DAY_MS))
  for (const { count, periodOf } of KEPT) {
    const periods = new Set<string>()
    for (const time of newestFirst) {
      const period = periodOf(time)
      if (periods.has(period) || periods.size === count) continue
      periods.add(period)
      kept.add(time)
    }
  }
  return kept
}
