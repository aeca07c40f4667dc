import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { OperatorError } from '../../model/errors.ts'
import { type Account, canReach, chooseAccount } from './account.ts'
import type { EmbeddedLog } from './log.ts'

/** Where a service keeps its things on a system of many users; only used when started by root. */
export const SYSTEM_FOLDER = '/var/lib/tacho'

/** Where the database lives and whom it belongs to. */
export interface Place {
  /** The data folder, absolute. */
  readonly folder: string
  /** The folder of PostgreSQL's files in it. */
  readonly cluster: string
  /** Whom PostgreSQL runs as; undefined for ourselves. */
  readonly account: Account | undefined
}

/**
 * Settles where the database lives. For root, whose folders may be closed to the user that PostgreSQL runs as, a folder that
 * nobody chose (`mayMove`) gives way to one below /var/lib/tacho.
 * @throws OperatorError when a chosen folder is closed to that user.
 */
export async function choosePlace(folder: string, mayMove: boolean, log: EmbeddedLog): Promise<Place> {
  const wanted = placeAt(resolve(folder))
  const account = await chooseAccount([wanted.cluster, wanted.folder], log)
  if (!account) return { ...wanted, account }
  const entrance = await nearestFolder(wanted.folder)
  if (await canReach(entrance, account)) return { ...wanted, account }
  if (!mayMove)
    throw new OperatorError(
      `TACHO_DATA is ${wanted.folder}, which user ${account.name}, as whom PostgreSQL runs when root starts Tacho, can not enter: ` +
        `choose another folder, or open ${entrance} and those above it to that user.`,
    )
  const moved = placeAt(substitute(wanted.folder))
  log.warn(
    `${wanted.folder} is closed to user ${account.name}, as whom PostgreSQL runs: the data is kept in ${moved.folder}`,
  )
  return { ...moved, account: await chooseAccount([moved.cluster, moved.folder], log) }
}

const placeAt = (folder: string) => ({ folder, cluster: join(folder, 'postgres') })

/** One folder for each place it stands for, with a name that a person can trace back. */
function substitute(folder: string): string {
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 8)
  return join(SYSTEM_FOLDER, `${basename(dirname(folder)) || 'root'}-${digest}`)
}

async function nearestFolder(path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    if ((await stat(folder).catch(() => undefined))?.isDirectory() || folder === dirname(folder)) return folder
  }
}
