import { type Finding, findingsOf } from './finding.ts'

export interface FolderFacts {
  /** The data folder, absolute. */
  readonly folder: string
  /** Of the folder, or of the nearest one above it that is there. */
  readonly freeBytes: number
  /** Whether the user that runs this, or PostgreSQL for root, may write there. */
  readonly isWritable: boolean
  /** The folder of PostgreSQL's files, where there is one. */
  readonly cluster:
    | {
        readonly isOurs: boolean
        /** What PG_VERSION says. */
        readonly major: string
        readonly ownerUid: number
        /** Permissions, such as 0o700. */
        readonly mode: number
      }
    | undefined
  /** The user as whom PostgreSQL runs. */
  readonly uid: number | undefined
  /** Of the PostgreSQL that came with this Tacho. */
  readonly embeddedMajor: string
}

export function judgeFolder({ folder, isWritable, cluster, uid, embeddedMajor }: FolderFacts): Finding {
  const { fine, broken } = findingsOf('data folder')
  const other = 'or choose another folder with TACHO_DATA.'
  if (!isWritable)
    return broken(`${folder} can not be written.`, `Run this as the user that runs Tacho, make it writable, ${other}`)
  if (!cluster) return fine(`${folder} has no database yet; the first start makes it.`)
  if (!cluster.isOurs)
    return broken(`${folder}/postgres holds files that are not a database of Tacho.`, `Move them away, ${other}`)
  if (uid !== undefined && cluster.ownerUid !== uid)
    return broken(
      `The database in ${folder} belongs to the user with number ${cluster.ownerUid}, and this is ${uid}.`,
      'Start Tacho, and run this, as that user or as root.',
    )
  if (cluster.mode & 0o027)
    return broken(
      `Others may enter ${folder}/postgres, with which PostgreSQL does not start.`,
      `Close it: \`chmod 0700 ${folder}/postgres\`.`,
    )
  if (cluster.major !== embeddedMajor) return judgeMajor(folder, cluster.major, embeddedMajor)
  return fine(`${folder}, with a database of PostgreSQL ${cluster.major}.`)
}

function judgeMajor(folder: string, found: string, embeddedMajor: string): Finding {
  const { broken } = findingsOf('data folder')
  const says = `The database in ${folder} belongs to PostgreSQL ${found}, and this Tacho brings ${embeddedMajor}.`
  return broken(says, '`tacho upgrade-database` brings an older one over; a start says what it needs.')
}

const MB = 2 ** 20
/** The start refuses less than the first. */
const LEAST_BYTES = 100 * MB
const LITTLE_BYTES = 2 ** 30
const LITTLE_DAYS = 14

/** @param growthBytesPerDay how much the measurements of the last weeks take; undefined where that is not known */
export function judgeDisk(
  { folder, freeBytes }: Pick<FolderFacts, 'folder' | 'freeBytes'>,
  growthBytesPerDay: number | undefined,
): Finding {
  const { fine, look, broken } = findingsOf('disk')
  const days = growthBytesPerDay ? Math.floor(Math.max(0, freeBytes - LEAST_BYTES) / growthBytesPerDay) : undefined
  const lasting = days === undefined ? '' : days > 3650 ? ', enough for years' : `, enough for about ${days} days`
  const says = `${Math.floor(freeBytes / MB).toLocaleString('en-US')} MB are free for ${folder}${lasting}.`
  const advice = 'Make room, move the folder to a larger disk, or let old measurements be dropped (RETENTION_DAYS).'
  if (freeBytes < LEAST_BYTES) return broken(says, advice)
  if (freeBytes < LITTLE_BYTES || (days !== undefined && days < LITTLE_DAYS)) return look(says, advice)
  return fine(says)
}
