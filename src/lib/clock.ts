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
