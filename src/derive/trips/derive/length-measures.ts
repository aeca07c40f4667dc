import { type OdometerVerdict, verdictOn } from './calibration.ts'
import type { Measured } from './measured.ts'
import { type Odometer, odometerM } from './odometer.ts'
import { pathLength } from './path.ts'

/** One measure of the length of a trip, in metres. */
export interface LengthMeasure {
  readonly metres: number
  /** The random error: one standard error. */
  readonly standardErrorM: number
  /** The share by which the instrument may be wrong systematically. */
  readonly systematicM: number
}

/** 'jumped': it went backwards or leapt in the trip. 'doubted': it counts too much or too little, so it does not count. */
export type OdometerState = 'kilometres' | 'miles' | 'doubted' | 'jumped'

/** The length by the odometer alone. */
interface OdometerMeasure extends LengthMeasure {
  readonly state: OdometerState
  /** In thousandths of the unit of its instrument. */
  readonly shownM: number
}

/** All measures of the length of a trip; undefined if there is no data for one. */
export interface LengthMeasures {
  readonly odometer: OdometerMeasure | undefined
  /** Positions, with the speed between them. */
  readonly positions: LengthMeasure | undefined
  /** Speed over time alone, for the time in which it was reported. */
  readonly speed: LengthMeasure | undefined
}

/** Tyres of another size, worn, or soft: odometer and speed of a car count turns of the wheel. */
export const WHEEL_SHARE = 0.02
/**
 * The error of the bend model where all roads are straighter, or more winding, than those it was fitted to
 * (`DETOUR` in length-estimate.ts).
 */
export const PATH_SHARE = 0.02

/** The separate measures of the length of this trip. */
export function lengthMeasuresOf(measured: Measured): LengthMeasures {
  const { odometer, calibration, track, speed } = measured
  const path = pathLength(track.path, speed)
  return {
    odometer: odometer && odometerMeasureOf(odometer, verdictOn(calibration, odometer)),
    positions: track.path.hasFix ? measureOf(path.metres, path.varianceM2, PATH_SHARE) : undefined,
    speed: speed.toldMs > 0 ? measureOf(speed.drivenM, speed.varianceM2, WHEEL_SHARE) : undefined,
  }
}

function odometerMeasureOf(odometer: Odometer, verdict: OdometerVerdict): OdometerMeasure {
  const shownM = odometerM(odometer)
  const unitKm = unitKmOf(verdict)
  return {
    ...measureOf(shownM * unitKm, resolutionVarianceM2(odometer, unitKm), WHEEL_SHARE),
    state: odometer.jumps > 0 ? 'jumped' : stateOf(verdict),
    shownM,
  }
}

function stateOf(verdict: OdometerVerdict): OdometerState {
  if (verdict.kind === 'doubted') return 'doubted'
  return verdict.unitKm === 1 ? 'kilometres' : 'miles'
}

function unitKmOf(verdict: OdometerVerdict): number {
  return verdict.kind === 'believed' ? verdict.unitKm : 1
}

export function measureOf(metres: number, varianceM2: number, share: number): LengthMeasure {
  return { metres, standardErrorM: Math.sqrt(varianceM2), systematicM: share * metres }
}

/** What shows no fractions of its resolution is off by up to one at each end: the difference of two even distributions. */
export function resolutionVarianceM2({ resolutionM }: Odometer, unitKm: number): number {
  return (resolutionM * unitKm) ** 2 / 6
}

/** Of a normal distribution, 95 % lie within so many standard errors. */
const STANDARD_ERRORS = 2

/** How far the truth may be from a measure: chance averages out, so its variances add up; what is wrong all the time adds in full. */
export function errorM({ standardErrorM, systematicM }: LengthMeasure): number {
  return STANDARD_ERRORS * standardErrorM + systematicM
}
