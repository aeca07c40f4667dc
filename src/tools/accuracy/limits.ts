import type { KindOfDongle } from '../simulation/kinds-of-dongles.ts'
import type { CellScore } from './cell.ts'

/** What a cell must hold. */
interface Limits {
  readonly leastF1: number
  /** undefined: whatever it is. */
  readonly mostKilometreError: number | undefined
  readonly farthestM: number
}

const LEAST_F1 = { clean: 0.98, disturbed: 0.95 } as const
const FARTHEST_M = 100

const WITH_ODOMETER = 0.005
const HYBRID = 0.015
/** Positions and speeds are samples of a way: the farther apart, the less they tell of it. */
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
    // Disturbed, odometers lie, silences hide ways: no length can be promised.
    mostKilometreError: isDisturbed ? undefined : error,
    farthestM: FARTHEST_M,
  }
}

/** What of a cell breaks its limits, in the words of the table's heads; empty when it holds them. */
export function brokenLimits(score: CellScore, { leastF1, mostKilometreError, farthestM }: Limits): string[] {
  return [
    ...(score.f1 >= leastF1 ? [] : ['F1']),
    ...(mostKilometreError === undefined || Math.abs(score.kilometreError) <= mostKilometreError ? [] : ['kilometres']),
    ...((score.farthestM ?? 0) <= farthestM ? [] : ['farthest']),
  ]
}
