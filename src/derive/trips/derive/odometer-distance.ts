import { sumOf } from './calibration.ts'
import type { Progress } from './progress.ts'
import type { Reading } from './reading.ts'
import { CALIBRATION_M, COARSEST_STEP_M, FIX_ERROR_M, LIKELY_M_PER_MS, ODOMETER_ERROR, UNSEEN_WAY_M } from './rules.ts'

/** What the odometer counted between two readings, and how finely it does. */
interface Counted {
  readonly metres: number
  readonly stepM: number
}

/**
 * What the odometer counted since a fix. What it showed is kept for the last fix believed. Where it was read later only, anything may have
 * been driven before that.
 */
export function countedSince(
  { odometer, place, fixOdometerKm }: Progress,
  before: { readonly lastMs: number },
  { odometerKm }: Reading,
): Counted | undefined {
  if (before === place && fixOdometerKm !== undefined) return countedFrom(fixOdometerKm, odometerKm)
  const counted = odometer && countedFrom(odometer.km, odometerKm)
  if (!counted || odometer.timeMs <= before.lastMs) return counted
  const unreadMs = Math.max(0, odometer.sinceMs - before.lastMs)
  return { metres: counted.metres, stepM: counted.stepM + LIKELY_M_PER_MS * unreadMs }
}

export function countedBetween({ odometerKm: fromKm }: Reading, { odometerKm }: Reading): Counted | undefined {
  return fromKm === undefined ? undefined : countedFrom(fromKm, odometerKm)
}

/** One that went back was swapped. */
function countedFrom(fromKm: number, toKm: number | undefined): Counted | undefined {
  if (toKm === undefined || toKm < fromKm) return undefined
  const isWhole = Number.isInteger(fromKm) && Number.isInteger(toKm)
  return { metres: (toKm - fromKm) * 1000, stepM: isWhole ? COARSEST_STEP_M : UNSEEN_WAY_M }
}

/** Farther than the odometer can have meant, even if it counts miles. */
export function isTooFar(metres: number, counted: Counted | undefined): boolean {
  return counted !== undefined && metres > 2 * counted.metres + counted.stepM
}

/** Whether the trips before showed that the odometer counts kilometres, to some percent. */
export function isExact({ calibrations }: Progress): boolean {
  const { odometerM, pathM } = sumOf(calibrations)
  return pathM >= CALIBRATION_M && Math.abs(odometerM / pathM - 1) <= ODOMETER_ERROR
}

/** The same for an odometer that is known to count kilometres. */
export function isBeyondCount(metres: number, counted: Counted | undefined): boolean {
  return (
    counted !== undefined &&
    metres >
      (1 + 1.5 * ODOMETER_ERROR) * counted.metres + (counted.stepM === UNSEEN_WAY_M ? 3 * FIX_ERROR_M : counted.stepM)
  )
}
