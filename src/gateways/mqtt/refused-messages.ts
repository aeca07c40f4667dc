import type { Logger } from 'pino'
import type { RejectionReason } from '../../db/rejected-frames.ts'
import type { Clock } from '../../lib/clock.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { RejectedFrames } from '../shared/rejected-frames.ts'
import type { Message } from './read-message.ts'

/** A fleet that sends nonsense must not fill the log. */
const LOG_EVERY_MS = 10_000

interface RefusedMessagesOptions {
  readonly rejected: RejectedFrames
  /** The broker's name in log messages. */
  readonly sender: string
  readonly log: Logger
  readonly clock: Clock
}

/** Messages that are dropped for good; some of them are logged. */
export class RefusedMessages {
  readonly #options: RefusedMessagesOptions
  #loggedMs = Number.NEGATIVE_INFINITY
  #untold = 0

  constructor(options: RefusedMessagesOptions) {
    this.#options = options
  }

  /** Keeps a message for inspection. @param why a sentence for the operator */
  keep(message: Message, deviceId: DeviceId | undefined, why: string, reason: RejectionReason): void {
    const { rejected, sender } = this.#options
    rejected.keep({ gateway: 'mqtt', deviceId, sender, reason, why, bytes: message.payload })
    this.#logSome(message, why, 'a message of MQTT was refused; `tacho frames` shows it')
  }

  /** The same for a valid message, of which there may be very many: it is not kept. */
  log(message: Message, why: string): void {
    this.#logSome(message, why, 'a message of MQTT was refused and dropped')
  }

  #logSome({ topic }: Message, why: string, text: string): void {
    const nowMs = this.#options.clock.monotonicMs()
    if (nowMs < this.#loggedMs + LOG_EVERY_MS) {
      this.#untold++
      return
    }
    this.#options.log.warn({ topic, why, untold: this.#untold }, text)
    this.#loggedMs = nowMs
    this.#untold = 0
  }
}
