import { randomBytes } from 'node:crypto'
import {
  access,
  constants,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { isProcessAlive } from '../../lib/process.ts'
import { codeOf, OperatorError } from '../../model/errors.ts'
import { syncFolder } from '../embedded/location.ts'

const MARK = 'tacho-backup.json'
const FORMAT = 1

export interface BackupFolder {
  readonly path: string
  /** Random; the replication slot of the database has it in its name. */
  readonly id: string
  /** PostgreSQL's identifier of the database whose backups it holds. */
  readonly systemId: string
  /** The pieces of files, by SHA-256. */
  readonly pieces: string
  /** A manifest for each base backup. */
  readonly bases: string
  /** A folder for each unbroken line of the write-ahead log. */
  readonly wal: string
  /** Files that are being written. */
  readonly temporary: string
}

/** @throws OperatorError when it is something else, or of another database */
export async function openBackupFolder(path: string, systemId: string): Promise<BackupFolder> {
  const found = await findBackupFolder(path)
  if (found && found.systemId !== systemId)
    throw new OperatorError(
      `${found.path} holds the backups of another database than the one that runs now: choose another folder for this one, ` +
        'or restore the other one with `tacho restore`.',
    )
  const folder = found ?? { ...backupPartsOf(path), id: randomBytes(4).toString('hex'), systemId }
  try {
    for (const part of [folder.path, folder.pieces, folder.bases, folder.wal, folder.temporary])
      await makePrivateFolder(part)
    if (!found) {
      const mark = `${JSON.stringify({ format: FORMAT, id: folder.id, systemId })}\n`
      await writeWholeAndSync(join(folder.path, MARK), mark, folder.temporary)
    }
    await access(folder.path, constants.W_OK)
  } catch (error) {
    throw explained(error, folder.path)
  }
  return folder
}

/** @throws OperatorError when there are no backups in it */
export async function readBackupFolder(path: string): Promise<BackupFolder> {
  const found = await findBackupFolder(path)
  if (!found) throw new OperatorError(`There are no backups of Tacho in ${resolve(path)}.`)
  return found
}

/** @returns undefined when it is missing or empty @throws OperatorError when it is something else */
async function findBackupFolder(path: string): Promise<BackupFolder | undefined> {
  const folder = resolve(path)
  try {
    const found = await stat(folder)
    if (!found.isDirectory()) throw new OperatorError(`${folder} is not a folder.`)
    const names = await readdir(folder)
    // A first start that was cut off may have made the parts.
    const others = names.filter(name => ![...PARTS, 'lost+found'].includes(name))
    if (others.length === 0) return undefined
    if (!names.includes(MARK))
      throw new OperatorError(`${folder} holds other files than backups of Tacho: choose an empty folder.`)
    return { ...backupPartsOf(folder), ...readMark(await readFile(join(folder, MARK), 'utf8'), folder) }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw explained(error, folder)
  }
}

function readMark(text: string, folder: string): { id: string; systemId: string } {
  let mark: { format?: unknown; id?: unknown; systemId?: unknown } = {}
  try {
    mark = JSON.parse(text)
  } catch {
    // It is damaged, as the check below says.
  }
  const { format, id, systemId } = mark
  if (typeof format !== 'number' || typeof id !== 'string' || typeof systemId !== 'string')
    throw new OperatorError(`${join(folder, MARK)} is damaged.`)
  if (format > FORMAT)
    throw new OperatorError(`The backups in ${folder} were made by a newer Tacho (format ${format}): use that version.`)
  return { id, systemId }
}

/** Where everything is in a folder of backups, whether it is one or not. */
export function backupPartsOf(path: string): Omit<BackupFolder, 'id' | 'systemId'> {
  const folder = resolve(path)
  const [pieces, bases, wal, temporary] = PARTS.map(name => join(folder, name)) as [string, string, string, string]
  return { path: folder, pieces, bases, wal, temporary }
}

const PARTS = ['pieces', 'bases', 'wal', 'temporary']

/** The error in words of the operator, if an operator can do something about it. */
export function explained(error: unknown, folder: string): unknown {
  const code = codeOf(error)
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new OperatorError(`The disk of ${folder} is full: make room, or choose another folder for backups.`)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new OperatorError(`Tacho cannot use ${folder} for backups (${code}): make it readable and writable.`)
  if (code === 'ENOTDIR') return new OperatorError(`${folder} leads through something that is not a folder.`)
  return error
}

/** When a folder of backups was made, in milliseconds since 1970; undefined when there is none. */
export async function madeAt({ path }: Pick<BackupFolder, 'path'>): Promise<number | undefined> {
  const found = await stat(join(path, MARK)).catch(() => undefined)
  return found?.mtimeMs
}

const BEAT_MS = 10_000
/** Longer than a machine without time for us keeps us from touching the file. */
const DEAD_AFTER_MS = 300_000

const locked = new Set<string>()

/** Another process makes a backup in the folder. */
class BackupRuns extends OperatorError {}

/** Runs work that only one process may do in a folder at a time. @throws BackupRuns when another process is at it. */
export async function withLock<T>(folder: BackupFolder, work: () => Promise<T>): Promise<T> {
  const path = join(folder.path, 'lock')
  if (locked.has(path) || !(await take(path))) {
    const holder = await holderOf(path)
    if (holder) throw new BackupRuns(`A backup in ${folder.path} is being made by ${holder}: wait until it has ended.`)
    // By a name of its own: of several that find a dead lock, one puts it aside.
    const aside = `${path}.${process.pid}`
    await rename(path, aside).catch(() => undefined)
    await rm(aside, { force: true })
    if (!(await take(path))) throw new BackupRuns(`A backup in ${folder.path} is being made by another process.`)
  }
  locked.add(path)
  const beat = setInterval(() => {
    const now = new Date()
    utimes(path, now, now).catch(() => undefined)
  }, BEAT_MS)
  try {
    for (const name of await readdir(folder.temporary)) await rm(join(folder.temporary, name), { force: true })
    return await work()
  } finally {
    clearInterval(beat)
    locked.delete(path)
    await rm(path, { force: true })
  }
}

async function take(path: string): Promise<boolean> {
  try {
    await writeFile(path, `${process.pid} ${hostname()}\n`, { flag: 'wx', mode: FILE_MODE })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** The process that holds the lock; undefined when it is dead. */
async function holderOf(path: string): Promise<string | undefined> {
  if (locked.has(path)) return 'this process'
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

/** Nobody but its owner reads a backup: it holds everything that the database does. */
export const FILE_MODE = 0o600
export const FOLDER_MODE = 0o700

/** Writes a file as a whole or not at all; its folder is not synced. @param temporary on the same file system */
export async function writeWhole(path: string, content: Uint8Array | string, temporary: string): Promise<void> {
  const unfinished = join(temporary, randomBytes(8).toString('hex'))
  try {
    const file = await open(unfinished, 'wx', FILE_MODE)
    try {
      await file.writeFile(content)
      await file.datasync()
    } finally {
      await file.close()
    }
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

/** The same for a file alone, with its folder: when this returns, a loss of power cannot take it back. */
export async function writeWholeAndSync(path: string, content: Uint8Array | string, temporary: string): Promise<void> {
  await writeWhole(path, content, temporary)
  await syncFolder(dirname(path))
}

export const makePrivateFolder = (path: string) => mkdir(path, { recursive: true, mode: FOLDER_MODE })
