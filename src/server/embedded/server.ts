import { OperatorError } from '../../model/errors.ts'
import { ownAccount } from './account.ts'
import { findBinaries } from './binaries.ts'
import { type Claim, claim } from './claim.ts'
import { createCluster, removeUnfinished } from './create.ts'
import { explain, inspectFolder } from './folder.ts'
import type { EmbeddedLog } from './log.ts'
import { choosePlace } from './place.ts'
import { readPostmaster } from './postmaster-file.ts'
import { renew } from './renew.ts'
import { databaseUrl } from './session.ts'
import { ADMIN_ROLE, type ServerSettings, writeSettings } from './settings.ts'
import type { Setup } from './setup.ts'
import { makeSocketFolder, removeSocketFolder } from './socket-folder.ts'

/** A PostgreSQL of our own that is kept alive. */
export interface EmbeddedServer {
  /** Address of the service's database, for `pg`. */
  readonly url: string
  /** Address for the owner of the server, who may create databases. */
  readonly adminUrl: string
  /** The data folder, which may be another than the one asked for. */
  readonly folder: string
  /** The last run of this folder was not stopped in order. */
  readonly followsCrash: boolean
  /** Process id of the server that runs now. */
  readonly pid: number
  /** Resolves with the reason when the server can not be kept alive any longer; never after `stop`. */
  readonly failed: Promise<OperatorError>
  /** Stops the server in order. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  readonly folder: string
  /** Nobody chose the folder: another may be used when root's PostgreSQL can not enter it. */
  readonly mayMove?: boolean
  readonly log: EmbeddedLog
  /** Settings of PostgreSQL that differ from the standard ones; for tests. */
  readonly settings?: ServerSettings
}

/**
 * Starts the embedded PostgreSQL, made at the first start, and restarts it whenever it dies.
 * @throws OperatorError when the folder can not be used or PostgreSQL does not run here.
 */
export async function startEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { log } = options
  const client = ownAccount()
  const place = await choosePlace(options.folder, options.mayMove ?? false, log)
  const binaries = await findBinaries(place.account)
  if ((await inspectFolder(place, binaries.major)) === 'missing') {
    log.info({ folder: place.cluster }, 'the database is created')
    await createCluster(place, binaries).catch(async error => {
      // Who began at the same instant was faster, and removed what was not finished of this one.
      if ((await inspectFolder(place, binaries.major)) === 'missing') throw error
    })
  }
  await writeSettings(place.cluster, client, place.account, options.settings).catch(error => explain(error, place))
  const setup = { place, binaries, socketFolder: await makeSocketFolder(place), log }
  try {
    const followsCrash = (await readPostmaster(place.cluster)) !== undefined
    const first = await claim(setup)
    await removeUnfinished(place)
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
    folder: setup.place.folder,
    followsCrash,
    get pid() {
      return current.server.pid
    },
    failed,
    async stop() {
      stopping.abort()
      await current.server.stop()
      await watching
      // A restart may have been under way.
      await current.server.stop()
      await removeSocketFolder(setup.socketFolder)
    },
  }
}
