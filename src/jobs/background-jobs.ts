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

/** What a process has time for once it has started, and works off what came in while it was away. */
const FIRST_CHORES_AFTER_S = 60

/**
 * Jobs that run again and again until all of them are stopped. One that fails is logged, counts as failing, and is tried again; the
 * others go on.
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

  /**
   * Runs at once for the first time.
   * @param intervalS from the end of a run to the next one
   */
  every(intervalS: number, name: string, job: Job): void {
    this.#start(name, job, () => this.#pause(intervalS))
  }

  /** For what nobody waits for: the same, but a start of the process does not wait for it either. */
  everyNowAndThen(intervalS: number, name: string, job: Job): void {
    this.#start(name, job, () => this.#pause(intervalS), this.#pause(FIRST_CHORES_AFTER_S))
  }

  /**
   * For what only commits give something to do. What failed is tried again even if nothing waits any more: it counts as failing
   * until then.
   */
  whenWaiting<Kind extends string>(waiting: WaitingWork<Kind>, kind: Kind, name: string, job: Job): void {
    const rest = (hasFailed: boolean) => (hasFailed ? waiting.nextLook() : waiting.next(kind))
    this.#start(name, job, rest, waiting.next(kind))
  }

  /** Resolves when no job runs any more. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
  }

  #pause(seconds: number): Promise<void> {
    return pause(seconds * 1000, this.signal, this.#options.clock)
  }

  #start(name: string, job: Job, rest: (hasFailed: boolean) => Promise<void>, begin?: Promise<void>): void {
    this.#running.push(this.#repeat(name, job, rest, begin))
  }

  async #repeat(
    name: string,
    job: Job,
    rest: (hasFailed: boolean) => Promise<void>,
    begin: Promise<void> | undefined,
  ): Promise<void> {
    if (begin) await begin
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
