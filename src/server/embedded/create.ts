import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { codeOf, codeOrTextOf, OperatorError } from '../../model/errors.ts'
import type { Binaries } from './binaries.ts'
import { diskFull, explain, handOver, MARK } from './folder.ts'
import type { DatabaseLocation } from './location.ts'
import { ADMIN_ROLE, serverEnvironment } from './settings.ts'

/**
 * Creates PostgreSQL's files in a temporary folder and renames it, so that an interruption leaves nothing half finished.
 * If another process was faster, its database stays.
 */
export async function createCluster(location: DatabaseLocation, binaries: Binaries): Promise<void> {
  await inUnfinishedFolder(location, async unfinished => {
    await initdb(unfinished, location, binaries)
    await writeFile(join(unfinished, MARK), 'Made by Tacho. Do not remove this file.\n')
  })
}

/**
 * Lets `fill` make a database in a temporary folder, which then becomes the one at that location.
 * @returns false when another process was faster: its database stays
 */
export async function inUnfinishedFolder(
  location: DatabaseLocation,
  fill: (folder: string) => Promise<void>,
): Promise<boolean> {
  const unfinished = await mkdtemp(unfinishedPrefix(location)).catch(error => explain(error, location))
  try {
    await handOver(unfinished, location)
    await fill(unfinished)
    await rename(unfinished, location.cluster)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false
    explain(error, location)
  } finally {
    await removeTree(unfinished)
  }
}

const unfinishedPrefix = ({ cluster }: DatabaseLocation) => `${cluster}.new-`

/** Removes what interrupted starts left behind. Only for the process that owns the folder. */
export async function removeUnfinished(location: DatabaseLocation): Promise<void> {
  const prefix = basename(unfinishedPrefix(location))
  for (const name of await readdir(location.folder))
    if (name.startsWith(prefix)) await removeTree(join(location.folder, name))
}

/** Another process that started at the same time may still write there, or remove it as well: then again, until it is gone. */
const removeTree = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })

function initdb(folder: string, location: DatabaseLocation, binaries: Binaries): Promise<void> {
  // The built-in C.UTF-8 sorts by code point, whatever the system's C library does after an update.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const doors = [`--username=${ADMIN_ROLE}`, '--auth-local=peer', '--auth-host=reject']
  return new Promise((resolve, reject) => {
    const child = spawn(binaries.initdb, ['-D', folder, ...locale, ...doors, '--data-checksums', '--no-instructions'], {
      ...(location.account && { uid: location.account.uid, gid: location.account.gid }),
      cwd: '/',
      env: serverEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let complaints = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text
    })
    child.once('error', error => reject(cannotRun(binaries.initdb, error)))
    child.once('close', code => {
      if (code === 0) resolve()
      else if (/No space left|Disk quota/.test(complaints)) reject(diskFull(location))
      else
        reject(
          new OperatorError(`PostgreSQL could not create its files in ${location.cluster}: ${oneLine(complaints)}`),
        )
    })
  })
}

/** For a program that the system can not run at all. */
export const cannotRun = (program: string, error: unknown) =>
  new OperatorError(
    `The embedded PostgreSQL does not run on this system (${program}: ${codeOrTextOf(error)}); it needs glibc on Linux. ` +
      'Set DATABASE_URL to a PostgreSQL server (15 or later) instead.',
  )

const oneLine = (text: string) =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
    .join('; ')
