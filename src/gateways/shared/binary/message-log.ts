import type { Logger } from 'pino'
import { type Clock, SYSTEM_CLOCK } from '../../../lib/clock.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { DeviceMessage } from './protocol.ts'

/** Answers to commands come one by one; a device that sends more must not fill the disk with the log. */
const MOST_A_SECOND = 20
const MOST_CHARACTERS = 1000

/** Logs text messages of devices, such as answers to commands. */
export class MessageLog {
  readonly #log: Logger
  readonly #clock: Clock
  #secondStartMs = Number.NEGATIVE_INFINITY
  #toldInSecond = 0
  #untold = 0

  constructor(log: Logger, clock: Clock = SYSTEM_CLOCK) {
    this.#log = log
    this.#clock = clock
  }

  log(deviceId: DeviceId, messages: readonly DeviceMessage[]): void {
    for (const { fields, text } of messages) {
      if (!this.#hasRoom()) {
        this.#untold++
        continue
      }
      const untold = this.#untold === 0 ? {} : { untold: this.#untold }
      this.#log.info({ deviceId, ...fields, text: text.slice(0, MOST_CHARACTERS), ...untold }, 'a message of a device')
      this.#untold = 0
    }
  }

  #hasRoom(): boolean {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs > this.#secondStartMs + 1000) {
      this.#secondStartMs = nowMs
      this.#toldInSecond = 0
    }
    return this.#toldInSecond++ < MOST_A_SECOND
  }
}
