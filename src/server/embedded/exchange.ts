import { open, rename, stat } from 'node:fs/promises'
import { codeOf, OperatorError } from '../../model/errors.ts'
import type { DatabaseLocation } from './location.ts'
import { readPostmaster } from './postmaster-file.ts'

/** The copy of a database while it is made. */
export const copyUnderWay = ({ cluster }: Pick<DatabaseLocation, 'cluster'>) => `${cluster}.upgrading`
/** A copy that is complete. Whatever stands beside a database of that name is removed before the next copy. */
export const finishedCopy = ({ cluster }: Pick<DatabaseLocation, 'cluster'>) => `${cluster}.upgraded`

/**
 * Puts the finished copy in the place of the database, by renaming: at every moment, either the former one is there, or
 * the copy is complete and the next start takes it (`takeFinishedCopy`). No server may run in either.
 * @throws OperatorError when one was started in the former one meanwhile: then that stays
 */
export async function exchange(location: DatabaseLocation, formerCluster: string): Promise<void> {
  await rename(copyUnderWay(location), finishedCopy(location))
  await flush(location.folder)
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
    await flush(location.folder)
  } catch (error) {
    // There is none, or another process was faster.
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** What was renamed in a folder is on the disk after this. */
async function flush(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
