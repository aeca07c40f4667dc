import { verdictOn } from './calibration.ts'
import {
  errorM,
  type LengthMeasure,
  measureOf,
  PATH_SHARE,
  resolutionVarianceM2,
  WHEEL_SHARE,
} from './length-measures.ts'
import type { Measured } from './measured.ts'
import { completedM } from './odometer.ts'
import { pathLength } from './path.ts'
import { COARSEST_STEP_M, MOTION_KMH, SAME_MOMENT_MS } from './rules.ts'
import type { ClosingRule, OpeningRule } from './trip.ts'

/** What counts, and the range in which the truth lies, in metres. */
export interface LengthRange {
  readonly leastM: number
  readonly countedM: number
  readonly mostM: number
}

/** What is known of both ends of a trip. */
interface Ends {
  readonly opened: OpeningRule
  /** undefined while it may still go on. */
  readonly closed: ClosingRule | undefined
  /** The usual interval of the dongle. */
  readonly cadenceMs: number | undefined
}

/**
 * The range in which the true length of this trip lies, 19 times of 20: two standard errors and the systematic share to either
 * side of what counts (`errorM`), never below zero.
 *
 * By positions, the variance is the sum of that of each piece of the path. By the odometer, it is that of its
 * resolution, and of the path where the odometer does not cover it, in proportion to the metres there. An odometer that
 * shows whole kilometres is completed by positions: where they agree and know better, the range is theirs.
 *
 * Who has no word on ignition or engine misses what was driven slower than motion before it was seen to drive and after; so the
 * truth may be more by that speed for an interval at each such end. Fixes show where the car stood, so that the path misses
 * nothing.
 */
export function lengthRangeOf(measured: Measured, ends: Ends): LengthRange {
  const { odometer, calibration, track, speed } = measured
  const path = pathLength(track.path, speed)
  const { hasFix } = track.path
  const byPath = measureOf(path.metres, path.varianceM2, hasFix ? PATH_SHARE : WHEEL_SHARE)
  const verdict = odometer && verdictOn(calibration, odometer)
  if (!odometer || verdict?.kind !== 'believed') return around(path.metres, byPath, hasFix ? 0 : unseenM(ends))
  const countedM = completedM(odometer, path.metres, verdict.unitKm)
  const coveredM = Math.max(0, odometer.lastPathM - odometer.firstPathM)
  const uncoveredShare = path.metres > 0 ? 1 - Math.min(1, coveredM / path.metres) : 0
  const varianceM2 = resolutionVarianceM2(odometer, verdict.unitKm) + uncoveredShare * path.varianceM2
  const range = around(countedM, measureOf(countedM, varianceM2, WHEEL_SHARE), unseenM(ends))
  const isCoarse = odometer.resolutionM >= COARSEST_STEP_M
  return hasFix && isCoarse ? narrower(range, around(path.metres, byPath, 0)) : range
}

function around(countedM: number, measure: LengthMeasure, unseen: number): LengthRange {
  const offM = errorM(measure)
  return { leastM: Math.max(0, countedM - offM), countedM, mostM: countedM + offM + unseen }
}

/** Of two measures that agree, the one that knows better. */
function narrower(range: LengthRange, other: LengthRange): LengthRange {
  const { leastM, countedM, mostM } = range
  const agrees = other.leastM <= countedM && countedM <= other.mostM
  const isNarrower = other.mostM - other.leastM < mostM - leastM
  return agrees && isNarrower ? { ...other, countedM } : range
}

function unseenM({ opened, closed, cadenceMs = 0 }: Ends): number {
  const isBeginTold = opened === 'ignition on' || opened === 'engine on'
  const isEndTold = closed === 'ignition off' || closed === 'engine off' || closed === undefined
  const unseenEnds = (isBeginTold ? 0 : 1) + (isEndTold ? 0 : 1)
  return (unseenEnds * MOTION_KMH * Math.max(cadenceMs, SAME_MOMENT_MS)) / 3600
}
