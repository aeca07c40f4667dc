import { readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Client } from 'pg'
import { OperatorError } from '../../model/errors.ts'
import {
  adviceOn,
  findPackage,
  formerPackage,
  type InstalledPackage,
  prepareBinaries,
  readMajor,
  readPackage,
} from './binaries.ts'
import { type Claim, claim, databaseUrl, stopOrphan } from './claim.ts'
import { copyUnderWay, createCluster, exchange, explain, finishedCopy, MARK, takeFinishedCopy } from './folder.ts'
import {
  chooseLocation,
  type DatabaseLocation,
  type EmbeddedLog,
  exists,
  freeBytesOf,
  ownAccount,
  wholeMegabytes,
} from './location.ts'
import { makeSocketFolder, PATIENCE_MS, removeSocketFolder, type Setup } from './process.ts'
import { ADMIN_ROLE, SERVICE_DATABASE, SERVICE_ROLE, writeEntrance, writeSettings } from './settings.ts'

interface UpgradeOptions {
  readonly folder: string
  readonly mayMove: boolean
  readonly log: EmbeddedLog
  /** Copies the database; it is thrown away when this throws. Addresses for a superuser, and for the owner of the new one. */
  readonly copy: (addresses: { from: string; to: string; toOwner: string; owner: string }) => Promise<void>
}

interface Upgraded {
  readonly fromMajor: string
  readonly toMajor: string
  readonly formerCluster: string
}

/** Both run, the rows are copied, the folders exchanged; the former one is kept. May be interrupted and started again.
 * @returns undefined when there is nothing to do @throws OperatorError; then everything is as before */
export async function upgradeCluster({ folder, mayMove, log, copy }: UpgradeOptions): Promise<Upgraded | undefined> {
  const location = await chooseLocation(folder, mayMove, log)
  await takeFinishedCopy(location)
  const ours = await findPackage()
  const found = await readMajor(location.cluster)
  if (found === '' || !(await exists(join(location.cluster, MARK))))
    throw new OperatorError(`There is no database of Tacho in ${location.folder}.`)
  if (found === ours.major) return undefined
  const former = await findFormerPackage(location, found, ours.major)
  const formerCluster = `${location.cluster}-${found}`
  if (await exists(formerCluster))
    throw new OperatorError(`${formerCluster} is there already, where the former database would be kept: move it away.`)
  await requireRoom(location)
  await writeEntrance(location.cluster, ownAccount(), location.account).catch(error => explain(error, location))
  const reader = await runIn(location, former, log)
  try {
    // While this one holds the former database, no other upgrade and no other Tacho runs here.
    const target = await makeTarget(location, ours, log)
    try {
      await copy({
        from: databaseUrl(reader.setup.socketFolder, SERVICE_DATABASE, ADMIN_ROLE),
        to: databaseUrl(target.setup.socketFolder, SERVICE_DATABASE, ADMIN_ROLE),
        toOwner: databaseUrl(target.setup.socketFolder),
        owner: SERVICE_ROLE,
      })
      await copySystemSettings(reader.claim.session.client, target.claim.session.client, log)
    } catch (error) {
      await target.stop()
      await removeCopies(location)
      throw error
    }
    await target.stop()
  } finally {
    // Before the exchange: a server writes to its folder by the path that it was started with.
    await reader.stop()
  }
  await exchange(location, formerCluster)
  return { fromMajor: found, toMajor: ours.major, formerCluster }
}

async function findFormerPackage(location: DatabaseLocation, found: string, major: string): Promise<InstalledPackage> {
  const former = await readPackage(formerPackage(location, found)).catch(() => undefined)
  if (former?.major === found) return former
  throw new OperatorError(
    `PostgreSQL ${found}, with which the database was made, is not there: ${adviceOn(location, found, major)}`,
  )
}

interface Running {
  readonly setup: Setup
  readonly claim: Claim
  stop(): Promise<void>
}

async function runIn(location: DatabaseLocation, installed: InstalledPackage, log: EmbeddedLog): Promise<Running> {
  const binaries = await prepareBinaries(installed, location)
  const setup = { location, binaries, socketFolder: await makeSocketFolder(location), log }
  try {
    const claimed = await claim(setup)
    return {
      setup,
      claim: claimed,
      async stop() {
        await claimed.session.close()
        await claimed.server.stop()
        await removeSocketFolder(setup.socketFolder)
      },
    }
  } catch (error) {
    await removeSocketFolder(setup.socketFolder)
    throw error
  }
}

/** A new, empty database beside the other one, in place of what an interrupted upgrade left. */
async function makeTarget(location: DatabaseLocation, installed: InstalledPackage, log: EmbeddedLog): Promise<Running> {
  const there: DatabaseLocation = { ...location, cluster: copyUnderWay(location) }
  const binaries = await prepareBinaries(installed, location)
  await stopOrphan({ location: there, binaries, socketFolder: there.cluster, log }, Date.now() + PATIENCE_MS)
  await removeCopies(location)
  await createCluster(there, binaries)
  await writeSettings(there.cluster, ownAccount(), location.account)
  return runIn(there, installed, log)
}

async function removeCopies(location: DatabaseLocation): Promise<void> {
  const copies = [copyUnderWay(location), finishedCopy(location)].map(path => basename(path))
  for (const name of await readdir(location.folder))
    if (copies.some(start => name.startsWith(start)))
      await rm(join(location.folder, name), { recursive: true, force: true })
}

/** Copies the operator's ALTER SYSTEM settings, as far as the new version knows them. */
async function copySystemSettings(from: Client, to: Client, log: EmbeddedLog): Promise<void> {
  const { rows } = await from.query<{ name: string; setting: string }>(
    "select name, setting from pg_file_settings where sourcefile like '%/postgresql.auto.conf'",
  )
  for (const { name, setting } of rows) {
    try {
      await to.query(`alter system set ${name} = ${to.escapeLiteral(setting)}`)
    } catch (error) {
      log.warn(`The setting ${name} of PostgreSQL is left out: ${(error as Error).message}`)
    }
  }
}

/** Indexes are made anew, and the log of changes takes as much again at times. */
const FACTOR = 1.5
const MORE_BYTES = 500 * 2 ** 20

async function requireRoom({ folder, cluster }: DatabaseLocation): Promise<void> {
  const freeBytes = await freeBytesOf(folder)
  const neededBytes = (await sizeOf(cluster)) * FACTOR + MORE_BYTES
  if (freeBytes < neededBytes)
    throw new OperatorError(
      `The upgrade makes a copy: ${wholeMegabytes(neededBytes)} must be free on the disk of ${folder}, and ${wholeMegabytes(freeBytes)} are.`,
    )
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0
  }
  return bytes
}
