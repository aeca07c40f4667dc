import { stat } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { type Config, isDataFolderStandard, readConfig } from '../config.ts'
import { OperatorError } from '../model/errors.ts'
import { HOUR_MS } from '../model/time-range.ts'
import { openLine } from '../server/backup/archiver.ts'
import { readRestorable, restorableInstants } from '../server/backup/bases.ts'
import { openBackupFolder, readBackupFolder } from '../server/backup/folder.ts'
import { keepBackups, readSystemId } from '../server/backup/keep-backups.ts'
import { makeBackup } from '../server/backup/make-backup.ts'
import { restore } from '../server/backup/restore.ts'
import { chooseLocation } from '../server/embedded/location.ts'
import { findRunningServer, startEmbeddedServer } from '../server/embedded/server.ts'
import { awaitStop, type ChildMessage, processLog } from '../server/process.ts'
import { interruptibly, parseInstant, printTable, progressBar } from './terminal.ts'

export function registerBackup(program: Command): void {
  program
    .command('backup')
    .description('back the embedded database up, while the service runs or not; only what changed is stored again')
    .argument('<folder>', 'folder of backups; made when it is missing')
    .option('--list', 'only print which backups there are and which instants can be restored')
    .action((path: string, { list }: { list?: true }) => (list ? printBackups(path) : backUp(path)))
}

async function backUp(path: string): Promise<void> {
  const { dataFolder, mayMove, logLevel } = readEmbeddedFolder(
    '`tacho backup` is for the embedded database, and DATABASE_URL names a server of your own: back that up with ' +
      "PostgreSQL's own tools, such as pg_basebackup or pgBackRest (docs/operation/backup.md).",
  )
  const log = processLog('backup', { logLevel: logLevel === 'info' ? 'warn' : logLevel })
  const { cluster } = await chooseLocation(dataFolder, mayMove, log)
  if (!(await stat(join(cluster, 'PG_VERSION')).catch(() => undefined)))
    throw new OperatorError(`There is no database in ${resolve(dataFolder)}.`)
  if (!relative(cluster, resolve(path)).startsWith('..'))
    throw new OperatorError(`${resolve(path)} lies in the database itself: choose another folder.`)
  lowerPriority()
  const running = await findRunningServer(dataFolder, mayMove)
  if (running) return backUpFrom(running.adminUrl, path)
  const server = await startEmbeddedServer({ folder: dataFolder, mayMove, log })
  try {
    await backUpFrom(server.adminUrl, path)
  } finally {
    await server.stop()
  }
}

async function backUpFrom(url: string, path: string): Promise<void> {
  const folder = await openBackupFolder(path, await readSystemId(url))
  const { line, run } = await openLine(url, folder, { isKept: false })
  const archive = new AbortController()
  const bar = beginBar()
  const beganMs = performance.now()
  await interruptibly(async stop => {
    const archiving = run?.(archive.signal).catch(error => stop.abort(error))
    try {
      const options = { url, folder, line, isUrgent: true, onProgress: bar.show, signal: stop.signal }
      const { base, removed } = await makeBackup(options)
      bar.end()
      const seconds = Math.ceil((performance.now() - beganMs) / 1000)
      console.log(
        `${megabytes(base.bytes)} backed up to ${folder.path} in ${seconds} s and checked; ` +
          `${megabytes(base.writtenBytes)} were written, the rest was there already.`,
      )
      if (removed > 0) console.log(`${removed} older ${removed === 1 ? 'backup is' : 'backups are'} no longer kept.`)
    } finally {
      bar.end()
      archive.abort()
      await archiving
    }
  }, new OperatorError('Stopped: nothing was backed up.'))
}

async function printBackups(path: string): Promise<void> {
  const all = await readRestorable(await readBackupFolder(path))
  if (all.length === 0) {
    console.error('There is no complete backup yet.')
    return
  }
  printTable(['backup', 'database', 'written', 'restorable until'], all, ({ base, untilMs }) => [
    new Date(base.finishedMs).toISOString(),
    megabytes(base.bytes),
    megabytes(base.writtenBytes),
    new Date(untilMs).toISOString(),
  ])
  console.log('\nInstants that can be restored:')
  for (const instants of restorableInstants(all)) console.log(instants)
}

