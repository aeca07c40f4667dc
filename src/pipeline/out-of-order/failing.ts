import type { DeviceId } from '../../model/sample.ts'

const FIRST_PAUSE_MS = 2000
const LONGEST_PAUSE_MS = 300_000
/** A disk that was full has room again, and then everything is reconciled within seconds. */
const LONGEST_PASSING_PAUSE_MS = 10_000

/** Devices that could not be reconciled: they are tried again after growing pauses, and keep no other one waiting. */
export class Failing {
  readonly #retries = new Map<DeviceId, { readonly atMs: number; readonly pauseMs: number }>()

  /** How many there are. */
  get count(): number {
    return this.#retries.size
  }

  /** Devices whose pause is not over. */
  resting(): DeviceId[] {
    return [...this.#retries].filter(([, { atMs }]) => performance.now() < atMs).map(([deviceId]) => deviceId)
  }

  succeeded(deviceId: DeviceId): void {
    this.#retries.delete(deviceId)
  }

  /** @param isPassing whether the error is a transient one of the database */
  failed(deviceId: DeviceId, isPassing: boolean): void {
    const before = this.#retries.get(deviceId)
    const longestMs = isPassing ? LONGEST_PASSING_PAUSE_MS : LONGEST_PAUSE_MS
    const pauseMs = before ? Math.min(before.pauseMs * 2, longestMs) : FIRST_PAUSE_MS
    this.#retries.set(deviceId, { atMs: performance.now() + pauseMs, pauseMs })
  }
}
