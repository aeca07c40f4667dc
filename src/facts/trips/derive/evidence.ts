import type { Fix } from './place.ts'
import type { Power } from './power.ts'
import type { Reading } from './reading.ts'
import { BLIND_LIMIT_MS, MOTION_KMH, SAME_MOMENT_MS, STANDSTILL_KMH } from './rules.ts'

/** What is known of motion at the instant of a reading; 'unknown' when nothing tells. */
export type Motion = 'moving' | 'standing' | 'unknown'

/**
 * The witnesses of motion, and their weights. The sum decides: above zero the car moves, below it
 * stands. Witnesses without a value in a reading do not count, except for the ones named.
 */
export const WEIGHTS = {
  /**
   * The car's own speed: it turns the wheels. It counts no longer once it told of driving for half an hour without one new
   * fix of a receiver that is there (decisions.md, *Trips*, distance).
   */
  carSpeed: 3,
  /** The receiver's speed, measured apart from its positions; a standing receiver invents a few km/h at times. */
  receiverSpeed: 2,
  /** Fixes that stayed within 50 m for a minute, the last of them no older than that. They never tell of motion. */
  unmovedFix: 1.5,
  /** An odometer that shows less than whole kilometres and stood for five minutes: more than one speed alone. */
  stillOdometer: 3.5,
  /** A sensor of vibration or acceleration, in the dongle. Its last word holds until another one, or a gap. */
  isMoving: 1,
} as const

/** The weight of the receiver's speed while its fix is not believed: if the position is wrong, the speed may be wrong, too. */
export const DOUBTFUL_RECEIVER_WEIGHT = 0.5

/** What a reading revealed, besides its own values. */
export interface Signs {
  /** The last word on IS_MOVING; undefined when it does not hold any more. */
  readonly heldIsMoving: boolean
  /** Fixes say that the car stands. */
  readonly isUnmoved: boolean
  /** The odometer of this reading says so. */
  readonly isOdometerStill: boolean
  /** How long the car's speed has told of driving since the last new fix. */
  readonly blindMs: number
  /** How long the reading before it is ago. */
  readonly intervalMs: number
  /** What the fix of this reading is (place.ts). */
  readonly fix: Fix
  /** Fixes or odometer show that the car drove on since the reading before. */
  readonly droveOn: boolean
}

/** Whether the car moves at the instant of a reading. That it drove on since the one before counts where nothing else does. */
export function motionOf(reading: Reading, signs: Signs): Motion {
  const { gpsSpeedKmh } = reading
  const isMoving = reading.isMoving ?? (signs.heldIsMoving ? true : undefined)
  const byCar = motionByCar(reading, signs)
  let sum = 0
  if (byCar !== undefined) sum += byCar ? WEIGHTS.carSpeed : -WEIGHTS.carSpeed
  if (gpsSpeedKmh !== undefined) sum += (gpsSpeedKmh > MOTION_KMH ? 1 : -1) * receiverWeight(signs)
  if (signs.isUnmoved) sum -= WEIGHTS.unmovedFix
  if (signs.isOdometerStill) sum -= WEIGHTS.stillOdometer
  if (isMoving !== undefined) sum += (isMoving ? 1 : -1) * WEIGHTS.isMoving
  if (sum !== 0) return sum > 0 ? 'moving' : 'standing'
  // A mean of driving, and a receiver that says that the car stands now: both are right, unless the fix is still the same.
  const hasJustStopped = byCar && isOfInterval(reading, signs) && signs.fix !== 'repeated'
  return signs.droveOn || hasJustStopped ? 'moving' : 'unknown'
}

/**
 * What the car's own speed says; undefined when it says nothing. A mean tells of the time since the reading before: over a
 * minute, hardly any of it needs to be driven for the car to have moved.
 */
export function motionByCar(reading: Reading, signs: Pick<Signs, 'blindMs' | 'intervalMs'>): boolean | undefined {
  if (reading.vehicleSpeedKmh === undefined || signs.blindMs > BLIND_LIMIT_MS) return undefined
  return reading.vehicleSpeedKmh > (isOfInterval(reading, signs) ? STANDSTILL_KMH : MOTION_KMH)
}

function isOfInterval({ isTrueMean }: Reading, { intervalMs }: Pick<Signs, 'intervalMs'>): boolean {
  return isTrueMean && intervalMs > SAME_MOMENT_MS
}

function receiverWeight({ fix }: Signs): number {
  return fix === 'elsewhere' || fix === 'refused' ? DOUBTFUL_RECEIVER_WEIGHT : WEIGHTS.receiverSpeed
}

/** Whether all that a reading says itself is that the car stands. */
export function saysStanding({ speedKmh, isMoving }: Reading): boolean {
  return speedKmh !== undefined && speedKmh <= MOTION_KMH && isMoving !== true
}

/** Whether a reading could tell of motion at all. */
export function canTell(reading: Reading): boolean {
  return reading.position !== undefined || !tellsPlaceAtMost(reading)
}

/** Whether nothing but a fix could tell of motion. */
export function tellsPlaceAtMost({ speedKmh, odometerKm, isMoving }: Reading): boolean {
  return speedKmh === undefined && odometerKm === undefined && isMoving === undefined
}

/** Whether a speed is that of a car that stands. */
export function isStandstill(speedKmh: number | undefined): boolean {
  return speedKmh !== undefined && speedKmh <= STANDSTILL_KMH
}

/** What ignition or engine say: whose word it is, and how far it goes. */
export type Word =
  /** It begins a trip when it is on and ends it when it is off. */
  | { readonly of: 'ignition'; readonly isOn: boolean }
  /** It begins a trip when it is on; off, it ends none while the car moves (hybrids). */
  | { readonly of: 'engine'; readonly isOn: boolean }

/** Whose word counts (decisions.md, *Trips*): the ignition's unless it is wired on, else the engine's, else none. */
export function wordOf({ ignition, engine, isIgnitionDoubted }: Power): Word | undefined {
  if (ignition && !isIgnitionDoubted) return { of: 'ignition', isOn: ignition.isOn }
  if (ignition) return undefined
  return engine && { of: 'engine', isOn: engine.isOn }
}
