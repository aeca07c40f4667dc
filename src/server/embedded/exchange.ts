import { open, rename, stat } from 'node:fs/promises'
import { codeOf, OperatorError } from '../../model/errors.ts'
import type { Place } from './place.ts'
import { readPostmaster } from './postmaster-file.ts'

/** The copy of a database while it is made. */
export const copyUnderWay = ({ cluster }: Pick<Place, 'cluster'>) => `${cluster}.upgrading`
/** A copy that is complete. Whatever stands beside a database of that name is removed before the next copy. */
export const finishedCopy = ({ cluster }: Pick<Place, 'cluster'>) => `${cluster}.upgraded`

/**
 * Puts the finished copy in the place of the database, by renaming: at every moment, either the former one is there, or
 * the copy is complete and the next start takes it (`takeFinishedCopy`). No server may run in either.
 * @throws OperatorError when one was started in the former one meanwhile: then that stays
 */
export async function exchange(place: Place, formerCluster: string): Promise<void> {
  await rename(copyUnderWay(place), finishedCopy(place))
  await flush(place.folder)
  await rename(place.cluster, formerCluster)
  if (await readPostmaster(formerCluster)) {
    await rename(formerCluster, place.cluster)
    throw new OperatorError(
      `Another Tacho was started on ${place.folder} during the upgrade, which is given up: stop it and begin again.`,
    )
  }
  await takeFinishedCopy(place)
}

/** Finishes an exchange that was interrupted between its renames. Does nothing where a database is in its place. */
export async function takeFinishedCopy(place: Pick<Place, 'cluster' | 'folder'>): Promise<void> {
  if (await stat(place.cluster).catch(() => undefined)) return
  try {
    await rename(finishedCopy(place), place.cluster)
    await flush(place.folder)
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
