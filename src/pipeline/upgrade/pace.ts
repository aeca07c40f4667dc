import { setTimeout as sleep } from 'node:timers/promises'

/** Work takes a quarter of the time at most, and hardly any while there is more urgent work. */
const RESTS_PER_WORK = 3
const RESTS_PER_WORK_BUSY = 30
/** Whatever one piece of work took. */
const LONGEST_REST_MS = 10_000

/** Keeps work in the background from taking the time of what somebody waits for. */
export interface Pace {
  /** Rests in proportion to the work that was done since the last rest. Over at once when everything stops. */
  restAfter(workedMs: number): Promise<void>
}

/** @param isBusy whether this process has more urgent things to do at the moment */
export function lowPriority(isBusy: () => boolean, signal: AbortSignal): Pace {
  return {
    async restAfter(workedMs) {
      const restMs = Math.min(LONGEST_REST_MS, workedMs * (isBusy() ? RESTS_PER_WORK_BUSY : RESTS_PER_WORK))
      await sleep(restMs, undefined, { signal }).catch(() => undefined)
    },
  }
}
