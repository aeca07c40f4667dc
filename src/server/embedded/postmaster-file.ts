import { execFile } from 'node:child_process'
import { readFile, realpath, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

/** The lock file that a running PostgreSQL writes into its folder. */
export interface Postmaster {
  readonly pid: number
  /** The folder of its socket. */
  readonly socketFolder: string
}

const postmasterFile = (cluster: string) => join(cluster, 'postmaster.pid')

/** The lock file that a running PostgreSQL writes beside its socket: in the folder of the database, unless that has a long path. */
export const SOCKET_LOCK = '.s.PGSQL.5432.lock'

/**
 * Removes the lock files of a server that is gone. PostgreSQL does so itself, but not while another process of the same user
 * has its process id: in a container that is started again, that is not rare.
 */
export async function removeLocks(cluster: string): Promise<void> {
  await rm(join(cluster, SOCKET_LOCK), { force: true })
  await rm(postmasterFile(cluster), { force: true })
}

/** Reads which process serves, or served, `cluster`; undefined when the file is missing or not written yet. */
export async function readPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const lines = (await readFile(postmasterFile(cluster), 'utf8').catch(() => '')).split('\n')
  const pid = Number(lines[0])
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  // The fifth line is written after the first; a relative folder is relative to PostgreSQL's own.
  return { pid, socketFolder: resolve(cluster, lines[4]?.trim() || '.') }
}

/** PostgreSQL writes its process id at once after it made the file, so an empty one of this age is what a crash left. */
const EMPTY_AFTER_CRASH_MS = 5_000

/** Removes a lock file that a crash of the machine left empty; PostgreSQL would refuse to start because of it. */
export async function removeEmptyLock(cluster: string): Promise<void> {
  const file = await stat(postmasterFile(cluster)).catch(() => undefined)
  // A clock that was set back makes the file look as if it were made in the future.
  if (file?.size !== 0 || Math.abs(Date.now() - file.mtimeMs) < EMPTY_AFTER_CRASH_MS) return
  await rm(postmasterFile(cluster), { force: true })
}

/** Whether process `pid` is alive and is a PostgreSQL that serves `cluster`, not another process that reuses the id. */
export async function servesCluster(pid: number, cluster: string): Promise<boolean> {
  const command = await commandLine(pid)
  if (!/^\S*\bpostgres |\/postgres -D /.test(command)) return false
  if (command.includes(` -D ${cluster} `)) return true
  const [itsFolder, ours] = await Promise.all([`/proc/${pid}/cwd`, cluster].map(path => realpath(path).catch(() => '')))
  return itsFolder !== '' && itsFolder === ours
}

const run = promisify(execFile)

/** Empty for a process that is gone or a zombie. */
async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux')
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ')
  const { stdout } = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return `${stdout.trim()} `
}
