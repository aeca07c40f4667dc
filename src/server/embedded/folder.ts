import { access, chmod, chown, constants, mkdir, readdir, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf, OperatorError } from '../../model/errors.ts'
import { takeFinishedCopy } from './exchange.ts'
import { adviceOn, readMajor } from './former-version.ts'
import type { DatabaseLocation } from './location.ts'

/** Marks the files of PostgreSQL beside it as created by Tacho. */
export const MARK = 'TACHO_CLUSTER'

const LEAST_FREE_BYTES = 100 * 2 ** 20

/**
 * Checks the data folder before anything in it is changed, and creates it when it is missing.
 * @returns whether it contains a database already.
 * @throws OperatorError when the folder can not be used, saying why.
 */
export async function inspectFolder(location: DatabaseLocation, major: string): Promise<'there' | 'missing'> {
  await makeFolder(location)
  const space = await statfs(location.folder)
  const freeBytes = space.bavail * space.bsize
  if (freeBytes < LEAST_FREE_BYTES)
    throw new OperatorError(
      `The disk of ${location.folder} is full: ${Math.floor(freeBytes / 2 ** 20)} MB are free, at least ${LEAST_FREE_BYTES / 2 ** 20} MB are needed.`,
    )
  await takeFinishedCopy(location).catch(error => explain(error, location))
  const cluster = await stat(location.cluster).catch(error => ignoreMissing(error, location))
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

/** Like `mkdir` with `recursive`, which on a read-only file system reports a missing folder instead. */
export async function makeFolders(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path)
    // Separately, because the umask would remove bits from the mode given to `mkdir`.
    await chmod(path, mode)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return
    if (codeOf(error) !== 'ENOENT') throw error
    await makeFolders(dirname(path), mode)
    await makeFolders(path, mode)
  }
}

function ignoreMissing(error: unknown, location: DatabaseLocation): undefined {
  if (codeOf(error) === 'ENOENT') return undefined
  return explain(error, location)
}

/** Hands a new folder over to the user that PostgreSQL runs as. */
export async function handOver(folder: string, { account }: DatabaseLocation): Promise<void> {
  if (account) await chown(folder, account.uid, account.gid)
}

/** @throws OperatorError for what an operator can fix, else the error itself. */
export function explain(error: unknown, location: DatabaseLocation): never {
  const code = codeOf(error)
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM')
    throw new OperatorError(
      `Tacho can not write in ${location.folder} (${code}): make it writable, or choose another folder with TACHO_DATA.`,
    )
  if (code === 'ENOSPC' || code === 'EDQUOT') throw diskFull(location)
  if (code === 'ENOTDIR')
    throw new OperatorError(`TACHO_DATA is ${location.folder}, which leads through something that is not a folder.`)
  throw error
}

export const diskFull = (location: DatabaseLocation) =>
  new OperatorError(`The disk of ${location.folder} is full: make room, then start Tacho again.`)
