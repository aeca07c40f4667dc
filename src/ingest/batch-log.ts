import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { clientErrorOf } from '../db/faults.ts'
import type { Clock } from '../lib/clock.ts'
import type { Part } from './intake.ts'

/** The lines about one transaction of the intake. */
interface BatchLine {
  committed(): void
  failed(error: unknown): void
}

/** While a disk is full, several batches fail a second, and every sender is told. */
const WARN_EVERY_MS = 10_000
/** Whose submissions a line names. */
const MOST_SENDERS = 50

/** Numbers the batches of this process and logs what became of each, with who sent what is in it. */
export class BatchLog {
  readonly #log: Logger
  readonly #clock: Clock
  /** Two processes, or two lives of one, share no number. */
  readonly #prefix = randomBytes(4).toString('hex')
  #count = 0
  #warnedMs = Number.NEGATIVE_INFINITY
  #untold = 0

  constructor(log: Logger, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  begin(parts: readonly Part[]): BatchLine {
    const batch = `${this.#prefix}-${++this.#count}`
    const startedMs = this.#clock.monotonicMs()
    const about = () => ({
      batch,
      submissions: parts.length,
      samples: parts.reduce((sum, { amount }) => sum + amount, 0),
      ms: Math.round(this.#clock.monotonicMs() - startedMs),
      senders: parts.slice(0, MOST_SENDERS).flatMap(({ submission: { sender } }) => sender ?? []),
    })
    return {
      committed: () => {
        if (this.#log.isLevelEnabled('debug')) this.#log.debug(about(), 'a batch is committed')
      },
      failed: error => this.#failed(error, about()),
    }
  }

  #failed(error: unknown, about: object): void {
    const nowMs = this.#clock.monotonicMs()
    const isOurs = clientErrorOf(error) === undefined
    if (!isOurs && nowMs < this.#warnedMs + WARN_EVERY_MS) {
      this.#untold++
      this.#log.debug({ err: error, ...about }, 'a batch could not be stored')
      return
    }
    this.#log.warn({ err: error, ...about, untold: this.#untold }, 'a batch could not be stored')
    this.#warnedMs = nowMs
    this.#untold = 0
  }
}
