import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../errors.ts'
import type { Binaries } from './binaries.ts'
import { errorCode } from './error-code.ts'
import { diskFull } from './folder.ts'
import type { EmbeddedLog } from './log.ts'
import type { Place } from './place.ts'
import { type Postmaster, postmasterFile, readPostmaster, servesCluster } from './postmaster-file.ts'
import { type ServerProcess, startProcess, stopPostgres } from './server-process.ts'
import { ensureDatabase, openSession, type Session, takeLock } from './session.ts'
import { removeSocketFolder } from './socket-folder.ts'

/** Everything that stays the same from one run of PostgreSQL to the next. */
export interface Setup {
  readonly place: Place
  readonly binaries: Binaries
  readonly socketFolder: string
  readonly log: EmbeddedLog
}

/** A running PostgreSQL that is our child and whose folder is ours. */
export interface Claim {
  readonly server: ServerProcess
  readonly session: Session
}

/** The folder is another's; trying again would not change it. */
export class FolderInUse extends OperatorError {
  constructor(place: Place, pid?: number) {
    const whose = pid ? ` (its PostgreSQL is process ${pid})` : ''
    super(
      `The data folder ${place.folder} is in use by another Tacho${whose}: stop that one, or choose another folder with TACHO_DATA.`,
    )
  }
}

/** How long another's start, stop or recovery of the same folder is waited for. */
const PATIENCE_MS = 60_000
const PAUSE_MS = 100

/**
 * Brings PostgreSQL up as our child, first stopping one that a dead Tacho left behind. What decides whose the folder
 * is, is the lock inside the database: whoever starts at the same instant, one gets it and the others give up.
 * @throws OperatorError when another living Tacho has the folder, or PostgreSQL does not start.
 */
export async function claim(setup: Setup): Promise<Claim> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    await stopOrphan(setup, deadline)
    const attempt = await tryStart(setup)
    if (attempt !== 'again') return attempt
    if (Date.now() > deadline) throw new OperatorError(`PostgreSQL in ${setup.place.cluster} neither starts nor stops.`)
    await sleep(PAUSE_MS)
  }
}

/** Leaves the folder without a live server, or throws. */
async function stopOrphan(setup: Setup, deadline: number): Promise<void> {
  const { place } = setup
  for (;;) {
    const found = await readPostmaster(place.cluster)
    if (!found) return
    const alive = await servesCluster(found.pid, place.cluster)
    const session = await openSession(found.socketFolder).catch(errorCode)
    if (typeof session !== 'string') return stopOwned(found, alive, session, setup)
    if (!alive) return removeStale(found, setup)
    // invalid_authorization_specification: it lets in another user than us, and is not ours to stop.
    if (session === '28000') throw new FolderInUse(place, found.pid)
    // It starts, recovers or stops, and it is not ours to hurry.
    if (Date.now() > deadline)
      throw new OperatorError(
        `PostgreSQL process ${found.pid} serves ${place.cluster} but does not answer (${session}): stop it first.`,
      )
    await sleep(PAUSE_MS)
  }
}

async function stopOwned(found: Postmaster, alive: boolean, session: Session, setup: Setup): Promise<void> {
  const { place, log } = setup
  try {
    // One that answers and is no process here serves from another container, whatever its lock says.
    if (!alive || !(await takeLock(session))) throw new FolderInUse(place, alive ? found.pid : undefined)
    log.warn({ pid: found.pid }, 'a PostgreSQL that an earlier Tacho left behind is stopped')
    await stopPostgres(signal => process.kill(found.pid, signal), gone(found.pid, place.cluster))
    await removeForeignSocket(found, setup)
  } finally {
    await session.close().catch(() => undefined)
  }
}

async function gone(pid: number, cluster: string): Promise<void> {
  while (await servesCluster(pid, cluster)) await sleep(20)
}

/** PostgreSQL does so itself, but not while some other process of the same user has got the number. */
async function removeStale(found: Postmaster, setup: Setup): Promise<void> {
  const now = await readPostmaster(setup.place.cluster)
  if (now?.pid === found.pid) await rm(postmasterFile(setup.place.cluster), { force: true })
  await removeForeignSocket(found, setup)
}

async function removeForeignSocket(found: Postmaster, setup: Setup): Promise<void> {
  if (found.socketFolder !== setup.socketFolder) await removeSocketFolder(found.socketFolder)
}

async function tryStart({ place, binaries, socketFolder, log }: Setup): Promise<Claim | 'again'> {
  const server = startProcess(place, binaries, socketFolder, log)
  if (!(await server.ready)) return judge(await server.exited, place)
  const session = await openSession(socketFolder).catch(() => undefined)
  // Somebody took our server for an orphan before we had the lock.
  if (!session) return 'again'
  if (await takeLock(session)) {
    await ensureDatabase(session)
    return { server, session }
  }
  await session.close()
  throw new FolderInUse(place, server.pid)
}

/** What the last words of a PostgreSQL that did not start mean. */
function judge(lines: readonly string[], place: Place): 'again' {
  const text = lines.join('\n')
  // Another one starts at this instant, or the processes of a killed one are not all gone yet.
  if (/lock file ".*" already exists|pre-existing shared memory block/.test(text)) return 'again'
  if (/No space left on device|Disk quota exceeded/.test(text)) throw diskFull(place)
  const last = lines.findLast(line => /^(FATAL|PANIC):/.test(line)) ?? lines.at(-1) ?? 'it said nothing'
  throw new OperatorError(`PostgreSQL in ${place.cluster} did not start: ${last.replace(/^[A-Z]+:\s*/, '')}`)
}
