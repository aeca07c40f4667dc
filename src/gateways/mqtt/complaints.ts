import type { Logger } from 'pino'

const REPEAT_AFTER_MS = 5 * 60_000

/** Tells the operator what is wrong with the broker: once, however many connections find it, and again after minutes. */
export class Complaints {
  readonly #broker: string
  readonly #log: Logger
  readonly #reportedMs = new Map<string, number>()

  /** @param broker its address without the password */
  constructor(broker: string, log: Logger) {
    this.#broker = broker
    this.#log = log
  }

  report(why: string): void {
    const nowMs = performance.now()
    for (const [earlier, reportedMs] of this.#reportedMs)
      if (nowMs > reportedMs + REPEAT_AFTER_MS) this.#reportedMs.delete(earlier)
    if (this.#reportedMs.has(why)) return
    this.#reportedMs.set(why, nowMs)
    this.#log.warn({ broker: this.#broker, why }, 'no connection to the MQTT broker; it will be tried again')
  }

  /** A connection works again: what goes wrong from now on is news. */
  forget(): void {
    this.#reportedMs.clear()
  }
}
