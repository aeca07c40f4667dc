import type { Logger } from 'pino'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'

const LOG_EVERY_MS = 60_000

/** Observes the refolding of histories, for metrics. */
export interface RefoldObserver {
  /** Devices whose history is not yet folded by the rules of this program, and those of them that failed. */
  waiting(devices: number, failed: number): void
  /** How long a transaction took that wrote a stretch. */
  written(seconds: number): void
}

/** Logs how many histories have been refolded. It lives as long as the process, so that nothing is logged twice. */
export class RefoldProgress {
  readonly #log: Logger
  readonly #clock: Clock
  #devices = 0
  #left = 0
  #loggedLeft: number | undefined
  #loggedMs = 0

  constructor(log: Logger, clock: Clock = SYSTEM_CLOCK) {
    this.#log = log
    this.#clock = clock
  }

  /** @param devices all that have a history @param left those of them that are to be folded again */
  begin(devices: number, left: number): void {
    this.#devices = devices
    this.#left = left
    if (this.#loggedLeft !== undefined) return
    this.#noteLogged()
    this.#log.info(
      { devices, left },
      `trips are worked out by newer rules than before: the history of ${text(left)} of ${text(devices)} devices is folded again in the background`,
    )
  }

  /** @param left devices whose history is still to be folded again */
  left(left: number): void {
    this.#left = left
  }

  /** Logs the progress now and then. @param deviceId the current one */
  logNowAndThen(deviceId: number): void {
    if (this.#clock.monotonicMs() - this.#loggedMs >= LOG_EVERY_MS) this.#logLeft({ deviceId })
  }

  /** There is nothing more to do for now. */
  end(): void {
    if (this.#loggedLeft !== undefined && this.#left !== this.#loggedLeft) this.#logLeft({})
  }

  #logLeft(at: { readonly deviceId?: number }): void {
    this.#noteLogged()
    const [devices, left] = [this.#devices, this.#left]
    this.#log.info({ devices, left, ...at }, `folded again ${text(devices - left)} of ${text(devices)} devices`)
  }

  #noteLogged(): void {
    this.#loggedLeft = this.#left
    this.#loggedMs = this.#clock.monotonicMs()
  }
}

function text(count: number): string {
  return count.toLocaleString('en-US')
}
