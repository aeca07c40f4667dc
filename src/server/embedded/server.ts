import { setTimeout as sleep } from 'node:timers/promises'
import { Backoff, pause } from '../../lib/clock.ts'
import { OperatorError } from '../../model/errors.ts'
import { findPackage, prepareBinaries } from './binaries.ts'
import { type Claim, claim, databaseUrl, openSession, readPostmaster, servesCluster, takeLock } from './claim.ts'
import { createCluster, explain, inspectFolder, removeUnfinished } from './folder.ts'
import { chooseLocation, type EmbeddedLog, ownAccount } from './location.ts'
import { FolderInUse, makeSocketFolder, PAUSE_MS, removeSocketFolder, type Setup, SILENT } from './process.ts'
import { ADMIN_ROLE, type ServerSettings, writeSettings } from './settings.ts'

export interface EmbeddedServer {
  readonly url: string
  /** Address for the owner of the server, who may create databases. */
  readonly adminUrl: string
  /** The data folder, which may differ from the requested one. */
  readonly folder: string
  /** The last run in this folder was not shut down cleanly. */
  readonly followsCrash: boolean
  readonly pid: number
  /** Resolves with the reason when the server cannot be kept alive any longer; never after `stop`. */
  readonly failed: Promise<OperatorError>
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  readonly folder: string
  /** The folder is the default: another one may be used when PostgreSQL's user has no access to it. */
  readonly mayMove?: boolean
  readonly log: EmbeddedLog
  /** Before a database is made in the folder. @throws OperatorError when it is not to be made */
  readonly beforeMade?: () => Promise<void>
  /** Settings of PostgreSQL that differ from ours; for tests. */
  readonly settings?: ServerSettings
}

/** Restarts it whenever it dies. @throws OperatorError when the folder is unusable or PostgreSQL does not run here */
export async function startEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { log } = options
  const client = ownAccount()
  const location = await chooseLocation(options.folder, options.mayMove ?? false, log)
  const binaries = await prepareBinaries(await findPackage(), location)
  if ((await inspectFolder(location, binaries.major)) === 'missing') {
    await options.beforeMade?.()
    log.info({ folder: location.cluster }, 'the database is created')
    await createCluster(location, binaries).catch(async error => {
      // Another process that started at the same time was faster, and removed our unfinished files.
      if ((await inspectFolder(location, binaries.major)) === 'missing') throw error
    })
  }
  await writeSettings(location.cluster, client, location.account, options.settings).catch(error =>
    explain(error, location),
  )
  const setup = { location, binaries, socketFolder: await makeSocketFolder(location), log }
  try {
    const followsCrash = (await readPostmaster(location.cluster)) !== undefined
    const first = await claim(setup)
    await removeUnfinished(location)
    return keepAlive(first, setup, followsCrash)
  } catch (error) {
    await removeSocketFolder(setup.socketFolder)
    throw error
  }
}

function keepAlive(first: Claim, setup: Setup, followsCrash: boolean): EmbeddedServer {
  let current = first
  const stopping = new AbortController()
  let fail: (reason: OperatorError) => void = () => undefined
  const failed = new Promise<OperatorError>(resolve => {
    fail = resolve
  })

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await Promise.race([current.server.exited, current.session.ended])
      if (!stopping.signal.aborted) current = await renew(current, setup, stopping.signal)
    }
  }
  const watching = watch().catch(error => {
    if (!stopping.signal.aborted) fail(error instanceof OperatorError ? error : new OperatorError(String(error)))
  })

  return {
    url: databaseUrl(setup.socketFolder),
    adminUrl: databaseUrl(setup.socketFolder, 'postgres', ADMIN_ROLE),
    folder: setup.location.folder,
    followsCrash,
    get pid() {
      return current.server.pid
    },
    failed,
    async stop() {
      stopping.abort()
      await current.server.stop()
      await watching
      // A restart may be running.
      await current.server.stop()
      await removeSocketFolder(setup.socketFolder)
    },
  }
}

const LONGEST_PAUSE_MS = 10_000

/** Restores the server, or only our session. Retries until it succeeds or `stopping`. @throws FolderInUse */
async function renew(lost: Claim, setup: Setup, stopping: AbortSignal): Promise<Claim> {
  const session = await reopenSession(lost, setup)
  if (session) return { server: lost.server, session }
  setup.log.error({ postgresPid: lost.server.pid }, 'PostgreSQL has died and is started again')
  const backoff = new Backoff(PAUSE_MS, LONGEST_PAUSE_MS)
  while (!stopping.aborted) {
    try {
      const renewed = await claim(setup)
      setup.log.info({ postgresPid: renewed.server.pid }, 'PostgreSQL runs again')
      return renewed
    } catch (error) {
      if (error instanceof FolderInUse) throw error
      const pauseMs = backoff.next()
      setup.log.error(`${(error as Error).message} Next try in ${pauseMs / 1000} s.`)
      await pause(pauseMs, stopping)
    }
  }
  return lost
}

/** When one of its processes is killed, PostgreSQL ends every session and recovers by itself. @returns undefined when it died. */
async function reopenSession(lost: Claim, setup: Setup) {
  const death = lost.server.exited.then(() => true)
  for (;;) {
    if (await Promise.race([death, sleep(PAUSE_MS, false)])) return undefined
    const session = await openSession(setup.socketFolder).catch(() => undefined)
    if (!session) continue
    const lock = await takeLock(session)
    if (lock === 'taken') return session
    await session.close()
    if (lock === 'locked') throw new FolderInUse(setup.location, lost.server.pid)
  }
}

/** The database of the Tacho that runs on a data folder; undefined when none runs. */
export async function findRunningServer(
  folder: string,
  mayMove: boolean,
): Promise<Pick<EmbeddedServer, 'url' | 'adminUrl'> | undefined> {
  const location = await chooseLocation(folder, mayMove, SILENT)
  const found = await readPostmaster(location.cluster)
  if (!found || !(await servesCluster(found.pid, location.cluster))) return undefined
  return {
    url: databaseUrl(found.socketFolder),
    adminUrl: databaseUrl(found.socketFolder, 'postgres', ADMIN_ROLE),
  }
}
