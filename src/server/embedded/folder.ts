import { access, chmod, chown, constants, mkdir, readdir, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf, OperatorError } from '../../model/errors.ts'
import { takeFinishedCopy } from './exchange.ts'
import { adviceOn, readMajor } from './former-version.ts'
import type { Place } from './place.ts'

/** Marks the files of PostgreSQL beside it as created by Tacho. */
export const MARK = 'TACHO_CLUSTER'

const LEAST_FREE_BYTES = 100 * 2 ** 20

/**
 * Checks the data folder before anything in it is changed, and creates it when it is missing.
 * @returns whether it contains a database already.
 * @throws OperatorError when the folder can not be used, saying why.
 */
export async function inspectFolder(place: Place, major: string): Promise<'there' | 'missing'> {
  await makeFolder(place)
  const space = await statfs(place.folder)
  const freeBytes = space.bavail * space.bsize
  if (freeBytes < LEAST_FREE_BYTES)
    throw new OperatorError(
      `The disk of ${place.folder} is full: ${Math.floor(freeBytes / 2 ** 20)} MB are free, at least ${LEAST_FREE_BYTES / 2 ** 20} MB are needed.`,
    )
  await takeFinishedCopy(place).catch(error => explain(error, place))
  const cluster = await stat(place.cluster).catch(error => ignoreMissing(error, place))
  if (!cluster) return 'missing'
  if (!cluster.isDirectory())
    throw new OperatorError(`${place.cluster} is not a folder, but the database belongs there.`)
  if (!place.account && cluster.uid !== process.getuid?.())
    throw new OperatorError(
      `The database in ${place.cluster} belongs to another user (number ${cluster.uid}): start Tacho as that user or as root.`,
    )
  await access(place.cluster, constants.W_OK).catch(error => explain(error, place))
  return inspectCluster(place, major)
}

async function inspectCluster(place: Place, major: string): Promise<'there' | 'missing'> {
  const names = await readdir(place.cluster).catch(error => explain(error, place))
  if (names.length === 0) return 'missing'
  if (!names.includes('PG_VERSION') || !names.includes(MARK))
    throw new OperatorError(
      `${place.cluster} holds files that are not a database of Tacho: choose another folder with TACHO_DATA, or move them away.`,
    )
  const found = await readMajor(place.cluster)
  if (found !== major)
    throw new OperatorError(
      `The database in ${place.cluster} belongs to PostgreSQL ${found}, and this Tacho brings PostgreSQL ${major}: ` +
        adviceOn(place, found, major),
    )
  return 'there'
}

async function makeFolder(place: Place): Promise<void> {
  const found = await stat(place.folder).catch(error => ignoreMissing(error, place))
  if (found && !found.isDirectory()) throw new OperatorError(`TACHO_DATA is ${place.folder}, which is not a folder.`)
  // PostgreSQL's user must be able to pass through root's folder; secrets are one level deeper and protected.
  if (!found) await makeFolders(place.folder, place.account ? 0o755 : 0o700).catch(error => explain(error, place))
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

function ignoreMissing(error: unknown, place: Place): undefined {
  if (codeOf(error) === 'ENOENT') return undefined
  return explain(error, place)
}

/** Hands a new folder over to the user that PostgreSQL runs as. */
export async function handOver(folder: string, { account }: Place): Promise<void> {
  if (account) await chown(folder, account.uid, account.gid)
}

/** @throws OperatorError for what an operator can fix, else the error itself. */
export function explain(error: unknown, place: Place): never {
  const code = codeOf(error)
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM')
    throw new OperatorError(
      `Tacho can not write in ${place.folder} (${code}): make it writable, or choose another folder with TACHO_DATA.`,
    )
  if (code === 'ENOSPC' || code === 'EDQUOT') throw diskFull(place)
  if (code === 'ENOTDIR')
    throw new OperatorError(`TACHO_DATA is ${place.folder}, which leads through something that is not a folder.`)
  throw error
}

export const diskFull = (place: Place) =>
  new OperatorError(`The disk of ${place.folder} is full: make room, then start Tacho again.`)
