import type { Position } from '../../src/model/sample.ts'
import { type Car } from './dongle.ts'
import { type DrivePlan } from './drive-plan.ts'

/** A point of a route and the road from there to the next one. */
export interface Waypoint extends Position {
  /** Usual speed on the road to the next point. */
  readonly limitKmh: number
  /** The longest stop here, at a light or at a customer's; absent where there is none. */
  readonly stopS?: number
}

export type Route = readonly Waypoint[]

/** The same way in the other direction: the limit belongs to the road behind a point now, not to the one ahead. */
export function backwards(route: Route): Route {
  return route.map((point, i) => ({ ...point, limitKmh: route[i - 1]?.limitKmh ?? point.limitKmh })).toReversed()
}

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
