import type { FastifyRateLimitStore } from '@fastify/rate-limit'
import type { Clock } from '../lib/clock.ts'

interface Window {
  readonly endsMs: number
  count: number
}

/**
 * Counts requests in this process. The plugin's own store gives every request of a key the same object, so requests that
 * arrived together all got the count of the last one, and all were refused when only that one was too many.
 */
export class LocalCounts implements FastifyRateLimitStore {
  readonly #clock: Clock
  /** By key or user; bounded by the number that the service has issued. */
  readonly #windows = new Map<string, Window>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  incr(
    key: string,
    callback: (error: Error | null, result?: { current: number; ttl: number }) => void,
    windowMs: number,
  ): void {
    const nowMs = this.#clock.monotonicMs()
    const known = this.#windows.get(key)
    const window = known && known.endsMs > nowMs ? known : { endsMs: nowMs + windowMs, count: 0 }
    window.count++
    this.#windows.set(key, window)
    callback(null, { current: window.count, ttl: window.endsMs - nowMs })
  }

  child(): LocalCounts {
    return this
  }
}
