import type { Logger } from 'pino'

const REPEAT_AFTER_MS = 5 * 60_000

/** Logs problems with the broker: once, however many connections have them, and again after some minutes. */
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

  /** A connection works again: new problems are logged at once. */
  forget(): void {
    this.#reportedMs.clear()
  }
}
