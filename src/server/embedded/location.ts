import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir, open, stat, statfs } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { BaseLogger } from 'pino'
import { codeOf, codeOrTextOf, OperatorError } from '../../model/errors.ts'

/** Where a system service keeps its data; only used when started by root. */
export const SYSTEM_FOLDER = '/var/lib/tacho'

export interface DatabaseLocation {
  readonly folder: string
  readonly cluster: string
  /** The user that PostgreSQL runs as; undefined for our own. */
  readonly account: Account | undefined
}

/** For root, a default folder (`mayMove`) is replaced by one below /var/lib/tacho.
 * @throws OperatorError when PostgreSQL's user has no access to a folder that was chosen */
export async function chooseLocation(folder: string, mayMove: boolean, log: EmbeddedLog): Promise<DatabaseLocation> {
  const wanted = locationAt(resolve(folder))
  const account = await chooseAccount([wanted.cluster, wanted.folder], log)
  if (!account) return { ...wanted, account }
  const entrance = await nearestFolder(wanted.folder)
  if (await canReach(entrance, account)) return { ...wanted, account }
  if (!mayMove)
    throw new OperatorError(
      `TACHO_DATA is ${wanted.folder}, which user ${account.name}, as whom PostgreSQL runs when root starts Tacho, cannot enter: ` +
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

/** The folder itself, or the nearest one above it that is there. */
export async function nearestFolder(path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    if ((await stat(folder).catch(() => undefined))?.isDirectory() || folder === dirname(folder)) return folder
  }
}

export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/** In this order: the user for Tacho, the one for PostgreSQL, and the one that owns nothing. */
const SYSTEM_USERS = ['tacho', 'postgres', 'nobody']

/** The user that runs this process, the only one that may connect. @throws OperatorError when it has no name */
export function ownAccount(): Account {
  try {
    const { username, uid, gid } = userInfo()
    return { name: username, uid, gid }
  } catch {
    throw new OperatorError(
      `The user with number ${process.getuid?.()} has no name on this system, which the embedded PostgreSQL needs: ` +
        'add it to /etc/passwd, or set DATABASE_URL to a PostgreSQL server.',
    )
  }
}

/** For root, the owner of the first of `folders` that is another's, else a system user; undefined for ourselves. */
async function chooseAccount(folders: readonly string[], log: EmbeddedLog): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  for (const folder of folders) {
    const found = await stat(folder).catch(() => undefined)
    if (!found || found.uid === 0) continue
    return (await lookUp(String(found.uid))) ?? { name: String(found.uid), uid: found.uid, gid: found.gid }
  }
  for (const name of SYSTEM_USERS) {
    const account = await lookUp(name)
    if (!account || account.uid === 0) continue
    if (name === 'nobody')
      log.warn('PostgreSQL runs as nobody, a user that other programs may share: better create a user named tacho')
    return account
  }
  throw new OperatorError(
    'PostgreSQL does not run as root, and there is no user tacho, postgres or nobody to run it as: ' +
      'create one (`useradd --system tacho`), or start Tacho as an ordinary user.',
  )
}

const run = promisify(execFile)

async function lookUp(nameOrNumber: string): Promise<Account | undefined> {
  const ask = async (what: string) => (await run('id', [what, nameOrNumber])).stdout.trim()
  try {
    return { name: await ask('-un'), uid: Number(await ask('-u')), gid: Number(await ask('-g')) }
  } catch {
    return undefined
  }
}

/** Tests as that user whether it may enter a folder: modes alone do not show access control lists. */
export function canReach(folder: string, account: Account): Promise<boolean> {
  return new Promise(fulfil => {
    const shell = spawn('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { ...runAs({ account }), stdio: 'ignore' })
    shell.once('error', () => fulfil(false))
    shell.once('exit', code => fulfil(code === 0))
  })
}

export type EmbeddedLog = Pick<BaseLogger, 'debug' | 'info' | 'warn' | 'error'>

export const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Room for programs that are not root's, on the disk of a folder. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

export const wholeMegabytes = (bytes: number) => `${Math.ceil(bytes / 2 ** 20).toLocaleString('en-US')} MB`

const REFUSALS: ReadonlySet<string | undefined> = new Set([
  'EINVAL',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EPERM',
  'EACCES',
  'EBADF',
])

/** Brings the names in a folder to the disk. @throws what the disk says, EIO for one */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } catch (error) {
    // File systems of networks may refuse this for folders, and bring names to the disk themselves.
    if (!REFUSALS.has(codeOf(error))) throw error
  } finally {
    await handle.close()
  }
}

/** The user and the folder in which programs of PostgreSQL run. */
export const runAs = ({ account }: Pick<DatabaseLocation, 'account'>) => ({
  ...(account && { uid: account.uid, gid: account.gid }),
  cwd: '/',
})

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

/** Hands a new folder over to the user that PostgreSQL runs as. */
export async function handOver(folder: string, { account }: DatabaseLocation): Promise<void> {
  if (account) await chown(folder, account.uid, account.gid)
}

export const diskFull = (location: DatabaseLocation) =>
  new OperatorError(`The disk of ${location.folder} is full: make room, then start Tacho again.`)

/** For a program that the system cannot run at all. */
export const cannotRun = (program: string, error: unknown) =>
  new OperatorError(
    `The embedded PostgreSQL does not run on this system (${program}: ${codeOrTextOf(error)}); it needs glibc on Linux. ` +
      'Set DATABASE_URL to a PostgreSQL server (15 or later) instead.',
  )
