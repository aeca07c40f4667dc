import type { Position } from '../../intake/sample.ts'
import { distanceM } from './earth.ts'
import { BLIND_MS, MOTION_DISPLACEMENT_M, STANDSTILL_DRIFT_M, STEP_M } from './rules.ts'
import type { Speed } from './speed.ts'

/** The length of a trip by positions. Changed in place by each fix. */
export interface Path {
  hasFix: boolean
  countedM: number
  /** Up to where the path is counted, and from there to the last fix. */
  counted: Position | undefined
  openM: number
  isStanding: boolean
  /** Where the path began, and how far from there the car got. */
  first: Position | undefined
  reachM: number
}

/** @param from where the car surely stood when the trip began. */
export function pathFrom(from: Position | undefined): Path {
  return { hasFix: false, countedM: 0, counted: from, openM: 0, isStanding: false, first: from, reachM: 0 }
}

/** Nobody knows where the car stood when the trip began. */
export function leadFromNowhere(path: Path): void {
  path.counted = undefined
  path.first = undefined
}

/** Metres along the path, up to the last fix. */
export function pathM(path: Path): number {
  return path.countedM + path.openM
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
 * Goes on to the next fix. The path is counted in steps, so that the noise of a standing receiver adds nothing; after a
 * while without a fix (tunnel, garage), by the speed of the car where that says more than the straight line.
 * @param speed summed up since the last new fix
 */
export function goTo(path: Path, position: Position, isStanding: boolean, { blindM, blindMs }: Speed): void {
  const { counted } = path
  const hasStopped = isStanding && !path.isStanding
  const isBlind = blindMs >= BLIND_MS
  path.hasFix = true
  path.isStanding = isStanding
  if (!counted) {
    path.countedM = isBlind ? blindM : 0
    path.counted = position
    path.first = position
    return
  }
  const stepM = distanceM(counted, position)
  path.first ??= position
  if (path.reachM < MOTION_DISPLACEMENT_M) path.reachM = Math.max(path.reachM, distanceM(path.first, position))
  if (isBlind && path.openM + blindM > stepM) {
    countUpTo(path, position, path.openM)
    path.countedM += blindM
    // The first standing fix is counted up to, so that drift from there on is drift around that place.
  } else if (stepM >= STEP_M || hasStopped) countUpTo(path, position, stepM)
  else path.openM = stepM
}

/** The car appeared elsewhere: the path goes on there, and what lies between is not counted. */
export function goOnElsewhere(path: Path, position: Position, isStanding: boolean): void {
  countUpTo(path, position, path.openM)
  path.hasFix = true
  path.isStanding = isStanding
  path.first ??= position
}

function countUpTo(path: Path, position: Position, metres: number): void {
  path.countedM += metres
  path.counted = position
  path.openM = 0
}
