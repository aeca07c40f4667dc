import { Backoff, type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import type { DeviceId } from '../model/sample.ts'

const FIRST_PAUSE_MS = 2000
const LONGEST_PAUSE_MS = 300_000
/** A disk that was full has room again, and then everything is reconciled within seconds. */
const LONGEST_PASSING_PAUSE_MS = 10_000

/** Devices that could not be reconciled: they are tried again after growing pauses, and keep no other one waiting. */
export class Failing {
  readonly #clock: Clock
  readonly #retries = new Map<DeviceId, { readonly atMs: number; readonly backoff: Backoff }>()

  constructor(clock: Clock = SYSTEM_CLOCK) {
    this.#clock = clock
  }

  get count(): number {
    return this.#retries.size
  }

  /** Devices whose pause is not over. */
  resting(): DeviceId[] {
    return [...this.#retries].filter(([, { atMs }]) => this.#clock.monotonicMs() < atMs).map(([deviceId]) => deviceId)
  }

  succeeded(deviceId: DeviceId): void {
    this.#retries.delete(deviceId)
  }

  /** @param isPassing whether the error is a transient one of the database */
  failed(deviceId: DeviceId, isPassing: boolean): void {
    const backoff = this.#retries.get(deviceId)?.backoff ?? new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
    const pauseMs = backoff.next(isPassing ? LONGEST_PASSING_PAUSE_MS : LONGEST_PAUSE_MS)
    this.#retries.set(deviceId, { atMs: this.#clock.monotonicMs() + pauseMs, backoff })
  }
}
