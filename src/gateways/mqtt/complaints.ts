import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'

const REPEAT_AFTER_MS = 5 * 60_000

/** Logs problems with the broker: once, however many connections have them, and again after some minutes. */
export class Complaints {
  readonly #broker: string
  readonly #log: Logger
  readonly #clock: Clock
  readonly #reportedMs = new Map<string, number>()

  /** @param broker its address without the password */
  constructor(broker: string, log: Logger, clock: Clock) {
    this.#broker = broker
    this.#log = log
    this.#clock = clock
  }

  report(why: string): void {
    const nowMs = this.#clock.monotonicMs()
    for (const [earlier, reportedMs] of this.#reportedMs)
      if (nowMs > reportedMs + REPEAT_AFTER_MS) this.#reportedMs.delete(earlier)
    if (this.#reportedMs.has(why)) return
    this.#reportedMs.set(why, nowMs)
    this.#log.warn({ broker: this.#broker, why }, 'no connection to the MQTT broker; it will be tried again')
  }

  /** A connection works again: new problems are logged at once. */
  forget(): void {
    this.#reportedMs.clear()
  }
}
