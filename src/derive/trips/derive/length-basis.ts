import { verdictOn } from './calibration.ts'
import { lengthM, type Measured, positionsM } from './measured.ts'
import { odometerM } from './odometer.ts'

/** What the length of a trip is based on (decisions.md, *Trips*, distance). */
export type LengthBasis =
  | 'odometer'
  | 'odometer completed by positions'
  | 'positions, no odometer'
  | 'positions, odometer unchanged'
  | 'positions, odometer doubted'
  | 'speed over time'
  | 'nothing measured'

/** Smaller differences are ignored: reports round to metres. */
const SAME_M = 1

/** What the length of this trip is based on. */
export function lengthBasisOf(measured: Measured): LengthBasis {
  const { odometer, calibration, track } = measured
  if (!odometer) return byPath(measured, 'positions, no odometer')
  const verdict = verdictOn(calibration, odometer)
  if (verdict.kind === 'doubted') return byPath(measured, 'positions, odometer doubted')
  const byOdometerM = odometerM(odometer) * verdict.unitKm
  if (Math.abs(lengthM(measured) - byOdometerM) < SAME_M) return 'odometer'
  if (byOdometerM > 0) return 'odometer completed by positions'
  return track.path.hasFix ? 'positions, odometer unchanged' : 'speed over time'
}

function byPath(measured: Measured, byPositions: LengthBasis): LengthBasis {
  if (measured.track.path.hasFix) return byPositions
  return positionsM(measured) > 0 ? 'speed over time' : 'nothing measured'
}
