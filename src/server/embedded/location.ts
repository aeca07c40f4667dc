import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { OperatorError } from '../../model/errors.ts'
import { type Account, canReach, chooseAccount } from './account.ts'
import type { EmbeddedLog } from './log.ts'

/** Where a system service keeps its data; only used when started by root. */
export const SYSTEM_FOLDER = '/var/lib/tacho'

/** The location and the owner of the database. */
export interface DatabaseLocation {
  /** The data folder, absolute. */
  readonly folder: string
  /** The folder with PostgreSQL's files in it. */
  readonly cluster: string
  /** The user that PostgreSQL runs as; undefined for our own. */
  readonly account: Account | undefined
}

/**
 * Decides where the database is. PostgreSQL's user may have no access to folders of root, so for root a default folder
 * (`mayMove`) is replaced by one below /var/lib/tacho.
 * @throws OperatorError when that user has no access to a folder that was chosen.
 */
export async function chooseLocation(folder: string, mayMove: boolean, log: EmbeddedLog): Promise<DatabaseLocation> {
  const wanted = locationAt(resolve(folder))
  const account = await chooseAccount([wanted.cluster, wanted.folder], log)
  if (!account) return { ...wanted, account }
  const entrance = await nearestFolder(wanted.folder)
  if (await canReach(entrance, account)) return { ...wanted, account }
  if (!mayMove)
    throw new OperatorError(
      `TACHO_DATA is ${wanted.folder}, which user ${account.name}, as whom PostgreSQL runs when root starts Tacho, can not enter: ` +
        `choose another folder, or open ${entrance} and those above it to that user.`,
    )
  const moved = locationAt(substitute(wanted.folder))
  log.warn(
    `${wanted.folder} is closed to user ${account.name}, as whom PostgreSQL runs: the data is kept in ${moved.folder}`,
  )
  return { ...moved, account: await chooseAccount([moved.cluster, moved.folder], log) }
}

const locationAt = (folder: string) => ({ folder, cluster: join(folder, 'postgres') })

/** One folder for each original location, with a name that people can trace back. */
function substitute(folder: string): string {
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 8)
  return join(SYSTEM_FOLDER, `${basename(dirname(folder)) || 'root'}-${digest}`)
}

async function nearestFolder(path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    if ((await stat(folder).catch(() => undefined))?.isDirectory() || folder === dirname(folder)) return folder
  }
}
