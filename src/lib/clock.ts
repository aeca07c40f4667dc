/** The time, for whoever decides by it. Tests pass a clock of their own and need not wait. */
export interface Clock {
  /** The time of day in milliseconds since 1970. Operators and time servers set it: it may jump, also backwards. */
  wallMs(): number
  /** Milliseconds since an arbitrary instant. It never jumps: for durations, deadlines and what expires. */
  monotonicMs(): number
  /** Calls back once, after so long. @returns a function that cancels it */
  after(ms: number, callback: () => void): () => void
}

export const SYSTEM_CLOCK: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(ms, callback) {
    // A timer drops fractions of a millisecond: who waits until something is due would wake before it is, to wait for the rest.
    const timer = setTimeout(callback, Math.ceil(ms))
    return () => clearTimeout(timer)
  },
}

/** Resolves after so long, or as soon as the signal aborts: check it afterwards. */
export function pause(ms: number, signal: AbortSignal, clock: Clock = SYSTEM_CLOCK): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = clock.after(ms, end)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}

/** How long to wait between attempts that fail: each time twice as long as the time before, up to a maximum. */
export class Backoff {
  readonly #firstMs: number
  readonly #longestMs: number
  #nextMs: number

  constructor(firstMs: number, longestMs: number) {
    this.#firstMs = firstMs
    this.#longestMs = longestMs
    this.#nextMs = firstMs
  }

  /** The pause after another failed attempt, in milliseconds. @param longestMs less than the maximum, for this attempt */
  next(longestMs: number = this.#longestMs): number {
    const pauseMs = Math.min(this.#nextMs, longestMs)
    this.#nextMs = Math.min(pauseMs * 2, this.#longestMs)
    return pauseMs
  }

  /** An attempt succeeded. */
  reset(): void {
    this.#nextMs = this.#firstMs
  }
}
