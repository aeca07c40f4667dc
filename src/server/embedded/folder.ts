import { spawn } from 'node:child_process'
import { access, constants, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { codeOf, OperatorError } from '../../model/errors.ts'
import { adviceOn, type Binaries, readMajor } from './binaries.ts'
import { readPostmaster } from './claim.ts'
import {
  cannotRun,
  type DatabaseLocation,
  diskFull,
  freeBytesOf,
  handOver,
  makeFolders,
  runAs,
  syncFolder,
} from './location.ts'
import { giveUpReserve } from './reserve.ts'
import { ADMIN_ROLE, serverEnvironment } from './settings.ts'

/** Marks the files of PostgreSQL beside it as created by Tacho. */
export const MARK = 'TACHO_CLUSTER'

const LEAST_FREE_BYTES = 100 * 2 ** 20

/** Checks the data folder, and creates it when it is missing. @throws OperatorError when the folder cannot be used. */
export async function inspectFolder(location: DatabaseLocation, major: string): Promise<'there' | 'missing'> {
  await makeFolder(location)
  const freeBytes = await freeBytesOf(location.folder)
  if (freeBytes < LEAST_FREE_BYTES) await giveUpReserve(location.folder)
  await takeFinishedCopy(location).catch(error => explain(error, location))
  const cluster = await stat(location.cluster).catch(error => ignoreMissing(error, location))
  if (!cluster && freeBytes < LEAST_FREE_BYTES)
    throw new OperatorError(
      `The disk of ${location.folder} is full: ${Math.floor(freeBytes / 2 ** 20)} MB are free, at least ${LEAST_FREE_BYTES / 2 ** 20} MB are needed.`,
    )
  if (!cluster) return 'missing'
  if (!cluster.isDirectory())
    throw new OperatorError(`${location.cluster} is not a folder, but the database belongs there.`)
  if (!location.account && cluster.uid !== process.getuid?.())
    throw new OperatorError(
      `The database in ${location.cluster} belongs to another user (number ${cluster.uid}): start Tacho as that user or as root.`,
    )
  await access(location.cluster, constants.W_OK).catch(error => explain(error, location))
  return inspectCluster(location, major)
}

async function inspectCluster(location: DatabaseLocation, major: string): Promise<'there' | 'missing'> {
  const names = await readdir(location.cluster).catch(error => explain(error, location))
  if (names.length === 0) return 'missing'
  if (!names.includes('PG_VERSION') || !names.includes(MARK))
    throw new OperatorError(
      `${location.cluster} holds files that are not a database of Tacho: choose another folder with TACHO_DATA, or move them away.`,
    )
  const found = await readMajor(location.cluster)
  if (found !== major)
    throw new OperatorError(
      `The database in ${location.cluster} belongs to PostgreSQL ${found}, and this Tacho brings PostgreSQL ${major}: ` +
        adviceOn(location, found, major),
    )
  return 'there'
}

async function makeFolder(location: DatabaseLocation): Promise<void> {
  const found = await stat(location.folder).catch(error => ignoreMissing(error, location))
  if (found && !found.isDirectory()) throw new OperatorError(`TACHO_DATA is ${location.folder}, which is not a folder.`)
  // PostgreSQL's user must be able to pass through root's folder; secrets are one level deeper and protected.
  if (!found)
    await makeFolders(location.folder, location.account ? 0o755 : 0o700).catch(error => explain(error, location))
}

function ignoreMissing(error: unknown, location: DatabaseLocation): undefined {
  if (codeOf(error) === 'ENOENT') return undefined
  return explain(error, location)
}

/** @throws OperatorError for what an operator can fix, else the error itself. */
export function explain(error: unknown, location: DatabaseLocation): never {
  const code = codeOf(error)
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM')
    throw new OperatorError(
      `Tacho cannot write in ${location.folder} (${code}): make it writable, or choose another folder with TACHO_DATA.`,
    )
  if (code === 'ENOSPC' || code === 'EDQUOT') throw diskFull(location)
  if (code === 'ENOTDIR')
    throw new OperatorError(`TACHO_DATA is ${location.folder}, which leads through something that is not a folder.`)
  throw error
}

/** Creates the database under another name first; one that another process made meanwhile stays. */
export async function createCluster(location: DatabaseLocation, binaries: Binaries): Promise<void> {
  await inUnfinishedFolder(location, async unfinished => {
    await initdb(unfinished, location, binaries)
    await writeFile(join(unfinished, MARK), 'Made by Tacho. Do not remove this file.\n')
  })
}

/** `fill` works in a temporary folder, which is then renamed. @returns false when another process was faster */
export async function inUnfinishedFolder(
  location: DatabaseLocation,
  fill: (folder: string) => Promise<void>,
): Promise<boolean> {
  const unfinished = await mkdtemp(unfinishedPrefix(location)).catch(error => explain(error, location))
  try {
    await handOver(unfinished, location)
    await fill(unfinished)
    await rename(unfinished, location.cluster)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false
    explain(error, location)
  } finally {
    await removeTree(unfinished)
  }
}

const unfinishedPrefix = ({ cluster }: DatabaseLocation) => `${cluster}.new-`

/** Removes what interrupted starts left behind. Only for the process that owns the folder. */
export async function removeUnfinished(location: DatabaseLocation): Promise<void> {
  const prefix = basename(unfinishedPrefix(location))
  for (const name of await readdir(location.folder))
    if (name.startsWith(prefix)) await removeTree(join(location.folder, name))
}

/** Another process that started at the same time may still write there, or remove it as well: then again, until it is gone. */
const removeTree = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })

