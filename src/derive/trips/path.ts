import type { Position } from '../../intake/sample.ts'
import { distanceM } from './earth.ts'
import { BLIND_MS, MOTION_DISPLACEMENT_M, STANDSTILL_DRIFT_M, STEP_M } from './rules.ts'
import type { Speed } from './speed.ts'

/** The length of a trip by positions. */
export interface Path {
  readonly hasFix: boolean
  readonly countedM: number
  /** Up to where the path is counted, and from there to the last fix. */
  readonly counted: Position | undefined
  readonly openM: number
  readonly isStanding: boolean
  /** Where the path began, and how far from there the car got. */
  readonly first: Position | undefined
  readonly reachM: number
}

/** @param from where the car surely stood when the trip began. */
export function pathFrom(from: Position | undefined): Path {
  return { hasFix: false, countedM: 0, counted: from, openM: 0, isStanding: false, first: from, reachM: 0 }
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
 * The path after its next fix. It is counted in steps, so that the noise of a standing receiver adds nothing; after a
 * while without a fix (tunnel, garage), by the speed of the car where that says more than the straight line.
 * @param speed summed up since the last new fix
 */
export function pathAfter(path: Path, position: Position, isStanding: boolean, { blindM, blindMs }: Speed): Path {
  const { counted } = path
  const isBlind = blindMs >= BLIND_MS
  if (!counted)
    return {
      hasFix: true,
      countedM: isBlind ? blindM : 0,
      counted: position,
      openM: 0,
      isStanding,
      first: position,
      reachM: 0,
    }
  const stepM = distanceM(counted, position)
  const first = path.first ?? position
  const reachM = path.reachM >= MOTION_DISPLACEMENT_M ? path.reachM : Math.max(path.reachM, distanceM(first, position))
  if (isBlind && path.openM + blindM > stepM)
    return {
      hasFix: true,
      countedM: path.countedM + path.openM + blindM,
      counted: position,
      openM: 0,
      isStanding,
      first,
      reachM,
    }
  // The first standing fix is counted up to, so that drift from there on is drift around that place.
  if (stepM >= STEP_M || (isStanding && !path.isStanding))
    return { hasFix: true, countedM: path.countedM + stepM, counted: position, openM: 0, isStanding, first, reachM }
  return { hasFix: true, countedM: path.countedM, counted, openM: stepM, isStanding, first, reachM }
}

/** The path after the car appeared elsewhere: it goes on there, and what lies between is not counted. */
export function pathElsewhere(path: Path, position: Position, isStanding: boolean): Path {
  return {
    hasFix: true,
    countedM: path.countedM + path.openM,
    counted: position,
    openM: 0,
    isStanding,
    first: path.first ?? position,
    reachM: path.reachM,
  }
}
