import { setTimeout as sleep } from 'node:timers/promises'
import { codeOrTextOf, OperatorError } from '../../model/errors.ts'
import { diskFull } from './folder.ts'
import type { DatabaseLocation } from './location.ts'
import { stopOrphan } from './orphan.ts'
import { removeEmptyLock } from './postmaster-file.ts'
import { type ServerProcess, startProcess } from './server-process.ts'
import { ensureDatabase, NOT_LET_IN, openSession, type Session, takeLock } from './session.ts'
import { FolderInUse, PATIENCE_MS, PAUSE_MS, type Setup } from './setup.ts'

/** A running PostgreSQL that is our child and whose folder is ours. */
export interface Claim {
  readonly server: ServerProcess
  readonly session: Session
}

/**
 * Starts PostgreSQL as our child, first stopping one that a dead Tacho left behind. The lock inside the database decides
 * who owns the folder: of several processes that start at the same time, one gets it and the others give up.
 * @throws OperatorError when another living Tacho has the folder, or PostgreSQL does not start.
 */
export async function claim(setup: Setup): Promise<Claim> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    await stopOrphan(setup, deadline)
    await removeEmptyLock(setup.location.cluster)
    const attempt = await tryStart(setup)
    if (attempt !== 'again') return attempt
    if (Date.now() > deadline)
      throw new OperatorError(`PostgreSQL in ${setup.location.cluster} neither starts nor stops.`)
    await sleep(PAUSE_MS)
  }
}

async function tryStart(setup: Setup): Promise<Claim | 'again'> {
  const { location } = setup
  const server = startProcess(setup)
  if (!(await server.ready)) return judge(await server.exited, location)
  const session = await openSession(setup.socketFolder).catch(codeOrTextOf)
  if (typeof session === 'string') {
    // Otherwise another process took our server for an orphan before we had the lock, and is stopping it.
    if (session !== NOT_LET_IN) return 'again'
    await server.stop()
    throw new OperatorError(`PostgreSQL in ${location.cluster} does not recognise the user that runs Tacho.`)
  }
  const lock = await takeLock(session)
  if (lock === 'taken') {
    await ensureDatabase(session)
    return { server, session }
  }
  await session.close()
  if (lock !== 'held') return 'again'
  throw new FolderInUse(location, server.pid)
}

/** The error behind the last log lines of a PostgreSQL that did not start. */
function judge(lines: readonly string[], location: DatabaseLocation): 'again' {
  const text = lines.join('\n')
  // Another one is starting, or the processes of a killed one are not all gone yet. Its lock file is empty for a moment.
  const isLocked = lines.some(line => /lock file "[^"]*" (already exists|is empty)/.test(line))
  if (isLocked || text.includes('pre-existing shared memory block')) return 'again'
  if (/No space left on device|Disk quota exceeded/.test(text)) throw diskFull(location)
  const last = lines.findLast(line => /^(FATAL|PANIC):/.test(line)) ?? lines.at(-1) ?? 'it said nothing'
  throw new OperatorError(`PostgreSQL in ${location.cluster} did not start: ${last.replace(/^[A-Z]+:\s*/, '')}`)
}
