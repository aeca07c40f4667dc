import { silenceOf } from './cadence.ts'
import type { OdometerProgress } from './circumstances.ts'
import { departureMs } from './departure.ts'
import type { Progress } from './progress.ts'
import type { Reading } from './reading.ts'
import {
  COARSEST_STEP_M,
  FASTEST_M_PER_MS,
  LEAST_PROGRESS_M,
  MOTION_KMH,
  MOTION_PAUSE_MS,
  SAME_MOMENT_MS,
  TOWN_M_PER_MS,
} from './rules.ts'

/** The odometer reading that the next one is compared with: the last one, or one a moment earlier if the difference may be rounding. */
export function odometerAfter({ odometer }: Progress, km: number, timeMs: number): Progress['odometer'] {
  if (!odometer) return { km, timeMs, sinceMs: timeMs }
  const drivenM = (km - odometer.km) * 1000
  if (drivenM > 0 && drivenM < LEAST_PROGRESS_M && timeMs - odometer.timeMs <= SAME_MOMENT_MS) return odometer
  return { km, timeMs, sinceMs: odometer.km === km ? odometer.sinceMs : timeMs }
}

/** Whether an odometer with a resolution below one kilometre has not changed for minutes. */
export function isOdometerStillAt({ odometer }: Progress, { odometerKm, timeMs }: Reading): boolean {
  return (
    odometer !== undefined &&
    odometerKm === odometer.km &&
    !Number.isInteger(odometerKm) &&
    timeMs - odometer.sinceMs >= MOTION_PAUSE_MS
  )
}

/** A time at which the car had not stopped yet, because the odometer counted on afterwards, even if by too little for a drive. */
export function countedFromMs({ odometer }: Progress, { odometerKm, timeMs }: Reading): number {
  if (!odometer || odometerKm === undefined) return Number.NEGATIVE_INFINITY
  const metres = (odometerKm - odometer.km) * 1000
  const isPossible = metres >= LEAST_PROGRESS_M && metres <= FASTEST_M_PER_MS * (timeMs - odometer.timeMs)
  return isPossible ? odometer.timeMs : Number.NEGATIVE_INFINITY
}

/** The progress of the odometer with a reading, if it is plausible for a driving car. */
export function progressOf(progress: Progress, { odometerKm, timeMs }: Reading): OdometerProgress | undefined {
  const { odometer, cadenceMs, boundaryMs } = progress
  // Progress since before the end of the last trip belongs to that trip.
  if (!odometer || odometerKm === undefined || odometer.timeMs < boundaryMs) return undefined
  const metres = (odometerKm - odometer.km) * 1000
  const durationMs = timeMs - odometer.timeMs
  // Parked, a dongle reports more rarely than while the car drives.
  const hasStood = progress.trip === undefined && durationMs <= silenceOf(progress)
  const drivenMs = hasStood ? Math.min(durationMs, cadenceMs ?? durationMs) : durationMs
  const isDriving =
    metres >= LEAST_PROGRESS_M &&
    metres / drivenMs > MOTION_KMH / 3600 &&
    metres <= FASTEST_M_PER_MS * durationMs + COARSEST_STEP_M
  if (!isDriving) return undefined
  return {
    fromKm: odometer.km,
    fromMs: odometer.timeMs,
    departedMs: departureMs(metres, odometer.timeMs, timeMs, cadenceMs),
    arrivedMs: Math.min(timeMs, Math.round(odometer.timeMs + metres / TOWN_M_PER_MS)),
  }
}
