import { lengthM, type Measured } from './measured.ts'
import { odometerM } from './odometer.ts'

/** What the length of a trip rests on (decisions.md, *Trips*, distance). */
export type LengthBasis =
  | 'odometer'
  | 'odometer completed by positions'
  | 'positions, no odometer'
  | 'positions, odometer unchanged'
  | 'nothing measured'

/** Below it, two lengths are the same: the report rounds to metres. */
const SAME_M = 1

/** What the length of this trip rests on. */
export function lengthBasisOf(measured: Measured): LengthBasis {
  const { odometer, track } = measured
  if (!odometer) return track.path.hasFix ? 'positions, no odometer' : 'nothing measured'
  const byOdometerM = odometerM(odometer)
  if (Math.abs(lengthM(measured) - byOdometerM) < SAME_M) return 'odometer'
  return byOdometerM === 0 ? 'positions, odometer unchanged' : 'odometer completed by positions'
}
