import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import { type Clock, pause, SYSTEM_CLOCK } from '../lib/clock.ts'
import type { WaitingWork } from './waiting-work.ts'

type Job = () => Promise<void>

interface BackgroundJobsOptions {
  readonly log: Logger
  readonly failures: JobFailures
  readonly clock: Clock
}

/** A start first works off whatever came in while the process was away. */
const FIRST_CHORES_AFTER_S = 60

/** Jobs that run again and again. One that fails is logged, counts as failing, and is tried again; the others go on. */
export class BackgroundJobs {
  readonly #stop = new AbortController()
  readonly #running: Promise<void>[] = []
  readonly #options: BackgroundJobsOptions

  constructor(options: BackgroundJobsOptions) {
    this.#options = options
    // Every pausing job adds a listener.
    setMaxListeners(0, this.#stop.signal)
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** Runs at once for the first time. @param intervalS from the end of a run to the next one */
  every(intervalS: number, name: string, job: Job): void {
    this.#repeat(name, job, () => this.#pause(intervalS))
  }

  /** For what nobody waits for: the same, but a start of the process does not wait for it either. */
  everyNowAndThen(intervalS: number, name: string, job: Job): void {
    this.#repeat(name, job, () => this.#pause(intervalS), this.#pause(FIRST_CHORES_AFTER_S))
  }

  /** A job that failed is tried again even if nothing waits any more, and counts as failing. */
  whenWaiting<Kind extends string>(waiting: WaitingWork<Kind>, kind: Kind, name: string, job: Job): void {
    const rest = (hasFailed: boolean) => (hasFailed ? waiting.nextLook() : waiting.next(kind))
    this.#repeat(name, job, rest, waiting.next(kind))
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
  }

  #pause(seconds: number): Promise<void> {
    return pause(seconds * 1000, this.signal, this.#options.clock)
  }

  #repeat(name: string, job: Job, rest: (hasFailed: boolean) => Promise<void>, begin?: Promise<void>): void {
    const repeat = async () => {
      if (begin) await begin
      while (!this.signal.aborted) await rest(!(await this.#succeeds(name, job)))
    }
    this.#running.push(repeat())
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

export interface FailingJob {
  readonly name: string
  readonly since: string
  readonly failures: number
}

export class JobFailures {
  readonly #clock: Clock
  readonly #observe: (name: string) => void
  readonly #failing = new Map<string, FailingJob>()

  constructor(observe: (name: string) => void = () => undefined, clock: Clock = SYSTEM_CLOCK) {
    this.#observe = observe
    this.#clock = clock
  }

  get failing(): readonly FailingJob[] {
    return [...this.#failing.values()]
  }

  succeeded(name: string): void {
    this.#failing.delete(name)
  }

  failed(name: string): void {
    const { since = new Date(this.#clock.wallMs()).toISOString(), failures = 0 } = this.#failing.get(name) ?? {}
    this.#failing.set(name, { name, since, failures: failures + 1 })
    this.#observe(name)
  }
}
