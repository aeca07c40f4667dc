import { chooseLocation } from './location.ts'
import { SILENT } from './log.ts'
import { readPostmaster, servesCluster } from './postmaster-file.ts'
import { databaseUrl } from './session.ts'
import { ADMIN_ROLE } from './settings.ts'

/** The addresses of a server's database: of the service, and for the owner of the server. */
interface RunningServer {
  readonly url: string
  readonly adminUrl: string
}

/**
 * The database of the Tacho that runs on a data folder, for commands beside it.
 * @param mayMove as for `startEmbeddedServer`: nobody chose the folder.
 * @returns undefined when none runs.
 */
export async function findRunningServer(folder: string, mayMove: boolean): Promise<RunningServer | undefined> {
  const location = await chooseLocation(folder, mayMove, SILENT)
  const found = await readPostmaster(location.cluster)
  if (!found || !(await servesCluster(found.pid, location.cluster))) return undefined
  return {
    url: databaseUrl(found.socketFolder),
    adminUrl: databaseUrl(found.socketFolder, 'postgres', ADMIN_ROLE),
  }
}