export function registerRestore(program: Command): void {
  program
    .command('restore')
    .description('restore the embedded database from backups into an empty data folder')
    .argument('<folder>', 'folder of backups')
    .option(
      '--to <instant>',
      'as it was then, such as 2026-01-15T08:00:00Z; by default the newest there is',
      parseInstant,
    )
    .action(restoreFrom)
}

async function restoreFrom(path: string, { to }: { readonly to?: number }): Promise<void> {
  const { dataFolder, mayMove, logLevel } = readEmbeddedFolder(
    '`tacho restore` is for the embedded database, and DATABASE_URL names a server of your own: restore that with the ' +
      'tool that made its backups (docs/operation/backup.md).',
  )
  const bar = beginBar()
  try {
    const {
      toMs,
      backupMs,
      dataFolder: place,
    } = await restore({
      path: resolve(path),
      toMs: to,
      dataFolder,
      mayMove,
      // PostgreSQL says nothing new while it recovers.
      log: processLog('restore', { logLevel: logLevel === 'info' ? 'error' : logLevel }),
      onProgress: (doneBytes, totalBytes) => bar.show('restoring', doneBytes, totalBytes),
    })
    bar.end()
    console.log(
      `The database is restored in ${place} as it was at ${new Date(toMs).toISOString()} ` +
        `(from the backup of ${new Date(backupMs).toISOString()}). Start Tacho as usual.`,
    )
    console.log(
      'What changed after that instant is lost: users, keys and logins that were revoked since are valid again. ' +
        'Clients that sync are sent everything again (docs/operation/backup.md).',
    )
  } finally {
    bar.end()
  }
}

const STOP_LIMIT_MS = 20_000

/** `tacho keep-backups`: `tacho serve` runs it in a separate process while `BACKUP_DIR` is set. */
export function registerKeepBackups(program: Command): void {
  program.command('keep-backups', { hidden: true }).action(async () => {
    const { databaseUrl, backupDir, backupEveryH, logLevel } = readConfig()
    if (!databaseUrl || !backupDir) throw new OperatorError('Backups are kept by `tacho serve`; see BACKUP_DIR.')
    lowerPriority()
    const log = processLog('backup', { logLevel })
    const signal = awaitStop(log, STOP_LIMIT_MS)
    const message: ChildMessage = { type: 'working' }
    process.send?.(message)
    await keepBackups({ url: databaseUrl, path: backupDir, everyMs: backupEveryH * HOUR_MS, log, signal })
    if (process.connected) process.disconnect()
  })
}

interface EmbeddedFolder {
  readonly dataFolder: string
  readonly mayMove: boolean
  readonly logLevel: Config['logLevel']
}

/** @throws OperatorError with `instead`, for operators of another PostgreSQL, when `DATABASE_URL` is set */
export function readEmbeddedFolder(instead: string): EmbeddedFolder {
  const { databaseUrl, dataFolder, logLevel } = readConfig()
  if (databaseUrl !== undefined) throw new OperatorError(instead)
  return { dataFolder, mayMove: isDataFolderStandard(), logLevel }
}

/** Progress of a copy, on standard error: a bar on a terminal, a line a step otherwise. */
interface ByteProgress {
  readonly show: (step: string, doneBytes: number, totalBytes: number) => void
  readonly end: () => void
}

export function beginBar(): ByteProgress {
  const bar = progressBar('{step} {bar} {percentage}% of {total} MB | {eta_formatted} left')
  let last = ''
  return {
    show(step, doneBytes, totalBytes) {
      const [done, total] = [Math.floor(doneBytes / 2 ** 20), Math.ceil(totalBytes / 2 ** 20)]
      if (step !== last) {
        if (bar) bar.start(total, done, { step })
        else console.error(`${step} ${megabytes(totalBytes)}`)
      }
      last = step
      bar?.setTotal(total)
      bar?.update(done)
    },
    end: () => bar?.stop(),
  }
}

export const megabytes = (bytes: number) =>
  `${(bytes / 2 ** 20).toLocaleString('en-US', { maximumFractionDigits: bytes < 10 * 2 ** 20 ? 1 : 0 })} MB`

/** Lets every other process of the machine go first. */
export function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Where that is not allowed, it takes its share like everybody.
  }
}
