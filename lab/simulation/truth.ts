import type { RuleKindName } from '../../src/catalogue/rule-kinds/index.ts'
import type { Position } from '../../src/model/sample.ts'
import type { Fault } from './car.ts'
import { motionAt, speedKmhAt } from './drive-plan.ts'
import type { Drive, Schedule } from './schedule.ts'
import { situationAt } from './situation.ts'

/** A drive as it was, as far as the dongle could witness it. */
export interface TrueTrip {
  readonly drive: Drive
  /** From ignition on to ignition off, or to the moment from which the dongle tells nothing more. */
  readonly startMs: number
  readonly endMs: number
  /** The first and the last moment above walking pace: all that a dongle can know that only feels motion. */
  readonly movesFromMs: number
  readonly movesUntilMs: number
  /** Along the path on the ground, in metres. */
  readonly distanceM: number
  readonly startPosition: Position
  readonly endPosition: Position
}

/** The time that a dongle spent in one car, and what happened there. */
export interface Stint {
  readonly schedule: Schedule
  readonly faults: readonly Fault[]
  /** From when it was plugged in until it was pulled out. */
  readonly fromMs: number
  readonly toMs: number
}

interface Tow {
  readonly from: Position
  readonly to: Position
  readonly fromMs: number
  readonly toMs: number
}

/** Something that a rule looks for, as it really was. */
export interface Happened {
  readonly kind: RuleKindName
  readonly fromMs: number
  readonly toMs: number
}

/** What really happened. */
export interface Truth {
  readonly trips: readonly TrueTrip[]
  /** One car after the other. */
  readonly stints: readonly Stint[]
  /** Straight ways on which it was carried though nobody drove it. */
  readonly tows?: readonly Tow[]
  /** What else happened that rules look for and that does not follow from the drives. */
  readonly happened?: readonly Happened[]
}

const WALKING_KMH = 5
const LOOK_EVERY_MS = 500

/** The part of a drive between two instants, all of it unless told otherwise. */
export function trueTripOf(drive: Drive, startMs = drive.startMs, endMs = drive.endMs): TrueTrip {
  const at = (timeMs: number) => motionAt(drive.plan, timeMs - drive.startMs)
  const moves = (timeMs: number) => speedKmhAt(drive.plan, timeMs - drive.startMs) > WALKING_KMH
  let movesFromMs = startMs
  while (movesFromMs <= endMs && !moves(movesFromMs)) movesFromMs += LOOK_EVERY_MS
  let movesUntilMs = startMs + Math.floor((endMs - startMs) / LOOK_EVERY_MS) * LOOK_EVERY_MS
  while (movesUntilMs > movesFromMs && !moves(movesUntilMs)) movesUntilMs -= LOOK_EVERY_MS
  const everMoves = movesFromMs <= endMs
  return {
    drive,
    startMs,
    endMs,
    movesFromMs: everMoves ? movesFromMs : startMs,
    movesUntilMs: everMoves ? movesUntilMs : startMs,
    distanceM: at(endMs).metres - at(startMs).metres,
    startPosition: at(startMs).position,
    endPosition: at(endMs).position,
  }
}

/** What the odometer of the car counted at any instant, in whole metres. */
export function odometerM({ schedule }: Stint, timeMs: number): number {
  return situationAt(schedule, timeMs).odometerM
}
