import { besideOdometerM, type Odometer, odometerM } from './odometer.ts'
import {
  CALIBRATION_ERROR,
  CALIBRATION_FADES_M,
  CALIBRATION_M,
  CALIBRATION_TRIP_M,
  KM_PER_MILE,
  ODOMETER_ERROR,
} from './rules.ts'

/** The distance by the odometer and by positions, of one trip or several. Whole metres. */
export interface Calibration {
  readonly odometerM: number
  readonly pathM: number
}

export const NOT_CALIBRATED: Calibration = { odometerM: 0, pathM: 0 }

export function sumOf(trips: readonly Calibration[]): Calibration {
  return trips.reduce(
    (sum, trip) => ({ odometerM: sum.odometerM + trip.odometerM, pathM: sum.pathM + trip.pathM }),
    NOT_CALIBRATED,
  )
}

/** Whether the odometer counts, and kilometres of one of its units. */
export type OdometerVerdict =
  | { readonly kind: 'believed'; readonly unitKm: number }
  /** The odometer counts too much or too little. */
  | { readonly kind: 'doubted' }

const KILOMETRES: OdometerVerdict = { kind: 'believed', unitKm: 1 }
const MILES: OdometerVerdict = { kind: 'believed', unitKm: KM_PER_MILE }
const DOUBTED: OdometerVerdict = { kind: 'doubted' }

/** The range around the ratio of miles, given the uncertainty of positions. */
const MILES_ERROR = 0.05

/**
 * Whether an odometer can be believed (decisions.md, *Trips*, distance).
 * @param before from earlier trips
 * @param odometer of the trip itself
 */
export function verdictOn(before: Calibration, odometer: Odometer): OdometerVerdict {
  const ownM = odometer.jumps > 0 ? 0 : besideOdometerM(odometer)
  const pathM = before.pathM + ownM
  const share = (before.odometerM + (odometer.jumps > 0 ? 0 : odometerM(odometer))) / pathM
  const isMiles = Math.abs(share * KM_PER_MILE - 1) <= MILES_ERROR
  if (pathM < CALIBRATION_M) return isMiles && pathM >= CALIBRATION_TRIP_M ? MILES : KILOMETRES
  if (isMiles) return MILES
  return Math.abs(share - 1) <= ODOMETER_ERROR ? KILOMETRES : DOUBTED
}

/**
 * The trips by which the odometer is judged, after one more: only as many recent ones as needed, so that the effect of an
 * out-of-order sample ends within days and months need not be folded again. After a jump, which may be another instrument with
 * another unit, they start from zero.
 * @param path of the whole trip
 */
export function calibrationsAfter(
  before: readonly Calibration[],
  odometer: Odometer | undefined,
  path: { readonly metres: number; readonly varianceM2: number },
): readonly Calibration[] {
  if (!odometer) return before
  if (odometer.jumps > 0) return []
  const trip = { odometerM: Math.round(odometerM(odometer)), pathM: Math.round(besideOdometerM(odometer)) }
  const isCertain = Math.sqrt(path.varianceM2) <= CALIBRATION_ERROR * path.metres
  // An odometer that does not count at all is stuck, which each trip detects by itself.
  if (!isCertain || trip.pathM < CALIBRATION_TRIP_M || trip.odometerM === 0) return before
  const trips = [...before, trip]
  while (trips.length > LEAST_CALIBRATIONS && sumOf(trips.slice(1)).pathM >= CALIBRATION_FADES_M) trips.shift()
  return trips
}

/** One long trip through tunnels does not decide alone. */
const LEAST_CALIBRATIONS = 3
