import type { VinRun } from './trip.ts'

const WELL_FORMED = /^[A-HJ-NPR-Z0-9]{17}$/

/** The VIN in a reading, or undefined when it is not well-formed. */
function vinIn(text: string): string | undefined {
  const vin = text.trim().toUpperCase()
  return WELL_FORMED.test(vin) ? vin : undefined
}

/**
 * The run of equal VIN readings after one more.
 * @param boundaryMs the last unplug or trip end before the reading.
 * @returns the object `before` itself when there is nothing new.
 */
export function vinRunAfter(
  before: VinRun | undefined,
  text: string,
  timeMs: number,
  boundaryMs: number,
): VinRun | undefined {
  const vin = vinIn(text)
  if (vin === undefined) return before
  if (before?.vin !== vin) return { vin, firstMs: timeMs, boundaryMs, isConfirmed: false }
  return before.isConfirmed ? before : { ...before, isConfirmed: true }
}

/** The run when it becomes known that a trip had ended at `endMs`: its pause lasted, and the run began in it. */
export function vinRunAfterEnd(run: VinRun, endMs: number): VinRun {
  return endMs > run.boundaryMs && endMs < run.firstMs ? { ...run, boundaryMs: endMs } : run
}
