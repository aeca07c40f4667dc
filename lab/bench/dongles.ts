import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { DonglesReport, DonglesTask } from './dongles-process.ts'
import { allDerived, type RunningService } from './running-service.ts'

export interface Dongles {
  /** @returns of each record that was acknowledged meanwhile, how long that took after it was sent */
  measureWhile(work: () => Promise<unknown>): Promise<DonglesReport>
  sendPackets(): Promise<void>
}

export async function withDongles<T>(
  { teltonikaPort: port }: Pick<RunningService, 'teltonikaPort'>,
  task: Omit<DonglesTask, 'port'>,
  work: (dongles: Dongles) => Promise<T>,
): Promise<T> {
  const child = fork(fileURLToPath(new URL('dongles-process.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] })
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('the dongles gave up')))
  failed.catch(() => undefined)
  const answerTo = async (message: DonglesTask | 'send' | 'report'): Promise<unknown> => {
    child.send(message)
    const [answer] = (await Promise.race([once(child, 'message'), failed])) as unknown[]
    return answer
  }
  try {
    await answerTo({ ...task, port })
    const dongles: Dongles = {
      async measureWhile(measured) {
        child.send('measure')
        await measured()
        return (await answerTo('report')) as DonglesReport
      },
      async sendPackets() {
        await answerTo('send')
      },
    }
    return await Promise.race([work(dongles), failed])
  } finally {
    child.kill()
  }
}

interface HalfLoad {
  readonly dongles: number
  readonly recordsPerS: number
  readonly warmUpMs: number
}

export function withLoad<T>(
  service: Pick<RunningService, 'teltonikaPort'>,
  { dongles, recordsPerS, warmUpMs }: HalfLoad,
  work: (load: Dongles) => Promise<T>,
): Promise<T> {
  return withDongles(service, { firstDongle: 0, dongles, everyMs: (dongles * 1000) / recordsPerS }, async load => {
    await sleep(warmUpMs)
    return work(load)
  })
}

/** Packets of each connection before anything is measured: dongles join, partitions are made, code is compiled. */
const WARM_UP_PACKETS = 4

export interface Burst {
  readonly connections: number
  readonly recordsEach: number
  readonly packets: number
}

/** @returns from its first byte until everything is acknowledged, and until it is derived */
export async function sendBurst(
  service: RunningService,
  { connections, recordsEach, packets }: Burst,
  between: (startMs: number) => Promise<unknown> = async () => undefined,
): Promise<{ readonly ackedMs: number; readonly derivedMs: number }> {
  // Up to now, so that the cars are on the road.
  const startMs = Date.now() - (WARM_UP_PACKETS + packets) * recordsEach * 1000
  const send = (count: number, firstStep: number) =>
    withDongles(
      service,
      { firstDongle: 0, dongles: connections, packets: { count, recordsEach, startMs, firstStep } },
      async dongles => {
        const startedMs = performance.now()
        await dongles.sendPackets()
        const ackedMs = performance.now() - startedMs
        await allDerived(service)
        return { ackedMs, derivedMs: performance.now() - startedMs }
      },
    )
  await send(WARM_UP_PACKETS, 0)
  await between(startMs)
  return send(packets, WARM_UP_PACKETS * recordsEach)
}

/** The most records a second that the machine takes, of dongles that send one as soon as the one before is acknowledged. */
export async function fullRecordsPerS(service: RunningService, dongles: number): Promise<number> {
  const packets = 60
  const { derivedMs } = await sendBurst(service, { connections: dongles, recordsEach: 1, packets })
  return (dongles * packets * 1000) / derivedMs
}
