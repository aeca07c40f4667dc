import type { Position } from '../../src/model/sample.ts'
import type { Car } from './car.ts'
import type { DrivePlan } from './drive-plan.ts'

/** One drive, from ignition on to ignition off. */
export interface Drive {
  readonly startMs: number
  readonly endMs: number
  readonly plan: DrivePlan
  /** Whole metres, so that adding them up never rounds and the odometer never goes back. */
  readonly lengthM: number
  readonly startOdometerM: number
  /** An electric car is charged there until the next drive. */
  readonly endsAtCharger: boolean
}

/** What a car does over some time: no drive before the one before has ended. */
export interface Schedule {
  readonly car: Car
  /** Where it stands before the first drive, and since when. */
  readonly parkedAt: Position
  readonly parkedSinceMs: number
  readonly startOdometerM: number
  readonly drives: readonly Drive[]
}
