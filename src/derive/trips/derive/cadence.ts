import { DATA_GAP_MS, LONGEST_SILENCE_MS, SAME_MOMENT_MS, SILENT_INTERVALS, UNSEEN_INTERVALS } from './rules.ts'

/** A longer interval is a silence. */
const LONGEST_INTERVAL_MS = LONGEST_SILENCE_MS / SILENT_INTERVALS
/** Steps up and down that balance where three of four intervals are shorter. */
const UP = 1.26
const DOWN = 1.08
/** The step towards intervals less than half as long: the estimate came from a silence. */
const FAR_DOWN = 1.26

/**
 * The usual interval of a dongle while the car drives, after one more interval: three of four intervals are shorter. It depends only
 * on the intervals in the order of time, needs one number, and hardly changes after a single long silence.
 * @param cadenceMs undefined before the first interval
 */
export function cadenceAfter(cadenceMs: number | undefined, intervalMs: number): number {
  const interval = Math.min(intervalMs, LONGEST_INTERVAL_MS)
  if (cadenceMs === undefined) return interval
  if (interval > cadenceMs) return Math.min(interval, cadenceMs * UP)
  return Math.max(interval, cadenceMs / (interval < cadenceMs / 2 ? FAR_DOWN : DOWN))
}

/** What is known about how often a dongle reports. */
interface Habit {
  readonly cadenceMs: number | undefined
  readonly parkedMs: number | undefined
}

/** How long without data until it is unknown whether the car was still driving (decisions.md, *Trips*, silence). */
export function silenceOf({ cadenceMs, parkedMs = 0 }: Habit): number {
  const usualMs = cadenceMs ?? parkedMs
  return Math.max(DATA_GAP_MS, Math.min(LONGEST_SILENCE_MS, Math.round(SILENT_INTERVALS * usualMs)))
}

/**
 * The usual interval of a dongle while the car is parked, after one more interval. It serves as long as no interval of driving is
 * known, because no dongle reports more rarely while driving. Intervals longer than any of driving are ignored.
 */
export function parkedAfter(parkedMs = 0, intervalMs: number): number {
  return Math.max(intervalMs <= LONGEST_INTERVAL_MS ? intervalMs : 0, parkedMs / DOWN)
}

/** Whether a dongle that drives would have reported within such a time; unknown as long as the cadence is. */
export function isSeldom(durationMs: number, cadenceMs: number | undefined): boolean {
  return cadenceMs !== undefined && durationMs > unusualMs(cadenceMs)
}

/** A dongle that drives would have reported within this time. */
export function unusualMs(cadenceMs: number): number {
  return UNSEEN_INTERVALS * cadenceMs + SAME_MOMENT_MS
}
