import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../../store/database.ts'
import { deriveLanes } from './derive-lanes.ts'

/** What follows from a sample waits so long at least while a burst lasts: the more come together, the less each costs. */
const WAITS_MS = 4000
/** Beyond this, the memory that they take counts more. */
const MOST_WAITING = 200_000
/** Derived together between two batches, so that no sender waits long. */
const LANES_AT_ONCE = 2
/** Nothing came for so long: the burst is over. */
const QUIET_MS = 50
const RETRY_MS = 1000

export interface WaitingWorkOptions {
  readonly database: Database
  readonly log: Logger
}

/** Decides when what waits is derived. */
export class WaitingWork {
  readonly #options: WaitingWorkOptions
  #quiet: Promise<void> | undefined
  #isFinishing = false

  constructor(options: WaitingWorkOptions) {
    this.#options = options
  }

  /** Nothing more may wait until some of what does is derived. */
  get isFull(): boolean {
    return this.#options.database.waiting.count > MOST_WAITING
  }

  /** Derives what has waited long enough, or too much of what waits. */
  async betweenBatches(): Promise<void> {
    const { waiting } = this.#options.database
    const nowMs = performance.now()
    const due = waiting.lanes.filter(({ oldestMs }) => this.isFull || nowMs - oldestMs > WAITS_MS)
    if (due.length > 0) await this.#derive(due.slice(0, LANES_AT_ONCE).map(({ lane }) => lane))
  }

  /** Derives all that waits as soon as nothing came for a moment. @param isQuiet whether nothing has come until then */
  whenQuiet(isQuiet: () => boolean): void {
    if (this.#isFinishing || this.#options.database.waiting.lanes.length === 0) return
    this.#quiet ??= this.#deriveWhileQuiet(isQuiet).finally(() => {
      this.#quiet = undefined
      // More may have come, and ceased, just before.
      if (isQuiet()) this.whenQuiet(isQuiet)
    })
  }

  /** Derives all that waits; without a database, it is left to whoever finds it. */
  async finish(): Promise<void> {
    this.#isFinishing = true
    await this.#quiet
    const { waiting } = this.#options.database
    for (const { lane } of waiting.lanes) if (!(await this.#derive([lane]))) return
  }

  async #deriveWhileQuiet(isQuiet: () => boolean): Promise<void> {
    const { waiting } = this.#options.database
    await sleep(QUIET_MS)
    while (isQuiet() && !this.#isFinishing && waiting.lanes.length > 0) {
      const isDone = await this.#derive(waiting.lanes.slice(0, LANES_AT_ONCE).map(({ lane }) => lane))
      if (!isDone && !this.#isFinishing) await sleep(RETRY_MS)
    }
  }

  /** @returns false when the database can not do it now; then it is tried again. */
  async #derive(lanes: readonly number[]): Promise<boolean> {
    const ascending = [...lanes].sort((a, b) => a - b)
    try {
      await deriveLanes(this.#options.database, ascending, this.#options.log)
      return true
    } catch (error) {
      this.#options.log.warn({ err: error }, 'what waits could not be derived; it will be tried again')
      return false
    }
  }
}
