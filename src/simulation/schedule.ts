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
}

/** What a car does over some time: at least one drive, none before the one before has ended. */
export interface Schedule {
  readonly car: Car
  /** Since when it has stood where the first drive begins. */
  readonly parkedSinceMs: number
  readonly startOdometerM: number
  readonly drives: readonly Drive[]
}
