import { SILENT } from './log.ts'
import { choosePlace } from './place.ts'
import { readPostmaster, servesCluster } from './postmaster-file.ts'
import { databaseUrl } from './session.ts'

/**
 * The address of the database of the Tacho that runs on a data folder, for commands beside it.
 * @param mayMove as for `startEmbeddedServer`: nobody chose the folder.
 * @returns undefined when none runs.
 */
export async function findRunningServer(folder: string, mayMove: boolean): Promise<string | undefined> {
  const place = await choosePlace(folder, mayMove, SILENT)
  const found = await readPostmaster(place.cluster)
  if (!found || !(await servesCluster(found.pid, place.cluster))) return undefined
  return databaseUrl(found.socketFolder)
}
