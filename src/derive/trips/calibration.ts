import { besideOdometerM, type Odometer, odometerM } from './odometer.ts'
import {
  CALIBRATION_ERROR,
  CALIBRATION_FADES_M,
  CALIBRATION_M,
  CALIBRATION_TRIP_M,
  KM_PER_MILE,
  ODOMETER_ERROR,
} from './rules.ts'

/** What the odometer of a car showed and what positions showed meanwhile, over its trips so far. */
export interface Calibration {
  readonly odometerM: number
  readonly pathM: number
}

export const NOT_CALIBRATED: Calibration = { odometerM: 0, pathM: 0 }

/** Whether the odometer counts, and kilometres of one of its units. */
export type OdometerVerdict =
  | { readonly kind: 'believed'; readonly unitKm: number }
  /** It counts too much or too little. */
  | { readonly kind: 'doubted' }

const KILOMETRES: OdometerVerdict = { kind: 'believed', unitKm: 1 }
const MILES: OdometerVerdict = { kind: 'believed', unitKm: KM_PER_MILE }
const DOUBTED: OdometerVerdict = { kind: 'doubted' }

/** Around the share that miles have, positions being as uncertain as they are. */
const MILES_ERROR = 0.05

/**
 * Whether an odometer can be believed (decisions.md, *Trips*, distance).
 * @param before what earlier trips told
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
 * What is known of the odometer after a trip. A jump may be another instrument with another unit: it begins anew.
 * @param path of the whole trip
 */
export function calibrationAfter(
  before: Calibration,
  odometer: Odometer | undefined,
  path: { readonly metres: number; readonly varianceM2: number },
): Calibration {
  if (!odometer) return before
  if (odometer.jumps > 0) return NOT_CALIBRATED
  const pathM = besideOdometerM(odometer)
  const isCertain = Math.sqrt(path.varianceM2) <= CALIBRATION_ERROR * path.metres
  // One that does not count at all is stuck, which each trip finds by itself.
  if (!isCertain || pathM < CALIBRATION_TRIP_M || odometerM(odometer) === 0) return before
  const sum = { odometerM: before.odometerM + odometerM(odometer), pathM: before.pathM + pathM }
  if (sum.pathM <= CALIBRATION_FADES_M) return sum
  return { odometerM: sum.odometerM / 2, pathM: sum.pathM / 2 }
}
