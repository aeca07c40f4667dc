import type { FastifyRateLimitStore } from '@fastify/rate-limit'

interface Window {
  readonly endsMs: number
  count: number
}

/**
 * Counts requests in this process. The plugin's own store gives every request of a key the same object, so those that
 * arrive together were all told the count of the last one, and refused when only that was too many.
 */
export class LocalCounts implements FastifyRateLimitStore {
  /** By key or user; there are no more of them than the service has issued. */
  readonly #windows = new Map<string, Window>()

  incr(
    key: string,
    callback: (error: Error | null, result?: { current: number; ttl: number }) => void,
    windowMs: number,
  ): void {
    const nowMs = Date.now()
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
