import { access, constants, readdir, readFile, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findPackage } from '../../server/embedded/binaries.ts'
import { MARK } from '../../server/embedded/folder.ts'
import { canReach, chooseLocation, type DatabaseLocation } from '../../server/embedded/location.ts'
import { SILENT } from '../../server/embedded/process.ts'
import type { FolderFacts } from './judge-folder.ts'

/**
 * Looks at the data folder and changes nothing.
 * @param mayMove as for `startEmbeddedServer`: nobody chose the folder
 * @throws OperatorError when it can not be used at all, or there is no embedded PostgreSQL for this machine
 */
export async function lookAtFolder(dataFolder: string, mayMove: boolean): Promise<FolderFacts> {
  const location = await chooseLocation(dataFolder, mayMove, SILENT)
  const { major } = await findPackage()
  const nearest = await nearestFolder(location.folder)
  const { bavail, bsize } = await statfs(nearest)
  return {
    folder: location.folder,
    freeBytes: bavail * bsize,
    isWritable: await isWritable(nearest, location),
    cluster: await lookAtCluster(location.cluster),
    uid: location.account?.uid ?? process.getuid?.(),
    embeddedMajor: major,
  }
}

async function lookAtCluster(cluster: string): Promise<FolderFacts['cluster']> {
  const found = await stat(cluster).catch(() => undefined)
  if (!found) return undefined
  const { uid: ownerUid, mode } = found
  // Without the right to read it, who owns it says all that matters.
  const names = await readdir(cluster).catch(() => undefined)
  if (names?.length === 0) return undefined
  const major = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')
  const isOurs = names === undefined || (names.includes(MARK) && names.includes('PG_VERSION'))
  return { isOurs, major: major.trim(), ownerUid, mode: mode & 0o777 }
}

async function isWritable(folder: string, { account }: DatabaseLocation): Promise<boolean> {
  if (account && !(await canReach(folder, account))) return false
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
}

async function nearestFolder(path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    if ((await stat(folder).catch(() => undefined))?.isDirectory() || folder === dirname(folder)) return folder
  }
}
