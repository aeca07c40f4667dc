import type { KindOfDongle } from '../simulation/kinds-of-dongles.ts'
import type { CellScore } from './cell.ts'

/** The limits of a cell. */
interface Limits {
  readonly leastF1: number
  /** undefined: no limit. */
  readonly mostKilometreError: number | undefined
  readonly farthestM: number
}

const LEAST_F1 = { clean: 0.98, disturbed: 0.95 } as const
const FARTHEST_M = 100

const WITH_ODOMETER = 0.005
const HYBRID = 0.015
/** Positions and speeds are samples of a path: the farther apart they are, the less is known of it. */
const BY_CADENCE = [
  { upToS: 10, error: 0.01 },
  { upToS: 60, error: 0.02 },
  { upToS: 120, error: 0.04 },
  { upToS: 300, error: 0.06 },
] as const

/** The limits of a kind of dongle at a cadence, clean or with everything disturbed at once. */
export function limitsOf({ kind, isHybrid }: KindOfDongle, cadenceS: number, isDisturbed: boolean): Limits {
  const hasOdometer = kind.tellsOnly ? kind.tellsOnly.includes('MILEAGE') : kind.readsOdometer
  const byCadence = BY_CADENCE.find(({ upToS }) => cadenceS <= upToS)?.error
  const error = hasOdometer ? WITH_ODOMETER : isHybrid ? HYBRID : byCadence
  return {
    leastF1: isDisturbed ? LEAST_F1.disturbed : LEAST_F1.clean,
    // With disturbances, odometers are wrong and silences hide parts of the path: no length can be promised.
    mostKilometreError: isDisturbed ? undefined : error,
    farthestM: FARTHEST_M,
  }
}

/** Which figures of a cell break its limits, by the column heads of the table; empty when none do. */
export function brokenLimits(score: CellScore, { leastF1, mostKilometreError, farthestM }: Limits): string[] {
  return [
    ...(score.f1 >= leastF1 ? [] : ['F1']),
    ...(mostKilometreError === undefined || Math.abs(score.kilometreError) <= mostKilometreError ? [] : ['kilometres']),
    ...((score.farthestM ?? 0) <= farthestM ? [] : ['farthest']),
  ]
}
