import type { Progress } from './progress.ts'
import type { VinRun } from './trip.ts'

const WELL_FORMED = /^[A-HJ-NPR-Z0-9]{17}$/

/** The VIN in a reading, or undefined when it is not well-formed. */
function vinIn(text: string): string | undefined {
  const vin = text.trim().toUpperCase()
  return WELL_FORMED.test(vin) ? vin : undefined
}

/** What one reading tells of the car that the dongle is in. */
interface CarSigns {
  /** As reported. */
  readonly vin: string | undefined
  readonly timeMs: number
  /** When the trip that ended with this reading was over. */
  readonly endMs: number | undefined
  /** It was plugged in before. */
  readonly isUnplug: boolean
}

/** Follows the runs of equal VIN readings, and the last moment at which the dongle may have come to another car. */
export function followVin(progress: Progress, { vin, timeMs, endMs, isUnplug }: CarSigns): void {
  if (progress.vinRun && endMs !== undefined) progress.vinRun = vinRunAfterEnd(progress.vinRun, endMs)
  if (endMs !== undefined && endMs < timeMs) progress.boundaryMs = Math.max(progress.boundaryMs, endMs)
  if (vin !== undefined) progress.vinRun = vinRunAfter(progress.vinRun, vin, timeMs, progress.boundaryMs)
  if (isUnplug || endMs === timeMs) progress.boundaryMs = timeMs
}

/**
 * The run of equal VIN readings after one more.
 * @param boundaryMs the last unplug or trip end before the reading.
 * @returns the object `before` itself when there is nothing new.
 */
function vinRunAfter(before: VinRun | undefined, text: string, timeMs: number, boundaryMs: number): VinRun | undefined {
  const vin = vinIn(text)
  if (vin === undefined) return before
  if (before?.vin !== vin) return { vin, firstMs: timeMs, boundaryMs, isConfirmed: false }
  return before.isConfirmed ? before : { ...before, isConfirmed: true }
}

/** The run when it becomes known that a trip had ended at `endMs`: its pause lasted, and the run began in it. */
function vinRunAfterEnd(run: VinRun, endMs: number): VinRun {
  return endMs > run.boundaryMs && endMs < run.firstMs ? { ...run, boundaryMs: endMs } : run
}
