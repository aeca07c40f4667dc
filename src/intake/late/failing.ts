import type { DeviceId } from '../sample.ts'

const FIRST_PAUSE_MS = 2000
const LONGEST_PAUSE_MS = 300_000

/** Devices that could not be settled: they are tried again after growing pauses, and keep no other one waiting. */
export class Failing {
  readonly #retries = new Map<DeviceId, { readonly atMs: number; readonly pauseMs: number }>()

  /** Those whose pause is not over. */
  resting(): DeviceId[] {
    return [...this.#retries].filter(([, { atMs }]) => performance.now() < atMs).map(([deviceId]) => deviceId)
  }

  succeeded(deviceId: DeviceId): void {
    this.#retries.delete(deviceId)
  }

  failed(deviceId: DeviceId): void {
    const before = this.#retries.get(deviceId)
    const pauseMs = before ? Math.min(before.pauseMs * 2, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS
    this.#retries.set(deviceId, { atMs: performance.now() + pauseMs, pauseMs })
  }
}
