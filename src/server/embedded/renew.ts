import { setTimeout as sleep } from 'node:timers/promises'
import { Backoff, pause } from '../../lib/clock.ts'
import { type Claim, claim } from './claim.ts'
import { openSession, takeLock } from './session.ts'
import { FolderInUse, PAUSE_MS, type Setup } from './setup.ts'

const LONGEST_PAUSE_MS = 10_000

/**
 * Restores what was lost: the server, or only our session while PostgreSQL runs on. Retries until it succeeds or `stopping`.
 * @throws FolderInUse when another Tacho was faster.
 */
export async function renew(lost: Claim, setup: Setup, stopping: AbortSignal): Promise<Claim> {
  const session = await reopenSession(lost, setup)
  if (session) return { server: lost.server, session }
  setup.log.error({ pid: lost.server.pid }, 'PostgreSQL has died and is started again')
  const backoff = new Backoff(PAUSE_MS, LONGEST_PAUSE_MS)
  while (!stopping.aborted) {
    try {
      const renewed = await claim(setup)
      setup.log.info({ pid: renewed.server.pid }, 'PostgreSQL runs again')
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
    if (lock === 'held') throw new FolderInUse(setup.location, lost.server.pid)
  }
}
