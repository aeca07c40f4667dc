import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { BenchResult } from './result.ts'
import type { RunningService } from './running-service.ts'
import type { IdleTask } from './teltonika-idlers.ts'

const CONNECTIONS = 10_000
const LIMIT_BYTES = 300 * 1024 * 1024
/** Files and sockets of a process besides its connections. */
const OTHER_FILES = 200
/** For memory that was needed only to log in and to store the packets. */
const SETTLE_MS = 10_000

/** The memory of the intake process while 10,000 dongles that have reported are connected and idle. */
export async function benchTeltonikaIdle(service: RunningService): Promise<BenchResult> {
  const connections = Math.min(CONNECTIONS, (await mostFiles()) - OTHER_FILES)
  const before = await service.residentBytes('intake')
  const child = fork(fileURLToPath(new URL('teltonika-idlers.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] })
  const task: IdleTask = { port: service.teltonikaPort, connections, atMs: Date.now() }
  child.send(task)
  const [news] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[]
  if (news !== 'idle') throw new Error('the dongles could not connect')
  await sleep(SETTLE_MS)
  const after = await service.residentBytes('intake')
  child.kill()
  await once(child, 'exit')
  const grownBytes = after - before
  const bytes = before + (grownBytes / connections) * CONNECTIONS
  const megabytes = (count: number) => `${Math.round(count / 1024 / 1024)} MB`
  return {
    name: 'Teltonika TCP, 10,000 idle connections',
    measured:
      `${megabytes(bytes)} resident in the intake process, ${megabytes(before)} before they came` +
      (connections < CONNECTIONS ? `, reckoned from ${connections}, because of ulimit -n` : ''),
    against: megabytes(LIMIT_BYTES),
    ratio: bytes / LIMIT_BYTES,
    target: { atMost: 1 },
  }
}

/** How many files a process may open; Node takes as many as it is allowed to. */
async function mostFiles(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, most = ''] = /^Max open files\s+\S+\s+(\d+)/m.exec(limits) ?? []
  return most === '' ? Number.POSITIVE_INFINITY : Number(most)
}
