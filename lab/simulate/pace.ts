import { pause } from '../../src/lib/clock.ts'

/** The time in the simulated world. */
export interface Pace {
  nowMs(): number
  /** Returns when it is that time, or when the signal aborts. */
  until(timeMs: number, signal: AbortSignal): Promise<void>
}

/** Timers of Node are limited to 2^31 ms. */
const LONGEST_SLEEP_MS = 3_600_000

/**
 * Simulated time never overtakes the clock, because a dongle can not measure the future. Without `speedup` the whole past is due at
 * once; with it, time runs that much faster from `fromMs` on until it reaches the clock.
 */
export function paceOf({ fromMs, speedup }: { readonly fromMs: number; readonly speedup: number | undefined }): Pace {
  const begunMs = Date.now()
  const nowMs = () => {
    const clockMs = Date.now()
    return speedup === undefined ? clockMs : Math.min(clockMs, fromMs + (clockMs - begunMs) * speedup)
  }
  return {
    nowMs,
    async until(timeMs, signal) {
      while (!signal.aborted) {
        const clockMs = Date.now()
        // Due when both the clock and the simulated time have reached it.
        const aheadMs = Math.max(
          timeMs - clockMs,
          speedup === undefined ? 0 : (timeMs - fromMs) / speedup - (clockMs - begunMs),
        )
        if (aheadMs <= 0) return
        await pause(Math.min(Math.ceil(aheadMs), LONGEST_SLEEP_MS), signal)
      }
    },
  }
}
