import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { OrdinaryReport, OrdinaryTask } from './ordinary-dongles.ts'
import type { RunningService } from './running-service.ts'

interface Load {
  readonly dongles: number
  readonly recordsPerS: number
  readonly warmUpMs: number
}

/** Dongles that send at an even pace, in a process of their own. */
interface RunningLoad {
  /** @returns how long each record waited for its acknowledgement that got it meanwhile */
  measureWhile(work: () => Promise<unknown>): Promise<readonly number[]>
}

/** Works while dongles send so much. */
export async function withHalfLoad<T>(
  { teltonikaPort: port }: Pick<RunningService, 'teltonikaPort'>,
  { dongles, recordsPerS, warmUpMs }: Load,
  work: (load: RunningLoad) => Promise<T>,
): Promise<T> {
  const child = fork(fileURLToPath(new URL('ordinary-dongles.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] })
  try {
    const task: OrdinaryTask = { port, firstDongle: 0, dongles, everyMs: (dongles * 1000) / recordsPerS }
    child.send(task)
    if ((await told(child)) !== 'ready') throw new Error('the dongles could not log in')
    await sleep(warmUpMs)
    return await work({
      async measureWhile(measured) {
        child.send('measure')
        await measured()
        child.send('report')
        return ((await told(child)) as OrdinaryReport).waitsMs
      },
    })
  } finally {
    child.kill()
  }
}

async function told(child: ChildProcess): Promise<unknown> {
  const gone = once(child, 'exit').then(() => Promise.reject(new Error('the dongles gave up')))
  gone.catch(() => undefined)
  const [message] = (await Promise.race([once(child, 'message'), gone])) as unknown[]
  return message
}
