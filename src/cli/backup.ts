import { stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { table } from '../lib/table.ts'
import { OperatorError } from '../model/errors.ts'
import { openLine } from '../server/backup/archiver.ts'
import { readRestorable, stretches } from '../server/backup/bases.ts'
import { openBackupFolder, readBackupFolder } from '../server/backup/folder.ts'
import { readSystemId } from '../server/backup/keep-backups.ts'
import { makeBackup } from '../server/backup/make-backup.ts'
import { chooseLocation } from '../server/embedded/location.ts'
import { findRunningServer, startEmbeddedServer } from '../server/embedded/server.ts'
import { processLog } from '../server/process.ts'
import { beginBar, megabytes } from './byte-progress.ts'
import { readEmbeddedFolder } from './embedded-folder.ts'
import { lowerPriority } from './low-priority.ts'

/** `tacho backup`: copies of the embedded database. */
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

/** @param url of the owner of the database */
async function backUpFrom(url: string, path: string): Promise<void> {
  const folder = await openBackupFolder(path, await readSystemId(url))
  const opened = await openLine(url, folder, { isKept: false })
  const archive = new AbortController()
  const stop = new AbortController()
  const onInterrupt = () => stop.abort(new OperatorError('Stopped: nothing was backed up.'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onInterrupt)
  const archiving = 'archiver' in opened ? opened.run(archive.signal).catch(error => stop.abort(error)) : undefined
  const line = 'archiver' in opened ? opened.archiver.line : opened.line
  const bar = beginBar()
  const beganMs = performance.now()
  try {
    const { base, removed } = await makeBackup({
      url,
      folder,
      line,
      isUrgent: true,
      onProgress: bar.show,
      signal: stop.signal,
    })
    bar.end()
    const seconds = Math.ceil((performance.now() - beganMs) / 1000)
    console.log(
      `${megabytes(base.bytes)} backed up to ${folder.path} in ${seconds} s and checked; ` +
        `${megabytes(base.writtenBytes)} were written, the rest was there already.`,
    )
    if (removed > 0) console.log(`${removed} older ${removed === 1 ? 'backup is' : 'backups are'} no longer kept.`)
  } finally {
    bar.end()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onInterrupt)
    archive.abort()
    await archiving
  }
}

async function printBackups(path: string): Promise<void> {
  const all = await readRestorable(await readBackupFolder(path))
  if (all.length === 0) {
    console.error('There is no complete backup yet.')
    return
  }
  console.log(
    table(
      ['backup', 'database', 'written', 'restorable until'],
      all.map(({ base, untilMs }) => [
        new Date(base.finishedMs).toISOString(),
        megabytes(base.bytes),
        megabytes(base.writtenBytes),
        new Date(untilMs).toISOString(),
      ]),
    ),
  )
  console.log('\nInstants that can be restored:')
  for (const [from, to] of stretches(all))
    console.log(
      from === to ? new Date(from).toISOString() : `${new Date(from).toISOString()} to ${new Date(to).toISOString()}`,
    )
}
