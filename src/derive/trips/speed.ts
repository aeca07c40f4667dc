import type { Reading } from './reading.ts'
import { SPEED_READING_MS, STANDSTILL_KMH } from './rules.ts'

/** The speed that the car itself reports, summed up. */
export interface Speed {
  readonly kmh: number | undefined
  readonly timeMs: number
  /** Metres since the last new fix, and for how long the car was known to drive. */
  readonly blindM: number
  readonly blindMs: number
  /** Metres since the trip began. */
  readonly drivenM: number
}

export const NO_SPEED: Speed = { kmh: undefined, timeMs: 0, blindM: 0, blindMs: 0, drivenM: 0 }

/** The sum after a reading of speed, by the trapezoidal rule. */
export function speedAfter(before: Speed, reading: Reading): Speed {
  const kmh = reading.meanSpeedKmh
  if (kmh === undefined) return before
  const durationMs = reading.timeMs - before.timeMs
  if (before.kmh === undefined || durationMs > SPEED_READING_MS) return { ...before, kmh, timeMs: reading.timeMs }
  const meanKmh = (before.kmh + kmh) / 2
  const metres = (meanKmh * durationMs) / 3600
  return {
    kmh,
    timeMs: reading.timeMs,
    blindM: before.blindM + metres,
    blindMs: before.blindMs + (meanKmh > STANDSTILL_KMH ? durationMs : 0),
    drivenM: before.drivenM + metres,
  }
}

/** The sum begins anew, at a new fix. */
export function withFix(speed: Speed): Speed {
  return speed.blindM === 0 && speed.blindMs === 0
    ? speed
    : { kmh: speed.kmh, timeMs: speed.timeMs, blindM: 0, blindMs: 0, drivenM: speed.drivenM }
}