function initdb(folder: string, location: DatabaseLocation, binaries: Binaries): Promise<void> {
  // The built-in C.UTF-8 sorts by code point, whatever the system's C library does after an update.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const entry = [`--username=${ADMIN_ROLE}`, '--auth-local=peer', '--auth-host=reject']
  return new Promise((resolve, reject) => {
    const child = spawn(binaries.initdb, ['-D', folder, ...locale, ...entry, '--data-checksums', '--no-instructions'], {
      ...runAs(location),
      env: serverEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let complaints = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text
    })
    child.once('error', error => reject(cannotRun(binaries.initdb, error)))
    child.once('close', code => {
      if (code === 0) resolve()
      else if (/No space left|Disk quota/.test(complaints)) reject(diskFull(location))
      else
        reject(
          new OperatorError(`PostgreSQL could not create its files in ${location.cluster}: ${oneLine(complaints)}`),
        )
    })
  })
}

const oneLine = (text: string) =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
    .join('; ')

export const copyUnderWay = ({ cluster }: Pick<DatabaseLocation, 'cluster'>) => `${cluster}.upgrading`
/** A copy that is complete. Whatever stands beside a database of that name is removed before the next copy. */
export const finishedCopy = ({ cluster }: Pick<DatabaseLocation, 'cluster'>) => `${cluster}.upgraded`

/** Interrupted, the next start goes on (`takeFinishedCopy`).
 * @throws OperatorError when a server was started in the former one meanwhile: then that stays */
export async function exchange(location: DatabaseLocation, formerCluster: string): Promise<void> {
  await rename(copyUnderWay(location), finishedCopy(location))
  await syncFolder(location.folder)
  await rename(location.cluster, formerCluster)
  if (await readPostmaster(formerCluster)) {
    await rename(formerCluster, location.cluster)
    throw new OperatorError(
      `Another Tacho was started on ${location.folder} during the upgrade, which is given up: stop it and begin again.`,
    )
  }
  await takeFinishedCopy(location)
}

/** Finishes an exchange that was interrupted between its renames. Does nothing where a database is in its place. */
export async function takeFinishedCopy(location: Pick<DatabaseLocation, 'cluster' | 'folder'>): Promise<void> {
  if (await stat(location.cluster).catch(() => undefined)) return
  try {
    await rename(finishedCopy(location), location.cluster)
    await syncFolder(location.folder)
  } catch (error) {
    // There is none, or another process was faster.
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
