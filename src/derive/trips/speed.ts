import type { Reading } from './reading.ts'
import { SPEED_READING_MS, STANDSTILL_KMH } from './rules.ts'

/** The speed that the car itself reports, summed up. Changed in place by each reading. */
export interface Speed {
  kmh: number | undefined
  timeMs: number
  /** Metres since the last new fix, and for how long the car was known to drive. */
  blindM: number
  blindMs: number
  /** Metres since the trip began. */
  drivenM: number
}

export function noSpeed(): Speed {
  return { kmh: undefined, timeMs: 0, blindM: 0, blindMs: 0, drivenM: 0 }
}

/** Adds what was driven since the reading of speed before, by the trapezoidal rule. */
export function addSpeed(speed: Speed, { timeMs, meanSpeedKmh: kmh }: Reading): void {
  if (kmh === undefined) return
  const { kmh: kmhBefore } = speed
  const durationMs = timeMs - speed.timeMs
  speed.kmh = kmh
  speed.timeMs = timeMs
  if (kmhBefore === undefined || durationMs > SPEED_READING_MS) return
  const meanKmh = (kmhBefore + kmh) / 2
  const metres = (meanKmh * durationMs) / 3600
  speed.blindM += metres
  if (meanKmh > STANDSTILL_KMH) speed.blindMs += durationMs
  speed.drivenM += metres
}

/** The sum since the last fix begins anew, at a new one. */
export function startAtFix(speed: Speed): void {
  speed.blindM = 0
  speed.blindMs = 0
}
