import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import { type Clock, pause } from '../lib/clock.ts'
import type { JobFailures } from './job-failures.ts'
import type { WaitingWork } from './waiting-work.ts'

type Job = () => Promise<void>

interface BackgroundJobsOptions {
  readonly log: Logger
  readonly failures: JobFailures
  readonly clock: Clock
}

/**
 * Jobs that run at once, and then again and again until all of them are stopped. One that fails is logged, counts as failing, and is
 * tried again; the others go on.
 */
export class BackgroundJobs {
  readonly #stop = new AbortController()
  readonly #running: Promise<void>[] = []
  readonly #options: BackgroundJobsOptions

  constructor(options: BackgroundJobsOptions) {
    this.#options = options
    // Every pausing job adds a listener.
    setMaxListeners(0, this.#stop.signal)
  }

  /** Aborted when the jobs have to end. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** @param intervalS from the end of a run to the next one */
  every(intervalS: number, name: string, job: Job): void {
    this.#start(name, job, () => pause(intervalS * 1000, this.signal, this.#options.clock))
  }

  /**
   * For what only commits give something to do. What failed is tried again even if nothing waits any more: it counts as failing
   * until then.
   */
  whenWaiting<Kind extends string>(waiting: WaitingWork<Kind>, kind: Kind, name: string, job: Job): void {
    this.#start(name, job, hasFailed => (hasFailed ? waiting.nextLook() : waiting.next(kind)))
  }

  /** Resolves when no job runs any more. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
  }

  #start(name: string, job: Job, rest: (hasFailed: boolean) => Promise<void>): void {
    this.#running.push(this.#repeat(name, job, rest))
  }

  async #repeat(name: string, job: Job, rest: (hasFailed: boolean) => Promise<void>): Promise<void> {
    while (!this.signal.aborted) await rest(!(await this.#succeeds(name, job)))
  }

  async #succeeds(name: string, job: Job): Promise<boolean> {
    const { failures, log } = this.#options
    try {
      await job()
      failures.succeeded(name)
      return true
    } catch (error) {
      failures.failed(name)
      log.warn({ err: error, job: name }, `${name} failed; it will be tried again`)
      return false
    }
  }
}
