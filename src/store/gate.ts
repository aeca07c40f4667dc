import { unavailable } from '../errors.ts'

export interface GateOptions {
  /** How much work runs at once. */
  readonly atOnce: number
  /** How many may wait for their turn. */
  readonly waiting: number
  readonly longestWaitMs: number
}

/** Runs work when it is its turn. @throws ClientError 503 when too many wait already, or the turn came too late. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>

/** Keeps costly work from taking the whole machine, and those who wait for it from piling up. */
export function createGate({ atOnce, waiting, longestWaitMs }: GateOptions): Gate {
  let running = 0
  const queue: (() => void)[] = []

  async function enter(): Promise<void> {
    if (running < atOnce) {
      running++
      return
    }
    if (queue.length >= waiting) throw unavailable('Too many logins at once.', 1)
    const sinceMs = performance.now()
    // Whoever leaves hands its place over, so `running` stays as it is.
    await new Promise<void>(resolve => {
      queue.push(resolve)
    })
    if (performance.now() - sinceMs <= longestWaitMs) return
    leave()
    throw unavailable('Too many logins at once.', 1)
  }

  function leave(): void {
    const next = queue.shift()
    if (next) next()
    else running--
  }

  return async work => {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
