import { distanceM, eastwardDegrees, METRES_PER_DEGREE_NORTH, metresPerDegreeEast } from '../../../model/earth.ts'
import type { Position } from '../../../model/sample.ts'
import { lengthBetween } from './length-estimate.ts'
import { BLIND_MS, MOTION_DISPLACEMENT_M, STANDSTILL_DRIFT_M, STEP_M } from './rules.ts'
import { drivenSince, markOf, type Speed, type SpeedMark } from './speed.ts'

/** The length of a trip by positions and by speed over time. Changed in place by each fix. */
export interface Path {
  hasFix: boolean
  countedM: number
  /** Squared standard error of what is counted. */
  varianceM2: number
  /** Up to where the path is counted, and the sums of speed there. */
  counted: Position | undefined
  countedMark: SpeedMark
  /** From there to the last fix, and the sums of speed at that. */
  openM: number
  openVarianceM2: number
  fixMark: SpeedMark
  /** Direction of the last step, from east to north; undefined before there is one. */
  headingRad: number | undefined
  isStanding: boolean
  /** Where the path began, and how far from there the car got. */
  first: Position | undefined
  reachM: number
  /** So far from there it surely left. */
  provenAtM: number
}

/** @param from where the car surely was at `mark` */
export function pathFrom(from: Position | undefined, mark: SpeedMark): Path {
  return {
    hasFix: false,
    countedM: 0,
    varianceM2: 0,
    counted: from,
    countedMark: mark,
    openM: 0,
    openVarianceM2: 0,
    fixMark: mark,
    headingRad: undefined,
    isStanding: false,
    first: from,
    reachM: 0,
    provenAtM: MOTION_DISPLACEMENT_M,
  }
}

/**
 * Metres along the path up to now. What was driven since the last fix counts by the speed
 * that was told, once that is more than the moment between two fixes.
 */
export function pathMetres(path: Path, speed: Speed): number {
  const { fixMark } = path
  const isBlind = speed.toldMs - fixMark.toldMs >= BLIND_MS
  return path.countedM + path.openM + (isBlind ? speed.drivenM - fixMark.drivenM : 0)
}

/** The same with the squared standard error. */
export function pathLength(path: Path, speed: Speed): { readonly metres: number; readonly varianceM2: number } {
  const blind = drivenSince(speed, path.fixMark)
  const isBlind = blind.toldMs >= BLIND_MS
  return {
    metres: pathMetres(path, speed),
    varianceM2: path.varianceM2 + path.openVarianceM2 + (isBlind ? blind.varianceM2 : 0),
  }
}

/** Whether a fix only repeats where the car stands, give or take the error of the receiver. */
export function isStandstillDrift(path: Path, position: Position, isStanding: boolean): boolean {
  return (
    isStanding &&
    path.isStanding &&
    path.counted !== undefined &&
    distanceM(path.counted, position) <= STANDSTILL_DRIFT_M
  )
}

/**
 * Goes on to the next fix. The path is counted in steps, so that the noise of a standing receiver adds nothing.
 * @param speed summed up to now
 * @param cadenceMs the usual interval of the dongle while the car drives
 */
export function goTo(
  path: Path,
  position: Position,
  isStanding: boolean,
  speed: Speed,
  timeMs: number,
  cadenceMs: number | undefined,
): void {
  const { counted, countedMark } = path
  const hasStopped = isStanding && !path.isStanding
  const mark = markOf(speed, timeMs)
  path.hasFix = true
  path.isStanding = isStanding
  path.fixMark = mark
  path.first ??= position
  if (path.reachM < path.provenAtM) path.reachM = Math.max(path.reachM, distanceM(path.first, position))
  if (!counted) {
    const before = drivenSince(speed, countedMark)
    if (before.toldMs >= BLIND_MS) {
      path.countedM = before.metres
      path.varianceM2 = before.varianceM2
    }
    path.counted = position
    path.countedMark = mark
    return
  }
  const chordM = distanceM(counted, position)
  const headingRad = chordM >= STEP_M ? headingOf(counted, position) : undefined
  const turnRad =
    headingRad === undefined || path.headingRad === undefined ? undefined : turnOf(path.headingRad, headingRad)
  const driven = drivenSince(speed, countedMark)
  const { metres, varianceM2 } = lengthBetween(chordM, timeMs - countedMark.timeMs, turnRad, driven, cadenceMs)
  const isRoundTrip = driven.toldMs >= BLIND_MS && driven.metres >= STEP_M
  // The first standing fix is counted up to, so that drift from there on is drift around that place.
  if (chordM >= STEP_M || hasStopped || isRoundTrip) {
    path.countedM += metres
    path.varianceM2 += varianceM2
    path.counted = position
    path.countedMark = mark
    path.openM = 0
    path.openVarianceM2 = 0
    if (headingRad !== undefined) path.headingRad = headingRad
  } else {
    path.openM = metres
    path.openVarianceM2 = varianceM2
  }
}

/** The path of the place where the car went on: what lies between is not counted. */
export function appendPath(path: Path, next: Path): void {
  path.countedM += path.openM + next.countedM
  path.varianceM2 += path.openVarianceM2 + next.varianceM2
  path.counted = next.counted
  path.countedMark = next.countedMark
  path.openM = next.openM
  path.openVarianceM2 = next.openVarianceM2
  path.fixMark = next.fixMark
  path.headingRad = next.headingRad
  path.isStanding = next.isStanding
}

function headingOf(from: Position, to: Position): number {
  const eastM = eastwardDegrees(from.lon, to.lon) * metresPerDegreeEast(from.lat)
  return Math.atan2((to.lat - from.lat) * METRES_PER_DEGREE_NORTH, eastM)
}

function turnOf(before: number, after: number): number {
  const turn = Math.abs(after - before)
  return turn > Math.PI ? 2 * Math.PI - turn : turn
}
