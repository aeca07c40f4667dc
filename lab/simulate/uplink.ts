import type { DeviceId, Sample } from '../../src/model/sample.ts'

/** The connection of one dongle to the service. */
export interface Uplink {
  /**
   * Sends samples of its dongle, again and again until they are acknowledged: the buffer of a dongle is its queue.
   * @returns those that were acknowledged: all that can be sent this way; undefined when the service does not take this dongle.
   * @throws OperatorError when nothing can be sent this way at all; another error when `Uplinks.cut` ended it.
   */
  send(samples: readonly Sample[]): Promise<readonly Sample[] | undefined>
}

/** One protocol, to one address. */
export interface Uplinks {
  of(deviceId: DeviceId): Uplink
  /** Ends every connection. What was sent and not acknowledged fails. */
  cut(): Promise<void>
}

export interface UplinkOptions {
  /** Aborts when nothing more is tried again; what is on its way may still be acknowledged. */
  readonly signal: AbortSignal
  /** Something did not work and is tried again. */
  readonly onTrouble: (why: string) => void
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

/** How long to wait after so many failures in a row, with jitter so that a fleet does not reconnect at one instant. */
export function pauseMs(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 10), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2)
}
