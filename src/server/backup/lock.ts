import { open, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { isProcessAlive } from '../../lib/process.ts'
import { codeOf, OperatorError } from '../../model/errors.ts'
import { FILE_MODE } from './files.ts'
import { type BackupFolder, removeUnfinished } from './folder.ts'

const BEAT_MS = 10_000
/** Longer than a machine without time for us keeps us from touching the file. */
const DEAD_AFTER_MS = 300_000

/** The locks of this process. */
const held = new Set<string>()

/** Another process makes a backup in the folder. */
class BackupRuns extends OperatorError {}

/**
 * Does something that only one process may do in a folder of backups at a time. What another one left behind that was cut
 * off is removed first.
 * @throws BackupRuns when another process is at it.
 */
export async function withLock<T>(folder: BackupFolder, work: () => Promise<T>): Promise<T> {
  const path = join(folder.path, 'lock')
  if (held.has(path) || !(await take(path))) {
    const holder = await holderOf(path)
    if (holder) throw new BackupRuns(`A backup in ${folder.path} is being made by ${holder}: wait until it has ended.`)
    await putAside(path)
    if (!(await take(path))) throw new BackupRuns(`A backup in ${folder.path} is being made by another process.`)
  }
  held.add(path)
  const beat = setInterval(() => {
    const now = new Date()
    utimes(path, now, now).catch(() => undefined)
  }, BEAT_MS)
  try {
    await removeUnfinished(folder)
    return await work()
  } finally {
    clearInterval(beat)
    held.delete(path)
    await rm(path, { force: true })
  }
}

async function take(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', FILE_MODE)
    try {
      await file.writeFile(`${process.pid} ${hostname()}\n`)
    } finally {
      await file.close()
    }
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** The process that holds the lock; undefined when it is dead. */
async function holderOf(path: string): Promise<string | undefined> {
  if (held.has(path)) return 'this process'
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    if (Math.abs(Date.now() - mtimeMs) > DEAD_AFTER_MS) return undefined
    const [pid, host] = text.trim().split(' ')
    // In a container, the process after a restart has the number of the one before.
    if (host === hostname() && (Number(pid) === process.pid || !isProcessAlive(Number(pid)))) return undefined
    return host === hostname() ? `process ${pid}` : `process ${pid} of ${host}`
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** By a name of its own: of several that find a dead lock, one puts it aside. */
async function putAside(path: string): Promise<void> {
  const aside = `${path}.${process.pid}`
  await rename(path, aside).catch(() => undefined)
  await rm(aside, { force: true })
}
