import { performance } from 'node:perf_hooks'

const WINDOW_MS = 1000

/** Measures how busy this process is. @returns a function for the share, from 0 to 1, of the last second or so */
export function watchBusyShare(): () => number {
  let begin = performance.eventLoopUtilization()
  let begunMs = performance.now()
  let share = 0
  return () => {
    if (performance.now() - begunMs < WINDOW_MS) return share
    const now = performance.eventLoopUtilization()
    share = performance.eventLoopUtilization(now, begin).utilization
    begin = now
    begunMs = performance.now()
    return share
  }
}
