import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'

/** A background job whose last run failed. */
export interface FailingJob {
  readonly name: string
  /** Since when every run fails, as an instant. */
  readonly since: string
  /** How many runs in a row have failed. */
  readonly failures: number
}

/** Which background jobs fail at the moment. */
export class JobFailures {
  readonly #clock: Clock
  readonly #observe: (name: string) => void
  readonly #failing = new Map<string, FailingJob>()

  /** @param observe told of each failure */
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
