import { COARSEST_STEP_M, FASTEST_M_PER_MS, STUCK_ODOMETER_M } from './rules.ts'

/**
 * The odometer during a trip. Where it shows few digits, it is exact only at the moments when it changes: positions
 * complete what lies before the first change and after the last. Changed in place by each reading.
 */
export interface Odometer {
  /** First and last reading since it last jumped, in kilometres. */
  firstKm: number
  lastKm: number
  lastMs: number
  /** Metres along the path at the first reading, at the first change (undefined before there is one) and at the last. */
  firstPathM: number
  firstChangeKm: number | undefined
  firstChangePathM: number
  lastChangePathM: number
  /** Metres along the path at the last reading. */
  lastPathM: number
  /** The coarsest step that the readings allow for, in metres. */
  resolutionM: number
  /** How often it jumped. */
  jumps: number
  /** The trip before it last jumped: metres of the trip, and of it by the odometer alone. */
  settledM: number
  settledOdometerM: number
}

function resolutionOf(km: number): number {
  if (Number.isInteger(km)) return COARSEST_STEP_M
  return Math.abs(km * 10 - Math.round(km * 10)) < 1e-6 ? 100 : 0
}

/** @param pathM metres along the path so far: all of them count, and nothing of the odometer does. */
function begun(
  km: number,
  timeMs: number,
  pathM: number,
  jumps: number,
  settledM: number,
  settledOdometerM: number,
): Odometer {
  return {
    firstKm: km,
    lastKm: km,
    lastMs: timeMs,
    firstPathM: pathM,
    firstChangeKm: undefined,
    firstChangePathM: pathM,
    lastChangePathM: pathM,
    lastPathM: pathM,
    resolutionM: resolutionOf(km),
    jumps,
    settledM,
    settledOdometerM,
  }
}

/** The odometer at its first reading in a trip. */
export function odometerFrom(km: number, timeMs: number, pathM: number): Odometer {
  return begun(km, timeMs, pathM, 0, pathM, 0)
}

/**
 * Takes one more reading. Backwards or faster than a car drives is a jump (another unit, a reset, a wrong reading):
 * what lies across it counts by positions.
 */
export function readOdometer(odometer: Odometer, km: number, timeMs: number, pathM: number): void {
  if (km !== odometer.lastKm) {
    const stepM = (km - odometer.lastKm) * 1000
    if (stepM < 0 || stepM > FASTEST_M_PER_MS * (timeMs - odometer.lastMs) + COARSEST_STEP_M) {
      const { jumps } = odometer
      Object.assign(odometer, begun(km, timeMs, pathM, jumps + 1, completedM(odometer, pathM), odometerM(odometer)))
      return
    }
    if (odometer.firstChangeKm === undefined) {
      odometer.firstChangeKm = km
      odometer.firstChangePathM = pathM
    }
    odometer.lastKm = km
    odometer.lastChangePathM = pathM
    odometer.resolutionM = Math.min(odometer.resolutionM, resolutionOf(km))
  }
  odometer.lastMs = timeMs
  odometer.lastPathM = pathM
}

function upToLastChangeM(odometer: Odometer, unit: number): number {
  const { firstKm, firstChangeKm, lastKm } = odometer
  if (firstChangeKm === undefined) return odometer.settledM
  const resolutionM = odometer.resolutionM * unit
  const firstStepM = (firstChangeKm - firstKm) * 1000 * unit
  const byPathM = odometer.firstChangePathM - odometer.firstPathM
  // Without positions there the odometer's own word is the better guess.
  const firstM = byPathM === 0 ? firstStepM : between(byPathM, firstStepM - resolutionM, firstStepM)
  return odometer.settledM + firstM + (lastKm - firstChangeKm) * 1000 * unit
}

function between(value: number, least: number, most: number): number {
  return Math.max(0, least, Math.min(value, most))
}

/**
 * Metres between the last change and the last reading, which was the same: less than a step of the odometer, however
 * far the fixes drifted. Much farther, and the odometer is stuck or the dongle repeats an old reading.
 */
function unchangedM({ lastChangePathM, lastPathM, resolutionM }: Odometer, unit: number): number {
  const byPathM = Math.max(0, lastPathM - lastChangePathM)
  const stepM = resolutionM * unit
  return byPathM > stepM + STUCK_ODOMETER_M ? byPathM : Math.min(byPathM, stepM)
}

/**
 * Metres of the trip: by the odometer where it covers it, completed by positions.
 * @param unit kilometres of one of its units
 */
export function completedM(odometer: Odometer | undefined, pathM: number, unit = 1): number {
  if (!odometer) return pathM
  return upToLastChangeM(odometer, unit) + unchangedM(odometer, unit) + Math.max(0, pathM - odometer.lastPathM)
}

/** Metres that the odometer alone shows, if it counts kilometres. */
export function odometerM(odometer: Odometer): number {
  // Decimal fractions of kilometres have no exact metres.
  return Math.round((odometer.settledOdometerM + (odometer.lastKm - odometer.firstKm) * 1000) * 1000) / 1000
}

/** Metres by positions between its first and its last reading, jumps apart. */
export function besideOdometerM(odometer: Odometer): number {
  return odometer.lastPathM - odometer.firstPathM
}
