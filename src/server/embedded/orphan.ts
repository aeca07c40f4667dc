import { setTimeout as sleep } from 'node:timers/promises'
import { codeOrTextOf, OperatorError } from '../../model/errors.ts'
import { type Postmaster, readPostmaster, removeLocks, servesCluster } from './postmaster-file.ts'
import { stopPostgres } from './server-process.ts'
import { NOT_LET_IN, openSession, takeLock } from './session.ts'
import { FolderInUse, PAUSE_MS, type Setup } from './setup.ts'
import { removeSocketFolder } from './socket-folder.ts'

/**
 * Stops a server in the folder whose Tacho is dead.
 * @throws FolderInUse when its Tacho is alive.
 */
export async function stopOrphan(setup: Setup, deadline: number): Promise<void> {
  for (;;) {
    const found = await readPostmaster(setup.location.cluster)
    if (!found) return
    const outcome = await approach(found, setup)
    if (outcome === 'gone') return
    if (Date.now() > deadline)
      throw new OperatorError(
        `PostgreSQL process ${found.pid} serves ${setup.location.cluster} but does not answer: stop it first.`,
      )
    await sleep(PAUSE_MS)
  }
}

async function approach(found: Postmaster, setup: Setup): Promise<'gone' | 'again'> {
  const alive = await servesCluster(found.pid, setup.location.cluster)
  const session = await openSession(found.socketFolder).catch(codeOrTextOf)
  if (typeof session === 'string') {
    if (!alive) return removeStale(found, setup)
    if (session === NOT_LET_IN) throw new FolderInUse(setup.location, found.pid)
    // It is starting, recovering or stopping, which must not be interrupted.
    return 'again'
  }
  try {
    const lock = await takeLock(session)
    if (lock === 'lost') return 'again'
    // One that answers but is no process here runs in another container, whatever its lock file says.
    if (lock === 'held' || !alive) throw new FolderInUse(setup.location, alive ? found.pid : undefined)
    if (lock === 'left') return 'again'
    setup.log.warn({ pid: found.pid }, 'a PostgreSQL that an earlier Tacho left behind is stopped')
    await stopPostgres(signal => process.kill(found.pid, signal), buried(found.pid, setup.location.cluster))
    await removeItsSocket(found, setup)
    return 'gone'
  } finally {
    await session.close()
  }
}

async function buried(pid: number, cluster: string): Promise<void> {
  while (await servesCluster(pid, cluster)) await sleep(20)
}

async function removeStale(found: Postmaster, setup: Setup): Promise<'gone'> {
  const now = await readPostmaster(setup.location.cluster)
  if (now?.pid === found.pid) await removeLocks(setup.location.cluster)
  await removeItsSocket(found, setup)
  return 'gone'
}

async function removeItsSocket(found: Postmaster, setup: Setup): Promise<void> {
  if (found.socketFolder !== setup.socketFolder) await removeSocketFolder(found.socketFolder)
}
