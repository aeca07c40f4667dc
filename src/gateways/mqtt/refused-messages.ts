import type { Logger } from 'pino'
import type { RejectedFrames } from '../../intake/rejected-frames.ts'
import type { DeviceId } from '../../intake/sample.ts'
import type { Message } from './read-message.ts'

/** A fleet that sends nonsense must not fill the log. */
const LOG_EVERY_MS = 10_000

export interface RefusedMessagesOptions {
  readonly rejected: RejectedFrames
  /** The broker, as messages of the log name it. */
  readonly sender: string
  readonly log: Logger
}

/** Messages that are acknowledged and not stored: each is kept for inspection, and the log tells of some. */
export class RefusedMessages {
  readonly #options: RefusedMessagesOptions
  #loggedMs = Number.NEGATIVE_INFINITY
  #untold = 0

  constructor(options: RefusedMessagesOptions) {
    this.#options = options
  }

  /** @param why a sentence for the operator */
  keep({ topic, payload }: Message, deviceId: DeviceId | undefined, why: string): void {
    const { rejected, sender, log } = this.#options
    rejected.keep({ gateway: 'mqtt', deviceId, sender, why, bytes: payload })
    if (performance.now() < this.#loggedMs + LOG_EVERY_MS) {
      this.#untold++
      return
    }
    log.warn({ topic, why, untold: this.#untold }, 'a message of MQTT was refused; `tacho frames` shows it')
    this.#loggedMs = performance.now()
    this.#untold = 0
  }
}
