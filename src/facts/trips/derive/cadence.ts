import { DATA_GAP_MS, LONGEST_SILENCE_MS, SAME_MOMENT_MS, SILENT_INTERVALS, UNSEEN_INTERVALS } from './rules.ts'

/** Longer is no interval of a dongle but a silence. */
const LONGEST_INTERVAL_MS = LONGEST_SILENCE_MS / SILENT_INTERVALS
/** Steps up and down whose balance is where three of four intervals are shorter. */
const UP = 1.26
const DOWN = 1.08
/** Towards intervals less than half as long: what was learnt came from a silence. */
const FAR_DOWN = 1.26

/**
 * How long the dongle is usually silent while the car drives, after one more interval: three of four are shorter. It
 * follows from the intervals in the order of time alone, needs one number, and a single long silence hardly moves it.
 * @param cadenceMs undefined before the first interval
 */
export function cadenceAfter(cadenceMs: number | undefined, intervalMs: number): number {
  const interval = Math.min(intervalMs, LONGEST_INTERVAL_MS)
  if (cadenceMs === undefined) return interval
  if (interval > cadenceMs) return Math.min(interval, cadenceMs * UP)
  return Math.max(interval, cadenceMs / (interval < cadenceMs / 2 ? FAR_DOWN : DOWN))
}

/** What is known of how often a dongle reports. */
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
 * How often a dongle reports while the car is parked, after one more interval: as long as none of driving is known, it stands for
 * that, because no dongle reports more rarely while the car drives. What is longer than any interval of driving says nothing.
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
