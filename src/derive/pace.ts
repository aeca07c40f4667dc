import { pause } from '../lib/clock.ts'

/** Work takes at most a quarter of the time, and hardly any while there is more urgent work. */
const RESTS_PER_WORK = 3
const RESTS_PER_WORK_BUSY = 30
/** The longest rest, however long one piece of work took. */
const LONGEST_REST_MS = 10_000

/** Slows down background work in favour of work that clients wait for. */
export interface Pace {
  /** Rests in proportion to the work done since the last rest. Returns at once when the process stops. */
  restAfter(workedMs: number): Promise<void>
}

/** @param isBusy whether this process has more urgent things to do at the moment */
export function lowPriority(isBusy: () => boolean, signal: AbortSignal): Pace {
  return {
    async restAfter(workedMs) {
      const restMs = Math.min(LONGEST_REST_MS, workedMs * (isBusy() ? RESTS_PER_WORK_BUSY : RESTS_PER_WORK))
      await pause(restMs, signal)
    },
  }
}
